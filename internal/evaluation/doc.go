// Package evaluation measures reference survival: how well working memory
// serves recorded agents, offline and without a model.
//
//	traces ──> Episodes ──> Episode ─┬─> references.go   which ids each call needed
//	(JSONL)    reader.go             │                        │
//	                                 └─> Method: a Memory ──> block ──> score.go ──> Figures
//	                                     working.go, seed.go,  │          │
//	                                     floor.go, raw.go      │          ├> misses.go: the reasons
//	                                                           │          └> precision.go: ids shown and not used
//	                                                           ├> named.go: records that the user names
//	                                                           ├> prefix.go: prompt cache reuse
//	                                                           └> shown.go: handles and stored results
//
// A reference is an identifier-like argument of a tool call that an earlier tool
// result of the episode contained and the user did not type. Memory is good if the
// block before the call still shows it (coverage), under a type that fits (typed),
// with facts of its record (described) that differ from those of its neighbours
// (distinct), in few tokens. An id counts as shown if its handle is. The floor is the coverage of a bare list of all ids of
// the same size.
//
// The figures are defined by a reference scorer in Python. Because results are
// read by internal/document here, the figures may differ from the scorer's by 0.01
// or two references.
package evaluation
