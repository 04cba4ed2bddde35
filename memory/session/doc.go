// Package session keeps conversations: their messages, a summary of those that no
// longer fit a model's window, the entities that tools returned, and data of the
// program's own.
//
//	Append, Update ──► Manager ──► Store ──► process, SQLite, Redis, PostgreSQL
//	                      │
//	                      └── over 70 % of the window? ──► Summarizer ──► Session.Context
//
// A Manager works on a Store. It holds no session itself: any number of managers, in
// any number of processes, may write one session at once, and nothing is lost.
//
//	m, err := session.NewManager(session.NewMemoryStore(nil), nil)
//	key := session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}
//	_, err = m.Append(ctx, key, []session.Message{{Role: session.RoleUser, Content: "hello"}}, nil)
//	s, err := m.Load(ctx, key, nil)
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
// If it fails, no message is lost, the write has succeeded all the same, and a later
// one tries again. A Manager that summarises in the background is to be closed.
//
// # Time to live
//
// A session lives until it is deleted, or for the TTL of its last write that had
// one: see WriteOptions and Options.TTL. Reading does not prolong its life.
//
// # Agents and frameworks
//
// middleware.Sessions records tool calls into sessions and renders their blocks.
// Session, of adapters/langchain, is a session as a history and a memory for chains.
//
// # Implementing a Store
//
// The contract stands at Store; package sessiontest proves it. Stores on real
// engines are in adapters/sqlitestore, adapters/redisstore and
// adapters/postgresstore.
package session
