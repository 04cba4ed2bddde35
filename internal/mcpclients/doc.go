// Package mcpclients tests wmem with the official MCP clients for TypeScript: the SDK and the
// Inspector, over standard input and output and over HTTP; and shows what an agent sees of the
// official servers behind wmem mcp proxy.
//
//	testdata/package.json   their versions
//	testdata/client.mjs     a client of the SDK, which prints what it received
//	testdata/blocks         calls to a server and the block after them
//
// The tests run where WORKINGMEMORY_TEST_MCP_CLIENTS names a directory in which npm ci has
// installed the packages of testdata.
package mcpclients
