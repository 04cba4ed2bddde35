// Package promotion has the options and the outcome of promoting sessions to long-term
// memory, which a session.Manager does in the background.
//
//	due ──► lease ──► extract ──► one write: memories and progress
//	                     ▲           │
//	                     └── more ◄──┤
//	                                 ▼
//	                  promote ──► one write: PersistedAt and progress ──► not due
//
// Workers of any process that shares the store take the sessions that are due. What a
// process leaves behind is promoted by another.
//
// A worker leases a session, and renews the lease with each write of its head. Each write is
// a compare-and-swap: when the lease of a worker that died or was too slow has expired,
// another takes over, and what was not committed is discarded. So memories are extracted
// from a message exactly once, as committed, and handed over at least once; a long-term
// memory accepts them again. When one part of a promotion fails, the rest is done, and the
// session waits before it is tried again: 5 s, then 10 s and so on, up to 64 times as long.
package promotion
