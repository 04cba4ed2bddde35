// Package summaryview keeps summaries of long-term memory up to date. A view selects memories by
// a filter and divides them by some of their fields, such as the user; each partition has a
// summary. Views, summaries and the tasks that compute them are documents of a store that all
// processes share.
//
//	Create, Delete ──► Definition ──┐
//	Run ─────────────► Task ────────┼──► Work ──► longterm.Memory ──► Model ──► Partition
//	once an hour ────► refresh ─────┘                        Summarize ───────────┘
//
// Views is the concrete type. The interface of the store is in package driver; the stores of
// adapters/store/sqlitestore, adapters/store/postgresstore and adapters/store/redisstore keep the
// documents beside the sessions: their method Documents returns a driver.DocumentStore.
//
// # Tenants
//
// A view belongs to the tenant that created it, and so does a task. Other tenants do not find
// them, whether their tenant is wider or narrower. Whatever its filter and its groups are, a view
// reads only memories of its tenant.
//
// # Several processes
//
// Any number of processes may work on one store. A task is run by one of them at a time, under a
// lease that it renews. If it dies, another takes the task over when the lease has expired, and
// skips the partitions that the task has already written; each write of a partition requires that
// the lease has not changed hands, so that a task writes each partition once. A process that is
// stopped returns its tasks to the queue. The clocks of the processes should differ by less than a
// lease: a task that is taken over early is done twice but still written once.
//
// # Summaries
//
// The memories of a view are read once, in pages. A partition that exceeds the input of a model is
// summarised in steps, each of which extends the summary so far. Without a Model, a summary
// consists of excerpts (see summary.Extractive). Memories are quoted in prompts as data, and a
// summary is made inert like that of a session (package inert), because it will be shown to models.
package summaryview
