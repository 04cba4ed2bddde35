// Package evaluation measures how well working memory works, offline and without
// a model, on recorded traces of agents: reference survival.
//
//	traces ──> Episodes ──> Episode ─┬─> references.go   which ids each call needed
//	(JSONL)    reader.go             │                        │
//	                                 └─> Method: a Memory ──> block ──> score.go ──> Figures
//	                                     working.go, seed.go,  │          │
//	                                     floor.go, raw.go      │          ├> misses.go: and why not
//	                                                           │          └> precision.go: what was shown for nothing
//	                                                           └> prefix.go: prompt cache reuse
//
// A reference is an identifier-like argument of a tool call that an earlier tool
// result of the episode contained and the user did not type. Memory is good when
// the block before the call still shows it (coverage), under a type that fits
// (typed), with words that say something of it (described) and differ from those
// of its neighbours (distinct), in few tokens. The floor is what a bare list of
// all ids covers in the same room.
//
// A Python program defines the figures. Results are read by internal/document,
// and so the figures agree with that program's within 0.01 or two references.
package evaluation
