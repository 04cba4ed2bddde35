// Package sqlitestore keeps sessions, long-term memory and tokens in one SQLite file. It needs
// no server, and nothing installed: SQLite is compiled into the program.
//
//	            ┌───────────────── Store ─────────────────┐
//	Append  ──► │ queue ──► one connection that writes ─┐ │
//	Write       │           (many changes, one commit)  │ │     sessions.db
//	Delete      │                                       ├─┼──►  sessions.db-wal
//	Load    ──► │ ReadConns connections that read ──────┘ │     sessions.db-shm
//	List        │ sweeper: removes what has expired       │
//	Due         │                                         │
//	            │ Index: records of long-term memory,     │
//	            │        by the same connections          │
//	            │ Tokens: those of a server, likewise     │
//	            └─────────────────────────────────────────┘
//
// # Long-term memory
//
// Store.Index is a driver.Index in the same file. Records are found by their words,
// with FTS5, and by their vectors. What FTS5 has indexed of an owner is read for that
// owner alone, and BM25 is counted from the owner's records: what others wrote shows
// neither in what a search finds nor in its order.
//
// A search by vectors compares with all of the scope that pass the filter, so it finds
// the nearest for certain, at about 3 µs each for vectors of 256 numbers: a user with
// 1,000 of them waits some milliseconds, one with 100,000 a third of a second.
//
// Records do not expire, and Sweep leaves them alone. Of what is removed, words may
// stay in the file until FTS5 or SQLite uses their place for others.
//
// # Tokens
//
// Store.Tokens is an auth.TokenStore in the same file: a table of what is kept of a server's
// tokens. It has hashes of their secret parts, by which none can be used. They do not
// expire from the file: what has expired stays until it is removed.
//
// # Several processes
//
// Several Stores, in one process or in several, may have the same file open. Each
// sees what the others have written from the moment it is acknowledged. The file
// must be on a disk of this machine: SQLite's locks do not work on network file
// systems. A process that has the file open should not open and close it by other
// means: on Unix systems that takes SQLite's locks away.
//
// # Durability
//
// What a Store has acknowledged is on the disk: neither a killed process nor a
// power failure loses it. With Options.Relaxed a power failure may lose the last
// moments, a killed process nothing. A write that fails has changed nothing; of one
// that fails with session.ErrUnavailable while it commits, that is not certain.
//
// # The file
//
// There are tables of sessions (sessions, heads, messages) and of long-term memory:
// owners with how much they have, records with what filters and lists look at, bodies
// with the whole of them as JSON, tags with topics and entities, vectors, terms and
// postings for words, versions for the last version that was given. Tokens are in tokens.
//
// While a Store has the file open, a part of what is stored is in the log beside it,
// FILE-wal: a copy of the file alone lacks that. SQLite's VACUUM INTO makes a whole
// one. The log is emptied when the last Store closes the file, and when it has grown
// beyond 64 MiB: those who write wait then for those who read, for up to a second.
//
// A new file can be read by its owner alone. Its schema has a version, in SQLite's
// user_version; Open brings an older one up to date. A file of a later version is
// refused with a *SchemaError, one that is damaged, is no database or belongs to
// another application with a *FileError; neither is changed.
package sqlitestore
