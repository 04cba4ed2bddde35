// Package mcpserver gives agents their memory over the Model Context Protocol, and records the
// tool calls of MCP servers and clients.
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
//	err = server.RunStdio(ctx)                   // one client, that started the process
//	http.Handle("/mcp", server.HTTPHandler())    // any number of them
//	server.MCP()                                 // for other transports, and tools of one's own
//
// Who may use what is said by Options.Tenant, with each call: over HTTP it is given a context
// that has the values of that very request, in which a handler around HTTPHandler may have
// put the tenant of its token.
//
// # Tools
//
// Those that agent-memory-server has are called as there, and take what they take there.
// Working memory, of a session_id, with namespace and user_id where they are needed:
//
//	get_working_memory        recent_messages_limit, model_name, context_window_max
//	                          → the session; one that is not there is empty
//	set_working_memory        messages, memories, context, data, ttl_seconds,
//	                          long_term_memory_strategy, model_name, context_window_max
//	                          → the session; all of it is replaced, but for its entities
//	append_messages           messages, ttl_seconds, model_name, context_window_max
//	                          → version, tokens and percentages
//	record_tool_call          name, arguments, result, error, id → entities, removed
//	get_block                 budget → block
//	get_context_usage         model_name, context_window_max
//	                          → tokens, window and percentages; numbers of messages,
//	                            memories and entities
//	summarize_working_memory  → status, messages, tokens
//
// Long-term memory, with namespace and user_id where they are needed:
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
// And for a turn:
//
//	memory_prompt         query; session_id, namespace, user_id, each as a text or as a filter;
//	                      model_name, context_window_max, include_long_term_search, and of a
//	                      search search_mode, filters, limit, offset and more
//	                      → messages, long_term_memories
//	get_current_datetime  → iso_utc, unix_ts
//
// Each answer is structured content of a schema that is listed, and a text: of the tools that
// return much the same as JSON, else what a model needs of it. What goes wrong is a failed
// call, so that a model may do better: its text says what is wrong with which argument.
//
// # Resources
//
//	memory://sessions/{session_id}/block{?namespace,user_id,budget}   text/plain
//	memory://sessions/{session_id}/entities{?namespace,user_id}       application/json
//
// Session ids, namespaces and users are percent-encoded in them.
//
// # Bounds
//
// A call ends after Options.Timeout, and with the HTTP request that brought it. At most
// Options.MaxCalls run at once, whoever makes them. HTTP requests have at most
// Options.MaxBodyBytes and 100 messages, which Options.Count may refuse, and
// Options.BodyTimeout to arrive. Arguments are checked as those of package rest. A line on
// standard input has as many bytes at most; what is longer, or no message, is answered with
// an error and passed over.
//
// # Calls of other servers
//
// RecordCalls gives the entities that any MCP server returns to a recorder, or to a stored
// session: in the client, or in the server itself.
//
//	client.AddSendingMiddleware(mcpserver.RecordCalls(mcpserver.Recording{Recorder: rec}))
package mcpserver
