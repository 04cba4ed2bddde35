// Package promotion has the options and the outcome of promoting sessions to long-term
// memory, which a session.Manager does in the background.
//
//	due ──► lease ──► extract ──► one write: memories, and how far it came
//	                     ▲           │
//	                     └── more ◄──┤
//	                                 ▼
//	                  promote ──► one write: PersistedAt, and how far it came ──► not due
//
// Workers take up what is due: those of the Manager that wrote, and those of others, in
// any process, when they next ask the store. So what was not promoted when a process
// ends is promoted when another one runs.
//
// A worker leases a session, and renews the lease with each write of its head. Each is a
// compare-and-swap: a worker that died, or was too slow, is taken over from when its
// lease has run out, and what it did not commit counts for nothing. So memories are
// extracted from a message once, as committed, and handed over at least once: a long-term
// memory accepts the same again for the same. Where it fails, the rest of the session's
// work is done, and the session waits, 5 s, 10 s and so on, up to 64 times as long.
package promotion
