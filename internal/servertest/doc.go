// Package servertest holds tests of the server as a process: wmem serve is built, started and
// asked over HTTP, as any client would. They are written from the contract of the API, and so
// know no type of this module: bodies are JSON as text.
//
//	main     builds the program, once
//	process  starts it, finds its address, reads its logs, ends it
//	caller   sends requests, and checks the shape of each answer
//	shape    what clients demand of an answer
//	stores   where sessions and memories are kept
//
// The go command does not know that the tests build the program: to have them run after a
// change of it, and not read "(cached)", give -count=1 or -shuffle=on.
//
// The conformance suite runs on each store. Those that need Redis or PostgreSQL start servers
// of their own where WORKINGMEMORY_TEST_REDIS or WORKINGMEMORY_TEST_POSTGRES is set.
package servertest
