// Package recall measures search in long-term memory, offline and without a model, on a
// labelled set of memories and questions made for it.
//
//	memories.jsonl, queries.jsonl ──> Load ──> Set ──> Measure(an index) ──> Figures
//	                                  set.go           measure.go            score.go
//
// Each question has a scope, usually one user, often a filter, and the memories that
// answer it. The other memories are there to be confused with these: nearly the same
// facts of other users, and the opposite facts of other times.
//
// The vectors are those of ngrams.Embedder, which knows letters and no meanings.
// Their figures are a lower bound for the vectors of a model.
package recall
