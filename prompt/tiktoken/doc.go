// Package tiktoken counts tokens exactly, as OpenAI's models do. Its counters
// are prompt.TokenCounters:
//
//	New("o200k_base")  ─┐                        ┌ part.go      splits long texts
//	                    ├─▶ Counter.CountTokens ─┤
//	ForModel("gpt-4o") ─┘                        └ encoding.go  patterns and ranks
//
// The encodings are embedded in the program, compressed to 1.8 MB in all. Nothing
// is downloaded, and the global state of the tiktoken-go package is neither used
// nor changed. The first count loads the encoding, which takes some tenths of a
// second and some tens of megabytes: make one Counter per encoding and share it.
package tiktoken
