// Package strategy takes memories from sessions: Prompted by a model, which it asks for
// those in messages, FromEntities from what tools returned, without one.
//
//	messages ──► parts, as long as the model reads ──► prompt ──► model ──► answer ──► memories
//	entities ─────────────────────────────────────────────────────────────────────────────▲
package strategy
