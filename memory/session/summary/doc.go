// Package summary has the options and the outcome of summarising sessions, which a
// session.Manager does, and the Summarizer that writes the text.
//
//	messages that leave ──┐
//	                      ├──► Request ──► Summarizer ──► Session.Context
//	previous summary ─────┘
//
// # Implementing a Summarizer
//
// A Summarizer asks a model, mostly; Extractive needs none. It must be safe for
// concurrent use and give up when its context ends. The rest is done for it: the Manager
// divides what is too long for one Request, cuts a text that is too long, and keeps the
// messages where they are if the text is empty or a refusal.
package summary
