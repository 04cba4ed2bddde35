// Package memindex is an in-process index of long-term memory, for tests and small programs.
// Its records are lost when the process ends.
//
//	m, err := longterm.New(memindex.New(nil), nil)
//
// Records are kept per owner, in the structures that searches use:
// Each owner's records are apart from those of others, found by all that a search uses:
//
//	Index ──► owner ─┬─► entries, each in a slot, and by hash
//	                 ├─► postings: the slots of a term, for BM25
//	                 └─► vectors: one array for each model and dimension
package memindex
