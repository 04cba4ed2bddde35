// Package memindex is an index of long-term memory in the process, for tests and small
// programs: its records are gone with the process.
//
//	m, err := longterm.New(memindex.New(nil), nil)
//
// Each owner's records are apart from those of others, found by all that a search uses:
//
//	Index ──► owner ─┬─► entries, each in a slot, and by hash
//	                 ├─► postings: the slots of a term, for BM25
//	                 └─► vectors: one array for each model and dimension
package memindex
