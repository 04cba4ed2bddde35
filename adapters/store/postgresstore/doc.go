// Package postgresstore stores sessions, long-term memories and tokens in PostgreSQL 14 or
// later, shared by any number of processes and machines.
//
//	store, err := postgresstore.Open(ctx, "postgres://user@host/database", nil)
//	...
//	defer store.Close()
//	memories, err := longterm.New(store.Index(), nil)
//	manager, err := session.NewManager(store, nil)
//
// Open connects to the server, and New uses an existing pgxpool.Pool. Both create the schema
// "workingmemory" (Options.Schema) with the tables sessions, messages, results, chunks, records,
// vectors, codes, owners and tokens and the functions change_session and put_result, or migrate an older
// one, in one transaction per version and under a lock, so that any number of processes may start
// at once. If the role of the application may not do that, see Migrations and Options.NoMigrate.
//
// # Cost
//
// Append, Write, Load and Delete take one round trip each. Append and Write are one call of
// change_session, which locks the session's row: writers of one session take turns, and those
// of different sessions do not wait for each other. The cost of an Append does not depend on
// the number of messages in the session.
//
// # Long-term memory
//
// Index keeps the records of all owners in the table records. A search is one statement. Its
// cost depends on the records in its scope: a search for one owner does not read those of
// others.
//
// Keywords are found by full-text search: a tsvector of the terms that package longterm
// provides, without a dictionary of PostgreSQL, and a GIN index. BM25 is computed in SQL over
// the matching records, with the frequencies and lengths of the scope; the table owners counts
// the records and terms of each owner. If a text has more than a megabyte of different terms,
// the last ones are not indexed. At most 255 occurrences of a term count.
//
// Up to 2,000 vectors are compared exactly. Of more, a search first compares codes of the vectors,
// which the table codes keeps with what a Recency needs, in about 0.3 µs each. It then compares
// the vectors of the best 300 to 1,000 exactly. These hold at least 99 % of the ten best hits.
// Filters and totals are exact: a total with a MaxDistance compares all vectors, so leave it out
// (Search.NoTotal) where it is not needed. In the scope of one owner, a search without a filter
// or with one on the type reads the codes alone. With other filters, and in wider scopes, it
// reads the records that pass. Nearest reads the codes of an owner once for all its searches.
//
// An SQL expression compares vectors exactly, at about 11 µs for a vector of 256 dimensions. If
// the extension pgvector is in the database, Open adds the generated column embedding to the
// table vectors, a copy of each vector in the extension's type, and searches use its operator <=>,
// but no index of the extension. The column is added by the first Open after the extension was
// installed, in time proportional to the number of vectors. Searches continue without it if the
// extension is dropped with CASCADE, which drops the column. With Options.NoMigrate, or if Open
// lacks the permission, the column is not added. The statement for it is:
//
//	ALTER TABLE workingmemory.vectors ADD embedding vector
//		GENERATED ALWAYS AS (CASE WHEN cardinality(vector) <= 16000 THEN vector::vector END) STORED,
//		ALTER embedding SET STORAGE MAIN, ALTER vector SET STORAGE EXTERNAL
//
// Writers of one owner take turns. Replacing a record removes and inserts its row, so
// autovacuum matters. It also maintains the statistics by which PostgreSQL decides to compare
// many vectors in parallel.
//
// # Results of tools
//
// The tables results and chunks keep large results of tools with their sessions. Contents are in
// chunks of 256 KiB: a read of a part transfers that part alone. A result is put in one round trip;
// other writers of its session wait only while the server writes it.
//
// # Tokens
//
// Tokens keeps the tokens of a server in the table tokens. The table has hashes of their
// secrets, which cannot be used to authenticate. Finding a token takes one round trip. Expired
// tokens stay until they are removed.
//
// # Summary views
//
// Documents keeps summary views, their summaries and tasks in the table documents. A write is one
// transaction with a round trip for each document.
//
// # Time
//
// Sessions expire by the clock of the server. Expired sessions are invisible, and a goroutine
// of the store removes them once a minute (Options.SweepInterval).
//
// # Privileges
//
// To create or migrate the schema, a role must own it or be allowed to create it. To use it
// with Options.NoMigrate, a role needs USAGE on the schema, SELECT on its table migrations, and
// SELECT, INSERT, UPDATE and DELETE on sessions and messages; for results also on results and
// chunks, for Index on records, vectors, codes and owners, for
// Tokens on tokens, and for Documents on documents. The functions
// change_session and put_result run with the privileges of their caller and a fixed search_path.
// Every role may execute them unless that privilege was revoked.
//
// The functions contain the name of their schema. Dump and restore a schema under its own name:
// New returns ErrMoved for one that was renamed or restored under another.
//
// # Durability
//
// A call that returns nil is committed and survives a crash of the server, unless the server's
// settings fsync or synchronous_commit relax that. A call is retried if the server certainly
// did nothing: its transaction was rolled back because of another, or the connection was dead
// before anything was sent. If a connection is lost otherwise, the call returns
// session.ErrUnavailable. The store recovers when the server does. Errors do not contain the
// contents of sessions.
//
// # Connections
//
// A call uses one connection of the pool, also while it waits for another writer of the same
// session. The pool of Open has four connections, or as many as there are processors, unless
// the connection string sets pool_max_conns. For contexts without a deadline, set lock_timeout
// and statement_timeout in the connection string, so that long transactions of others do not
// block calls: a call that times out changed nothing and returns session.ErrUnavailable. On a
// standby, sessions can be loaded and listed, and every write returns session.ErrUnavailable.
//
// An Append or a Write leaves a dead version of the session's row. PostgreSQL removes it, but
// not while an older transaction is open: very long transactions, such as an export or an idle
// psql session, slow busy sessions down.
//
// # PgBouncer
//
// Every call is a single transaction, so transaction pooling works. PgBouncer before 1.21, or
// with max_prepared_statements = 0, does not support prepared statements: add
// default_query_exec_mode=exec to the connection string.
//
// # Versions
//
// A schema of an earlier version is migrated with its contents. Processes that still run an
// earlier version of this package can then no longer write sessions: the server reports a
// missing function, and nothing is changed. Records that they write are indexed by the next Open.
//
// Terms and codes of records of an earlier version are outdated or missing. After Open, the store
// indexes these records again in the background, 100 in a transaction; versions do not change.
// Until then, keyword searches find them by their old terms, and their vectors are compared
// exactly. Several processes share the work, Close interrupts it, and the next Open resumes it.
// SELECT count(*) FROM workingmemory.records WHERE stale counts what is left.
//
// # Reading the tables
//
// The body of a message is JSON: SELECT seq, body::json->>'content' FROM
// workingmemory.messages WHERE body IS NOT NULL. Rows without a body are remembered ids of
// dropped messages. Texts of records are UTF-8 in bytea: SELECT convert_from(text, 'UTF8') FROM
// workingmemory.records. Do not change rows by hand. An inconsistent session is reported as a
// *session.DamagedError, and Delete removes it. If records are removed by hand, the counts in
// owners, which BM25 uses, become wrong.
package postgresstore
