// Package mcpserver serves working memory and long-term memory over the Model Context Protocol
// (MCP), and records the tool calls of other MCP servers and clients.
//
//	client ──► stdio, streamable HTTP, in memory ──► Server ──► package service
//	                                                   │            ├──► session.Manager
//	                                     Options.Tenant┘            └──► longterm.Memory
//
//	RecordCalls ──► middleware.Recorder, middleware.Sessions
//
// # A server
//
//	server, err := mcpserver.New(manager, &mcpserver.Options{Memory: memory})
//	err = server.RunStdio(ctx)                   // one client, which started the process
//	http.Handle("/mcp", server.HTTPHandler())    // any number of them
//	server.MCP()                                 // for other transports and further tools
//
// Options.Tenant decides, for each call, whose data it may use. Over HTTP its context has the
// values of the request that brought the call, so a handler around HTTPHandler can put the
// tenant of a token there.
//
// # Tools
//
// Options.Tools selects them: ToolsCore, which is the default, ToolsAll, or names. A client puts
// the list of tools into each prompt, so schemas are short: TestTokensOfToolLists limits both
// sets.
//
// The core:
//
//	begin_turn        query, limit → the summary, the block and the memories that match
//	remember          query, limit → memories, best first
//	memorize          text, topics, memory_type, event_date
//	forget            memory_ids
//	record_tool_call  name, arguments, result or error; id, handles, store_results
//	                  → the entities, or the result as the model is to see it
//	get_block         budget, handles → the [WORKING MEMORY] block
//	append_messages   messages; ttl_seconds, model_name, context_window_max
//
// The rest. Those that agent-memory-server has too share its names, and return JSON:
//
//	get_working_memory, set_working_memory, summarize_working_memory, get_context_usage
//	search_long_term_memory, get_long_term_memory, create_long_term_memories,
//	edit_long_term_memory, delete_long_term_memories, compact_long_term_memories,
//	forget_memories
//	memory_prompt, get_current_datetime
//	decode_arguments, read_result, list_results: of the core if Options.Recording gives
//	handles or stores results
//
// All take namespace and user_id, and those of a session session_id. Without a session_id they
// mean the own session of the client: see Options.SessionID. Searches take namespace and user_id
// among their filters, an object such as {"topics": ["tea", "food"], "event_date": {"gte": "2026-01-01"}}.
//
// Unknown arguments, filters and roles, an empty session_id and a missing result are mistakes. A
// mistake is a failed call rather than a protocol error, so that the model sees it and can correct
// it; the text names the argument and the choices.
//
// A result is one text: a short form for the model, or JSON. It has no structured content, which
// the protocol makes optional and recommends to repeat in the text for clients that do not read
// it: the same JSON would be sent twice, and clients differ in which of the two the model sees.
// For the same reason tools have no output schemas. An empty result, such as the block of a new
// session, has no content.
//
// # Resources and a prompt
//
//	memory://session/block                                            text/plain
//	memory://sessions/{session_id}/block{?namespace,user_id,budget}   text/plain
//	memory://sessions/{session_id}/entities{?namespace,user_id}       application/json
//
// The first is the block of the client's own session. Session ids, namespaces and users are
// percent-encoded. The prompt begin_turn, with query and session_id, is what the tool returns,
// followed by the query.
//
// # Bounds
//
// A call ends after Options.Timeout, or with the HTTP request that brought it. At most
// Options.MaxCalls run at once for all clients together, of tenants in turn. An HTTP request has
// at most Options.MaxBodyBytes and 100 messages, must arrive within Options.BodyTimeout, may be
// refused by Options.Count, and counts against the memory of all requests with its arguments,
// what its calls read, and their results: see Server.HTTPHandler. A line on standard input has
// at most Options.MaxBodyBytes; a longer line, or one that is not a message, is answered with an
// error and skipped. The values of arguments are checked by the same rules as in package rest.
//
// # Recording calls of other servers
//
// RecordCalls is a middleware, for a client or for a server, that records the entities of tool
// results in a recorder or in a stored session.
//
//	client.AddSendingMiddleware(mcpserver.RecordCalls(mcpserver.Recording{Recorder: rec}))
//
// If the recorder has handles or stores results, the tools get ids and the model sees handles.
package mcpserver
