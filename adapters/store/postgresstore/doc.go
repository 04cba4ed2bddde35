// Package postgresstore keeps sessions, long-term memories and tokens in PostgreSQL (14 or
// later): for agents that run on several machines.
//
//	store, err := Open(ctx, "postgres://user@host/database", nil)
//	if err != nil { … }
//	defer store.Close()
//	memories, err := longterm.New(store.Index(), nil)
//	manager, err := session.NewManager(store, nil)
//
// New takes a pgxpool.Pool that the application has already. Either makes the schema
// "workingmemory" (Options.Schema) with the tables sessions, messages, records, vectors,
// owners and tokens and the function change_session, or brings an older one up to date, in one
// transaction per version under a lock: any number of processes may start at once. Where
// only others may do that, see Migrations and Options.NoMigrate.
//
// # Cost
//
// Append, Write, Load and Delete are one round trip each. Append and Write are one
// call of change_session: it locks the session's row, so that writers of one session
// take turns, and those of others do not wait. What an Append costs does not depend on
// how many messages the session has.
//
// # Long-term memory
//
// Index keeps the records of all owners in the table records. A search is one statement,
// and costs what there is in its scope: of one owner, it does not look at those of others.
//
// Keywords are found by full text: a tsvector of the terms that package longterm gives,
// without a dictionary of PostgreSQL, and a GIN index. BM25 is counted in SQL over what
// was found, with the frequencies and lengths of the scope: how many records and terms
// each owner has is kept in the table owners. Of a text of more than a megabyte of
// different terms, those at its end are not found by; of a term that comes more than 255
// times, 255 count.
//
// Vectors are compared exactly, each with the question's: there is no index that finds
// only most of the near ones, since it would make totals and orders wrong. Where the
// extension pgvector is in the database, Open adds the column embedding to the table
// vectors, a copy of each vector in its type, which PostgreSQL keeps up to date by itself,
// and searches compare with its operator <=>. Where it is not, an expression of SQL does
// the same, at about 11 µs for a vector of 256 dimensions: for more than some ten thousand
// records of one owner, install pgvector, or add jit=off to the connection string, as to
// compile the expression takes longer than it saves. The column is added at the first
// Open after the extension was installed, which takes time in proportion to the vectors.
// When the extension is dropped (it takes the column with it, by CASCADE), searches go on
// without. With Options.NoMigrate, or where Open may not, nothing is added, and the
// statement is
//
//	ALTER TABLE workingmemory.vectors ADD embedding vector
//		GENERATED ALWAYS AS (CASE WHEN cardinality(vector) <= 16000 THEN vector::vector END) STORED,
//		ALTER embedding SET STORAGE MAIN, ALTER vector SET STORAGE EXTERNAL
//
// Writers of one owner take turns. A record that is written is removed and added, so that
// autovacuum matters: it also has PostgreSQL know how many records there are, and compare
// many vectors in several processes.
//
// # Tokens
//
// Tokens keeps what is kept of a server's tokens in the table tokens: hashes of their secret
// parts, by which none can be used. To find one is one round trip. Those that have expired
// stay until they are removed.
//
// # Time
//
// Sessions expire by the clock of the server, whatever those of the clients say.
// Expired ones are not seen; a goroutine of the store removes them once a minute
// (Options.SweepInterval).
//
// # Rights
//
// To make the schema, or to bring it up to date, a role must own it, or have the right
// to make one. To use it with Options.NoMigrate, USAGE on the schema, SELECT on its
// table migrations, and SELECT, INSERT, UPDATE and DELETE on sessions and messages are
// enough, for Index on records, vectors and owners too, for Tokens on tokens. The function has the rights of who
// calls it, and a search_path of its own; everyone may execute it unless that was revoked.
//
// The function change_session names its schema. Dump and restore a schema under its own name: under
// another, or renamed, it is refused with ErrMoved.
//
// # What is acknowledged
//
// A call that returned nil is committed, and survives a crash of the server unless its
// settings fsync or synchronous_commit say otherwise. A call runs again by itself
// where the server surely did nothing: its transaction was rolled back for another's
// sake, or the connection was dead before anything was sent. In all other cases of a
// lost connection the error is session.ErrUnavailable; the store works again when the
// server does. Errors have no contents of sessions.
//
// # Connections
//
// A call takes one connection of the pool, and a writer that waits for another of the
// same session keeps it meanwhile. Open's pool has four, or as many as there are
// processors, unless the connection string says pool_max_conns. Where a context has no
// deadline, lock_timeout and statement_timeout, set in the connection string too, keep
// others' long transactions from holding calls up: a call that they end did nothing, and
// returns session.ErrUnavailable. On a standby sessions can be loaded and listed, and all
// that writes returns session.ErrUnavailable.
//
// An Append or a Write leaves a dead version of the session's row, which PostgreSQL
// removes by itself, but not while a transaction is open that is older than it: very
// long ones (an export, a forgotten session of psql) slow busy sessions down.
//
// # PgBouncer
//
// No call needs more than one transaction, so transaction pooling works. PgBouncer
// before 1.21, or with max_prepared_statements = 0, does not know prepared
// statements: add default_query_exec_mode=exec to the connection string.
//
// # Versions
//
// A schema of an earlier version is brought up to date with all that is in it. Processes
// with an earlier version of this package that still run then cannot write sessions: the
// server tells them that there is no such function, and nothing is changed.
//
// # Reading the tables
//
// A message's body is JSON: SELECT seq, body::json->>'content' FROM
// workingmemory.messages WHERE body IS NOT NULL. Rows without a body are the ids that
// are remembered of messages that left. Texts of records are UTF-8 in bytea:
// SELECT convert_from(text, 'UTF8') FROM workingmemory.records. To change rows by hand is
// at your own risk: of sessions, what does not fit together is reported as a
// *session.DamagedError, and Delete removes it; where records are removed by hand, the
// numbers in owners stay, and BM25 counts with them.
package postgresstore
