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
// Tools that agent-memory-server also has share its names and arguments.
//
// Working memory. All take a session_id and, where needed, namespace and user_id:
//
//	get_working_memory        recent_messages_limit, model_name, context_window_max
//	                          → the session; empty if it does not exist
//	set_working_memory        messages, memories, context, data, ttl_seconds,
//	                          long_term_memory_strategy, model_name, context_window_max
//	                          → the session, replaced except for its entities
//	append_messages           messages, ttl_seconds, model_name, context_window_max
//	                          → version, tokens and percentages
//	record_tool_call          name, arguments, result, error, id, handles, store_results
//	                          → entities, removed, shown
//	decode_arguments          arguments → arguments, with ids in place of handles
//	list_results              → text: the stored results
//	read_result               handle; path, query, offset, limit → text
//	get_block                 budget, handles → block
//	get_context_usage         model_name, context_window_max
//	                          → tokens, window and percentages; numbers of messages,
//	                            memories and entities
//	summarize_working_memory  → status, messages, tokens
//
// Long-term memory. All take namespace and user_id where needed:
//
//	memorize                    text, memory_type, topics, session_id, event_date → status, id
//	remember                    query, limit → memories, total, next_offset
//	forget_memories             memory_ids; or policy, session_id, limit; pinned_ids, dry_run
//	                            → scanned, deleted, deleted_ids, dry_run
//	create_long_term_memories   memories, deduplicate → status, ids
//	search_long_term_memory     text, search_mode, filters, limit, offset and more
//	                            → memories, total, next_offset
//	get_long_term_memory        memory_id → the memory
//	edit_long_term_memory       memory_id, text, topics, entities, memory_type, session_id,
//	                            event_date, pinned → the memory
//	delete_long_term_memories   memory_ids → status, deleted
//	compact_long_term_memories  → status, remaining
//
// For a turn of the conversation:
//
//	memory_prompt         query; session_id, namespace, user_id, each a text or a filter;
//	                      model_name, context_window_max, include_long_term_search, and for
//	                      the search search_mode, filters, limit, offset and more
//	                      → messages, long_term_memories
//	get_current_datetime  → iso_utc, unix_ts
//
// Each result has structured content, whose schema is listed, and a text: a short form for the
// model, or the same JSON where the result is large. A mistake in the arguments is a failed
// call rather than a protocol error, so that the model sees it and can correct it; the text
// names the argument and the problem.
//
// # Resources
//
//	memory://sessions/{session_id}/block{?namespace,user_id,budget}   text/plain
//	memory://sessions/{session_id}/entities{?namespace,user_id}       application/json
//
// Session ids, namespaces and users are percent-encoded.
//
// # Bounds
//
// A call ends after Options.Timeout, or with the HTTP request that brought it. At most
// Options.MaxCalls run at once for all clients together, of tenants in turn. An HTTP request has
// at most Options.MaxBodyBytes and 100 messages, must arrive within Options.BodyTimeout, may be
// refused by Options.Count, and counts against the memory of all requests with its arguments,
// what its calls read, and their results: see Server.HTTPHandler. A line on standard input has at most Options.MaxBodyBytes; a longer
// line, or one that is not a message, is answered with an error and skipped. Arguments are
// checked by the same rules as in package rest.
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
