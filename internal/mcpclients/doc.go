// Package mcpclients tests wmem with the official MCP clients for TypeScript: the SDK and the
// Inspector, over standard input and output and over HTTP.
//
//	testdata/package.json   their versions
//	testdata/client.mjs     a client of the SDK, which prints what it received
//
// The tests run where WORKINGMEMORY_TEST_MCP_CLIENTS names a directory in which npm ci has
// installed the packages of testdata.
package mcpclients
