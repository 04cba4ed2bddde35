// Package session keeps conversations: their messages, a summary of those that no
// longer fit a model's window, the entities that tools returned, and data of the
// program's own.
//
//	Append, Update ──► Manager ──► store: memstore, SQLite, Redis, PostgreSQL
//	                      │
//	                      ├── over 70 % of the window? ──► summary ──► Session.Context
//	                      │
//	                      └── due? ──► promotion ──► long-term memory
//
// A Manager works on a store. It caches no session: any number of managers, in any number
// of processes, may write to the same session, and nothing is lost.
//
//	m, err := session.NewManager(memstore.New(nil), nil)
//	key := session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}
//	_, err = m.Append(ctx, key, []session.Message{{Role: session.RoleUser, Content: "hello"}}, nil)
//	s, err := m.Load(ctx, key, nil)
//
// A program needs few of the packages below this one:
//
//   - memstore is the store in memory. Stores on real engines are in
//     adapters/store/sqlitestore, adapters/store/redisstore and adapters/store/postgresstore.
//   - summary has the options of summaries, and the interface of a model that writes them.
//   - promotion has the options of promoting sessions to long-term memory.
//   - driver has the interfaces of stores and long-term memories. The types that a program
//     needs of it have aliases here.
//
// # Cost
//
// Append neither reads nor writes what a session holds: a message costs the same in a
// conversation of ten and of ten thousand. UpdateHead reads and writes everything but the
// messages, such as the entities after a tool call. Update and Save are for changes that
// depend on the messages, and read all of them. Load reads as many as LoadOptions select.
//
// # Concurrent writes
//
// Every write of a session that was read before is a compare-and-swap. Update and
// UpdateHead try again with the new state; Save and DeleteVersion return ErrConflict.
// Appends conflict neither with each other nor with UpdateHead.
//
// # Summaries
//
// When the messages exceed 70 % of the window, the older ones are summarised into
// Session.Context and leave the session, in one write; at most 40 % of the window stays.
// That happens in the write that exceeded the threshold, in the background, or not at all:
// see Options.Summaries. Without a model, a summary consists of excerpts of the messages. If
// it fails, no message is lost, the write has succeeded, and a later write tries again. A
// Manager that summarises in the background must be closed.
//
// # Long-term memory
//
// A Manager with Options.LongTerm promotes sessions: it has memories extracted from messages
// and entities, and hands over Session.Memories and, if wanted, messages. A write that
// leaves something to promote makes the session due in its store: at once for memories,
// after a delay for messages and entities, as more may come (Options.Promotions).
// Manager.Close ends the delay. Session.Progress reports the progress. Package promotion
// describes the steps and their failures.
//
// Promoting does not count as access: expiry, LastAccessed and UpdatedAt do not change.
// Before a summary drops messages, they are promoted; if that fails, none is dropped.
//
// If long-term memory keeps messages, an expired session is rebuilt from them. Load returns
// it, and the next write stores it again. Context, Entities and Data are lost, and so are
// memories that were not promoted: a time to live must exceed the time that promoting
// takes, including the lease of a process that died. Saving a new session replaces the old
// one. Delete removes the kept messages too.
//
// All managers of a store should have the same LongTerm: what a manager without one writes
// becomes due only with the next write of another. A Manager with a LongTerm must be
// closed.
//
// # Time to live
//
// A session lives until it is deleted, or for the TTL of the last write that had one: see
// WriteOptions and Options.TTL. Reading does not extend it.
//
// # Agents and frameworks
//
// middleware.Sessions records tool calls into sessions and renders their blocks.
// SessionMemory, of adapters/langchain, makes a session the history of a chain.
package session
