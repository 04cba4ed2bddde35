// Package driver has what an index of long-term memory implements. A program that uses
// a longterm.Memory needs nothing of it but an index to give to longterm.New.
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
// The contract is documented at Index; package drivertest proves it, and measures. An
// index needs no policy: it compares versions and hashes, applies RecordFilter.Matches or
// the same in its own language, and ranks as Rank does, which it may use. What it receives
// from a Memory is checked, and has an id, an owner, a type, all times but EventDate and a
// hash. A hash is any text, unique among those of an owner when a Write is done: within
// one Write it may move from one record to another. Search.Check returns the error of
// a search that is out of bounds.
//
// An index that has no full-text search keeps Entry.Terms, and scores them by BM25; one that
// has no search by vectors compares them by Similarity. Rank makes the scores and the page
// of both. Package memindex is the plainest example; indexes on real engines are in
// adapters/store/sqlitestore, adapters/store/postgresstore and adapters/langchain.
package driver
