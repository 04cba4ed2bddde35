// Package memory keeps the entities that an agent's tools return.
//
//	              Apply(Change)                          Recent, All
//	use 7  ──►  ┌───────────────────────────────┐  ──► newest first
//	add 5, 3 ─► │ 5 │ 3 │ 7 │ … WorkingContext  │
//	remove 4 ─► └───────────────────────────────┘  ──► JSON state
//	              ▲ used, mentioned,  │ evicted
//	              │ arrives again     ▼
//	            ┌───────────────────────────────┐
//	            │           candidates          │  ──► OnEvict
//	            └───────────────────────────────┘
//
// An Entity is one thing that a tool returned; a Ref names one. A WorkingContext
// keeps the most recently used entities, without duplicates. A Change describes what
// a tool call does to a context, and an IdentityFunc decides when two entities are
// the same. An entity may have several ids, its Aliases, and is found by each.
//
// Candidates are values that a tool may take as an identifier although no record says
// so, and entities that were evicted. They have room of their own, so they never evict an
// entity, and become entities when a record has them, a call takes them or a message
// mentions them. An evicted entity keeps its name, its role and its origins, but is no
// longer Held or Made.
//
// A context stores packed copies of all texts and retains nothing else of what was
// added: ten entities take about a kilobyte. What it returns is unpacked and
// shares no memory with the context.
//
// The packages below hold the other memories of an agent. Their collections are
// bounded, safe for concurrent use, read as snapshots, stored as JSON, and branched:
// a branch is an independent copy.
//
//	queue       the last items of any type, and items by their ids
//	items       texts by importance, with an audit of what leaves
//	workspace   one of each, for agents that delegate
//	session     stored conversations: messages, summaries, entities
//	longterm    searchable records that outlive their sessions
//
// # Trust
//
// The package does no I/O. Everything that enters a WorkingContext may come from
// untrusted sources: ids and types that are too long or not valid UTF-8 are rejected;
// other texts are made valid and truncated. No error message contains any of them.
//
// Each entity has where its id, its type and its name came from: an Origin, whose Authority
// decides what a later call may change (see WorkingContext.AddMany). Entities that the
// agent works with are Held and keep room that no single result can take (see
// ContextOptions.Capacity).
package memory
