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
// A Manager works on a store. It holds no session itself: any number of managers, in
// any number of processes, may write one session at once, and nothing is lost.
//
//	m, err := session.NewManager(memstore.New(nil), nil)
//	key := session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}
//	_, err = m.Append(ctx, key, []session.Message{{Role: session.RoleUser, Content: "hello"}}, nil)
//	s, err := m.Load(ctx, key, nil)
//
// A program needs few of the packages below this one:
//
//   - memstore is the store in the process. Stores on real engines are in
//     adapters/store/sqlitestore, adapters/store/redisstore and adapters/store/postgresstore.
//   - summary has the options of summaries, and what a program implements to write
//     them with a model of its own.
//   - promotion has the options of promoting sessions to long-term memory.
//   - driver has what stores and long-term memories implement. What a program names of
//     it, this package names too.
//
// # What costs what
//
// Append neither reads nor writes what a session holds: a message costs the same in
// a conversation of ten and of ten thousand. UpdateHead reads and writes all but the
// messages: the entities after a tool call, say. Update and Save are for changes
// that depend on the messages, and read all of them. Load reads as many as it is
// asked for.
//
// # Who else writes
//
// Every write of a session that was read before is a compare-and-swap. Update and
// UpdateHead try again with what is there then; Save and DeleteVersion report
// ErrConflict. Appends never conflict with each other, nor with UpdateHead.
//
// # Summaries
//
// When the messages have more tokens than 70 % of the window, the older ones are
// summarised into Session.Context and leave, in one write; what stays has at most
// 40 %. That happens in the write that went over, in the background, or not at all:
// see Options.Summaries. Without a model a summary consists of what the messages say.
// If it fails, no message is lost, the write has succeeded nevertheless, and a later
// one tries again. A Manager that summarises in the background is to be closed.
//
// # Long-term memory
//
// With Options.LongTerm a Manager promotes sessions: it has memories extracted from
// messages and entities, hands Session.Memories over, and messages too where they are
// wanted. A write that leaves something to do makes the session due, in its store:
// with memories at once, with messages and entities after a delay, in which more may
// come (Options.Promotions). Session.Progress reports how far it came. Package
// promotion describes the steps, and what happens when one fails.
//
// Promoting is no access: it renews no expiry, and LastAccessed and UpdatedAt stay. A
// summary has the messages that are about to leave promoted before, and drops none if
// that fails.
//
// Where long-term memory keeps messages, a session that has expired is rebuilt of them.
// Load returns it; the next write puts it back into the store, and the conversation goes
// on. Context, Entities and Data are gone, and so are memories that were not promoted
// yet: a lifetime is to be longer than what promoting takes, a lease of a process that
// died included. Save of a new session replaces it. Delete removes the kept messages
// too.
//
// All managers of a store should have the same LongTerm: what one without writes is not
// due until another writes to the session. One with a LongTerm is to be closed.
//
// # Time to live
//
// A session lives until it is deleted, or for the TTL of its last write that had
// one: see WriteOptions and Options.TTL. Reading does not prolong its life.
//
// # Agents and frameworks
//
// middleware.Sessions records tool calls into sessions and renders their blocks.
// SessionMemory, of adapters/langchain, is a session as a history and a memory for chains.
package session
