// Package queue keeps the last items of an agent's context, bounded in number.
//
//	Append ──► before hooks ──► compaction ──► items in, oldest out ──► after hooks
//
// A Queue keeps items of any type in order. When it is full, the oldest items are
// evicted, or a CompactFunc such as SummarizeOlder or DropMiddle rewrites them. A Pool
// keeps ContextItems by id and evicts the one that was added first.
//
// A Hook is called for changes of a queue or a pool and can reject them. A JSON state
// contains the names of hooks, by which a HookRegistry finds them.
//
// Queues and pools are safe for concurrent use and do no I/O.
package queue
