// Package driver defines what an index of long-term memory implements. A program that uses
// a longterm.Memory only needs an index to pass to longterm.New.
//
//	longterm.Memory ──► Index ◄── memindex, SQLite, PostgreSQL, a vector store
//	                      │           of langchaingo, one of your own
//	   Lookup ────────────┤──► Entry: a Record, with its version, terms and vector
//	   RecordChange ──────┤
//	   Search ────────────┴──► HitPage
//	     Scope                   whose records
//	     RecordFilter            which of them
//	     Mode, Order, Ranking    in which order
//
// # Implementing an Index
//
// Index documents the contract; package drivertest tests it and has benchmarks. An index
// needs no policy: it compares versions and hashes, applies RecordFilter.Matches or the
// equivalent in its query language, and ranks like Rank, which it may call. The records that
// it receives from a Memory are validated and have an id, an owner, a type, a hash and all
// times except EventDate. A hash is any text, unique among those of an owner after each Write:
// within one Write, it may move from one record to another. Search.Check returns the error of
// an invalid search.
//
// An index without full-text search keeps Entry.Terms and scores them by BM25. An index without
// vector search compares vectors with Similarity. Rank combines both and selects the page.
// Package memindex is the simplest example; adapters/store/sqlitestore,
// adapters/store/postgresstore and adapters/langchain have indexes on real engines.
package driver
