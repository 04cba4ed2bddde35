// Package sqlitestore stores sessions, long-term memory and tokens in one SQLite file. SQLite is
// compiled into the program: no server or library is needed.
//
//	            ┌───────────────── Store ─────────────────┐
//	Append  ──► │ queue ──► one connection for writes ──┐ │
//	Write       │           (many changes, one commit)  │ │     sessions.db
//	Delete      │                                       ├─┼──►  sessions.db-wal
//	Load    ──► │ ReadConns connections for reads ──────┘ │     sessions.db-shm
//	List        │ sweeper: removes expired sessions       │
//	Due         │ indexer: records of earlier versions    │
//	            │ Index:  records of long-term memory,    │
//	            │ Tokens: tokens of a server,             │
//	            │         both on the same connections    │
//	            └─────────────────────────────────────────┘
//
// # Long-term memory
//
// Store.Index returns a driver.Index in the same file. Records are found by their words, with
// FTS5, and by their vectors. A search for one owner reads only that owner's part of the FTS5
// index and computes BM25 from that owner's records, so the records of others affect neither
// its hits nor their order.
//
// A search by words or vectors first reads blocks, which hold the times, the length and a short
// code of the vector of hundreds of records each; see internal/vectorcode. From these it estimates
// the score of every record in its scope. Then it reads the records with the highest estimates and
// compares their vectors, until it expects at most 1 % of the best ten among the others. Totals are
// exact. With up to 2,000 vectors in its scope, or to count the hits within a distance, it compares
// all vectors. A search of an owner with 100,000 vectors takes 10 to 50 ms. A Store keeps up to
// 64 MiB of blocks in memory.
//
// Records do not expire, and Sweep does not remove any. Words of removed records may stay in the
// file until FTS5 or SQLite reuses their space.
//
// # Results of tools
//
// A result is kept in chunks of 64 KiB, and a read of a part reads only its chunks. It is put in
// one transaction, for which other writers wait: about 20 ms for 1 MiB.
//
// # Tokens
//
// Store.Tokens returns an auth.TokenStore in the same file. It stores hashes of the tokens'
// secrets, which cannot be used to authenticate. Expired tokens stay in the file until they are
// removed.
//
// # Summary views
//
// Store.Documents returns a driver.DocumentStore of package summaryview in the same file, with the
// views, their summaries and tasks.
//
// # Several processes
//
// Several Stores, in one or several processes, may open the same file. Each sees the writes of
// the others as soon as they are acknowledged. The file must be on a local disk, since the locks
// of SQLite do not work on network file systems. On Unix systems, a process must not open and
// close the file by other means while a Store has it open: that releases the locks of SQLite.
//
// # Durability
//
// Acknowledged writes are on disk and survive a killed process and a power failure. With
// Options.Relaxed, a power failure may lose the last of them; a killed process loses nothing. A
// write that fails has changed nothing, unless it returns session.ErrUnavailable because its
// commit failed, which may or may not have taken effect.
//
// # The file
//
// Sessions are in the tables sessions, heads and messages, results of tools in results and chunks.
// Long-term memory is in owners (with counts of their records and terms), records (the columns for
// filters and lists), bodies (the whole records as JSON), tags (topics and entities), vectors, terms
// and postings (for words), blocks and codes (for estimates) and versions (the last assigned version).
// Tokens are in tokens, summary views in documents.
//
// While a Store has the file open, some of the data is in the write-ahead log FILE-wal, so a
// copy of the file alone is incomplete. Use SQLite's VACUUM INTO for a complete one. The log is
// emptied when the last Store closes the file, and when it exceeds 64 MiB; then writers wait for
// readers for up to a second.
//
// Only its owner can read a new file. The version of the schema is in SQLite's user_version, and
// Open migrates older versions. After a migration from version 5 or earlier, the Store indexes the
// records again in the background, about 3,000 a second, and continues at the next Open. Until then,
// searches take longer and find these records by the terms of the earlier version.
//
// Open returns a *SchemaError for a later version, and a *FileError for a file that is damaged, not a
// database or one of another application. Neither is changed.
package sqlitestore
