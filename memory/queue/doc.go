// Package queue holds the last items of an agent's context, bounded in number.
//
//	Append ──► before hooks ──► compaction ──► items in, oldest out ──► after hooks
//
// A Queue keeps items of any type in their order: the oldest leave, or a CompactFunc
// rewrites what is there; SummarizeOlder and DropMiddle are ready for use. A Pool
// keeps ContextItems by their ids: the one that was added first leaves.
//
// A Hook is called with what happens to a queue or a pool, and can refuse it. A
// JSON state names hooks, and a HookRegistry finds them by these names.
//
// Queues and pools are safe for concurrent use and do no I/O.
package queue
