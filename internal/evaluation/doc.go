// Package evaluation measures how well working memory works, offline and without
// a model, on recorded traces of agents: reference survival.
//
//	traces ──> Episodes ──> Episode ─┬─> references.go   which ids each call needed
//	(JSONL)    reader.go             │                        │
//	                                 └─> Method: a Memory ──> block ──> score.go ──> Figures
//	                                     working.go, seed.go,  │          │
//	                                     naive.go, raw.go      │          ├> misses.go: and why not
//	                                                           │          └> precision.go: what was shown for nothing
//	                                                           └> prefix.go: prompt cache reuse
//
// A reference is an identifier-like argument of a tool call that an earlier tool
// result of the episode contained and the user did not type. Memory is good when
// the block before the call still shows it (coverage), under a type that fits
// (typed), with words that tell it apart (described), in few tokens.
//
// The definition is a Python program's; the package pydata reads data as that
// program does, so that the figures agree to the last digit.
package evaluation
