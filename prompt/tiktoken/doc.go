// Package tiktoken counts tokens exactly, as OpenAI's models do. Its counters
// are prompt.TokenCounters:
//
//	New("o200k_base")  ─┐                        ┌ part.go      cuts what is long
//	                    ├─▶ Counter.CountTokens ─┤
//	ForModel("gpt-4o") ─┘                        └ encoding.go  patterns and ranks
//
// The encodings are embedded in the program (about 7 MB, all four); nothing is
// ever downloaded, and no state of the tiktoken-go package is used or changed.
// An encoding is loaded at the first count, which takes some tenths of a second
// and some tens of megabytes: make one Counter per encoding and share it.
package tiktoken
