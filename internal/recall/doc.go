// Package recall measures how well long-term memory is searched, offline and without a
// model, on a labelled set of memories and questions of our own making.
//
//	memories.jsonl, queries.jsonl ──> Load ──> Set ──> Measure(an index) ──> Figures
//	                                  set.go           measure.go            score.go
//
// Each question has a scope, mostly one user, often a filter, and the memories that
// answer it. The others are there to be taken for them: those of other users that say
// nearly the same, and those of other times that say the opposite.
//
// The vectors are those of ngrams.Embedder, which knows letters and no meanings:
// what they find is a floor of what the vectors of a model do.
package recall
