// Package memory holds the bounded collections of an agent's working memory. Each
// has a policy of its own for what leaves when there is no room:
//
//	WorkingContext   entities that tools returned    the least recently used
//	Queue            the last items of any type      the oldest, or a compaction decides
//	Pool             ContextItems by their ids       the one that was added first
//	items.Store        what happened and was said      expired, unimportant, old
//	Scope            one of each, for an agent
//
// All of them are safe for concurrent use, are read in snapshots, write their
// state as JSON and read it back, and have a Branch: a copy that goes its own way.
//
// # Entities
//
//	          Apply(Change)                          Recent, All
//	use 7  ──►  ┌───────────────────────────────┐  ──► newest first
//	add 5, 3 ─► │ 5 │ 3 │ 7 │ … WorkingContext  │
//	remove 4 ─► └───────────────────────────────┘  ──► JSON state
//	                                      └─► OnEvict
//
// Around a context:
//
//   - Entity is one thing a tool returned; Ref names one. Change is what a tool
//     call does to a context.
//   - IdentityFunc decides when two entities are the same.
//
// A context keeps copies of all texts, packed, and nothing else of what was
// added: ten entities take under a kilobyte. What it returns is unpacked, and
// shares no memory with it.
//
// # Queues and pools
//
//	Append ──► before hooks ──► compaction ──► items in, oldest out ──► after hooks
//
// Around both:
//
//   - queue.CompactFunc shortens what is in a queue; queue.SummarizeOlder and queue.DropMiddle are
//     ready for use.
//   - Hook is told what happens to a queue or a pool, and can refuse it;
//     queue.HookRegistry finds it by the name that a state has.
//
// # Items
//
//	Memorize ──► items.Store ──► Remember, Summarize, Notable
//	                  └──► evictions with their reasons, items.AuditRecord
//
// Around a store:
//
//   - Scorer says which items are relevant, where words are not enough.
//   - Summarizer shortens texts: items.ExtractiveSummarizer without a model.
//
// # Trust
//
// The package does no I/O. Whatever enters a WorkingContext or an items.Store may
// come from strangers: ids and types are bounded and valid UTF-8 or refused, texts
// are made valid, and in a context cut. No error message and no audit record
// contains any of them but ids.
package memory
