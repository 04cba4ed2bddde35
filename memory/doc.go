// Package memory holds the entities that an agent's tools return.
//
//	              Apply(Change)                          Recent, All
//	use 7  ──►  ┌───────────────────────────────┐  ──► newest first
//	add 5, 3 ─► │ 5 │ 3 │ 7 │ … WorkingContext  │
//	remove 4 ─► └───────────────────────────────┘  ──► JSON state
//	                                      └─► OnEvict
//
// An Entity is one thing that a tool returned; a Ref names one. A WorkingContext
// keeps the most recently used of them, each once. A Change is what a tool call does
// to a context, and IdentityFunc decides when two entities are the same.
//
// A context keeps copies of all texts, packed, and nothing else of what was added:
// ten entities take under a kilobyte. What it returns is unpacked, and shares no
// memory with it.
//
// The packages below hold the other memories of an agent. Their collections are
// bounded, safe for concurrent use, read in snapshots, written as JSON and read
// back, and branched: a copy goes its own way.
//
//	queue       the last items of any type, and items by their ids
//	items       texts by importance, with an audit of what leaves
//	workspace   one of each, for an agent that delegates
//	session     stored conversations: messages, summaries, entities
//	longterm    records that outlive their sessions, searched
//
// # Trust
//
// The package does no I/O. Whatever enters a WorkingContext may come from
// strangers: ids and types are bounded and valid UTF-8 or refused, other texts are
// made valid and cut. No error message contains any of them.
package memory
