// Package mcpproxy adds working memory to any server of the Model Context Protocol (MCP), for any
// client: it passes the messages between them and records each tool call.
//
//	client ◄──► Stream ◄──► Run ◄──► Command   a child process, over standard input and output
//	                         │       HTTP      a URL, over streamable HTTP
//	                         ▼       Hub       several of these
//	                 middleware.Recorder
//
// The command wmem mcp proxy is this package with a stored session:
//
//	server, err := mcpproxy.Start(exec.Command("npx", "-y", "@modelcontextprotocol/server-memory"), 0)
//	client := mcpproxy.NewStream(os.Stdin, os.Stdout)
//	err = mcpproxy.Run(ctx, sessions.Recorder(key), client, server, nil)
//
// # What passes
//
// Messages pass byte for byte: methods of any version of the protocol, requests of the server,
// notifications, and lines that are no messages. What Run changes is spliced into the bytes of a
// message:
//
//	initialize, server/discover   the capabilities tools and resources, if missing
//	tools/list, resources/list    own entries, on the last page; the lists of a server that does
//	                              not know the method, and resources/templates/list, are made up
//	tools/call, resources/read    answered for own tools and the own resource
//
// With the further features of the recorder and Options, also
//
//	Options.ResultBlock           the results of tools get the block as a content
//	Handles of the recorder       the arguments of tools get ids, and results handles
//	Results of the recorder       long results become a description
//
// and with handles or stored results, tools are listed without output schemas, because results may
// not match them.
//
// # What is recorded
//
// Each call of a tool is recorded once, when it is answered: its structured content, its texts, or
// both where neither repeats the other (see middleware.ResultOf). A result with isError, an error of the protocol, and a call that the client cancels or that
// is never answered are failed calls. A result that asks for input is not recorded, nor is the
// answer that a task was begun; the task's result is. Answers do not wait for the recording unless
// it changes them; then they wait at most Options.RecordTimeout. If 1,024 calls or 64 MiB wait to be
// recorded, further ones are not. The block that a client asks for shows all calls that were
// answered before.
//
// Not recorded are messages of more than MaxRecorded bytes, which are copied as they arrive, and
// batches, which only version 2025-03-26 of the protocol has.
package mcpproxy
