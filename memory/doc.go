// Package memory holds what an agent's tools have returned lately: entities, in
// a bounded collection that keeps each of them once, the least recently used of
// which falls off.
//
//	          Apply(Change)                          Recent, All
//	use 7  ──►  ┌───────────────────────────────┐  ──► newest first
//	add 5, 3 ─► │ 5 │ 3 │ 7 │ … WorkingContext  │
//	remove 4 ─► └───────────────────────────────┘  ──► JSON state
//	                                      └─► OnEvict
//
// The parts:
//
//   - Entity is one thing a tool returned; Ref names one.
//   - WorkingContext keeps entities. Change is what a tool call does to it.
//   - IdentityFunc decides when two entities are the same.
//   - Queue keeps the last items of any type, in order; CompactFunc shortens
//     what is in it. SummarizeOlder and DropMiddle are ready to use.
//   - Pool keeps ContextItems by their ids, and lists what there is to ask for.
//   - Hook is told what happens to a Queue or a Pool, and can refuse it;
//     HookRegistry finds it by the name that a state has.
//   - StateError is what a damaged JSON state gives.
//
// A context keeps copies of all texts, packed, and nothing else of what was
// added: ten entities take under a kilobyte. What it returns is unpacked, and
// shares no memory with it.
//
// The package does no I/O and uses the standard library only. Whatever enters a
// WorkingContext may come from strangers: ids and types are bounded and valid
// UTF-8 or refused, texts are made valid and cut, and no error message contains
// any of them.
package memory
