// Package servertest tests the server as a process: it builds and starts wmem serve and sends
// HTTP requests, as any client would. The tests follow the documented API rather than the types
// of this module: bodies are JSON text. The rules of the API are tested in their own packages;
// here is what needs a process, a network, several stores or the requests of an official client.
//
//	main     builds the program once
//	process  starts it, finds its address, reads its logs, stops it
//	caller   sends requests and checks the shape of each answer
//	shape    what official clients require of an answer
//	stores   checks on every store, and the requests of official clients on one
//
// The go command does not know that the tests build the program: use -count=1 or -shuffle=on to
// run them again after a change to it.
//
// Tests that need Redis or PostgreSQL start their own servers if WORKINGMEMORY_TEST_REDIS or
// WORKINGMEMORY_TEST_POSTGRES is set.
package servertest
