// Package strategy extracts memories from sessions: Prompted asks a model for the memories in
// messages, and FromEntities derives them from entities without a model.
//
//	messages ──► parts, as long as the model reads ──► prompt ──► model ──► answer ──► memories
//	entities ─────────────────────────────────────────────────────────────────────────────▲
package strategy
