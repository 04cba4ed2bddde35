// Package adk connects working memory with ADK for Go (google.golang.org/adk).
//
// A WorkingMemory has a plugin for ADK's runner. One line adds it:
//
//	r, err := runner.New(runner.Config{
//		AppName: "cms", Agent: editor, SessionService: service,
//		PluginConfig: runner.PluginConfig{Plugins: []*plugin.Plugin{adk.New(rec, nil).Plugin()}},
//	})
//
// The runner calls it for all agents of its tree:
//
//	session.Service ──> events ──> BeforeModel ── records the calls in the events that are new,
//	       ^                           │          and shows the block to the model
//	       │                           v
//	       │                         model ──> calls
//	       │                                     │
//	       │                                 BeforeTool ── ids in place of handles
//	       │                                     │
//	       │            AfterTool, OnToolError <─┴── tools ── records each call when it ends
//	       │                           │
//	       └── OnEvent <───────────────┘ ── records results that neither of them saw,
//	                                        such as those of streaming tools
//
// Together they record a call once, also one that the tool records itself, as an MCP client with
// mcpserver.RecordCalls does. The events alone are enough for sessions that began without the
// plugin, for results that come from the user's program, and for tools that ADK runs without
// callbacks. They show which results are still to come; the contents of a request do not. Blocks
// are in requests only, never in a session.
//
// # Recorders
//
// The recorder of a call is that of its context (middleware.WithRecorder), or else the one that
// Options.Recorder returns, or else that of New. InSessions is an Options.Recorder for servers:
// it gives each session of ADK a stored session of its own.
//
//	memory := adk.New(nil, &adk.Options{Recorder: adk.InSessions(sessions)})
//
// All agents of a session share its memory: those that a transfer, a task, or a parallel or
// sequential agent runs.
//
// # Agents as tools
//
// Package agenttool runs an agent in a session and a runner of its own, which has no plugins. Give
// such an agent the callback of the same WorkingMemory:
//
//	writer, err := llmagent.New(llmagent.Config{
//		Name: "writer", Model: model, Tools: tools,
//		BeforeModelCallbacks: []llmagent.BeforeModelCallback{memory.BeforeModel},
//	})
//
// It records the calls of an agent before the agent's next request, without their duration, and
// not those after which no request follows. The memory is that of the calling session, also with
// InSessions. An agent may have both the callback and the plugin.
//
// With handles, give such an agent the other callback, too:
//
//	BeforeToolCallbacks: []llmagent.BeforeToolCallback{memory.BeforeTool},
//
// # Handles and large results
//
// With middleware.Options.Handles, tools receive ids in place of handles, and the model sees
// handles in place of ids. With Options.Results it sees a description in place of a large result,
// which it reads with the tools of ResultTools:
//
//	Tools: append(memory.ResultTools(), tools...)
//
// BeforeTool changes arguments in place, as ADK provides for. The events of a session have what the
// model wrote and saw, and so have their readers: middleware.Recorder.Decode turns handles back, in
// the question of a confirmation for example. Callbacks after a tool still receive what it
// returned. Without the plugin, events have results as they are, and ids in place of handles in
// arguments if the session service keeps them in memory; requests have handles. A call with an
// unknown handle gets an error as its result.
//
// # Order
//
// Let the plugin be the first of the runner's: a plugin that answers ends the chain, and those
// behind it are not called. Behind a plugin that replaces results, the plugin records the
// replacement; behind one that answers errors, the answer and no failure. Behind one that answers
// for the model it is not called, nor is the model. As the first plugin it records what the tool
// returned, or what another plugin returned in place of the tool. If another plugin answers the
// error of a tool, it records the failure and not the answer.
//
// Arguments are recorded as the tool received them, so that other plugins may change them in any
// order.
//
// # Suspended calls
//
// A call that waits for a confirmation is not recorded until the tool has run; one that the user
// rejects has failed. The result of a long-running tool is taken as pending, and is not recorded
// unless it is an error. Responses that the user's program sends later are recorded, each once.
//
// # Limits
//
//   - ADK decodes results as JSON with floating point numbers. Integer ids from 2^53 lose digits,
//     for the model too: return them as text.
//   - A map whose only key is error has failed, as ADK makes such maps of errors. One whose only key
//     is result or output is what that key has.
//   - Calls that ADK runs without tool callbacks, those of streaming tools, have no duration.
//   - RunLive calls no model callbacks: calls are recorded, but the block is not shown, and there
//     are no handles. Results that streaming tools send during a live session are not recorded.
//   - A streaming tool that is confirmed by the user receives handles as they are.
package adk
