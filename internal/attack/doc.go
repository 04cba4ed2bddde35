// Package attack holds what strangers may write, for tests and benchmarks: documents of any
// size that take a reader long, and tool calls that aim at what a memory knows.
//
//	formats.go    what is around a text: every format that a tool result may have
//	fillings.go   what is in it: pieces that make a reader look far, or often
//	generator.go  each format with each filling
//	calls.go      payloads that try to rename, push out, forge or command
//	carriers.go   where in the results of tools people write
package attack
