// Package summary has the options and the outcome of summarising sessions, and the interface
// of a Summarizer, which writes the text.
//
//	messages that leave ──┐
//	                      ├──► Request ──► Summarizer ──► Session.Context
//	previous summary ─────┘
//
// # Implementing a Summarizer
//
// Most Summarizers ask a model; Extractive needs none. A Summarizer must be safe for
// concurrent use and give up when its context ends. The Manager does the rest: it splits
// input that is too long for one Request, truncates long summaries, and keeps the messages
// if the text is empty or a refusal.
package summary
