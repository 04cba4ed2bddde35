// Package eino gives working memory to agents that are built with Eino
// (github.com/cloudwego/eino). An agent of its ADK needs one line in its configuration:
//
//	Handlers: []adk.ChatModelAgentMiddleware{eino.New(rec, nil)},
//
// The parts of a WorkingMemory, and what each of them does:
//
//	                      ┌ handler of an adk.ChatModelAgent ┬ records each call of a tool
//	                      │                                  └ shows the block at every model call
//	                      ├ ToolMiddleware ─ records each call of a compose.ToolsNode
//	New ─> WorkingMemory ─┤
//	                      ├ ModifyMessages ┐ shows the block at every model call,
//	                      └ Model          ┘ records the calls in the messages
//
// Which one to use:
//
//   - adk.ChatModelAgent and what is made of it (adk/prebuilt/deep, adk/prebuilt/supervisor,
//     adk.NewAgentTool): the WorkingMemory itself, as a handler of each agent;
//   - react.Agent: ModifyMessages as its MessageModifier, and ToolMiddleware;
//   - agents whose configuration has no handlers (adk/prebuilt/planexecute) and graphs: Model
//     around each model, and ToolMiddleware.
//
// ModifyMessages and Model work without ToolMiddleware too. Then calls are recorded from the
// messages of the next request, without their errors and durations, and the last ones of a
// conversation are not.
//
// All parts of one recorder cooperate: a call is recorded once, however many of them see it and
// however often its messages are given. In a stored session another process continues without
// recording what the model has answered; results that it has not, such as those beside an
// interrupted call, are recorded by the process that resumes, too. A request shows the block once. The caller's messages are never modified.
//
// # Order among handlers
//
// List working memory last:
//
//	Handlers: []adk.ChatModelAgentMiddleware{summarize, reduce, eino.New(rec, nil)},
//
// The last handler is closest to the tools and to the model. It records the whole result of a
// tool before adk/middlewares/reduction shortens it, and places the block after
// adk/middlewares/summarization has replaced messages. If it comes before reduction, it records
// the preview that the model sees: the beginning and the end of a result, so that most ids of a
// long one are missing. If it comes before summarization, a block that is a message of its own
// is summarized with the others, and missing in the request.
//
// ToolMiddleware in adk.ToolsConfig is outside all handlers, and thus records previews too.
//
// Between two calls of the model, an agent's messages have no block: events and the AfterAgent of
// other handlers do not show it. A checkpoint that is made while the model runs has it; the next
// request replaces it.
//
// # Calls
//
// A tool that returns an error has failed, even if another middleware turns the error into a
// result. A call that is interrupted (tool.Interrupt, tool.StatefulInterrupt, those of compose,
// or an agent within the tool) has neither succeeded nor failed. It is recorded when the run was
// resumed and the tool has returned.
//
// The parts of a streamed result are passed on as they come. The call is recorded when the
// stream ends, before its reader sees the end; an error in the stream is a failed call; a stream
// that is closed before its end is not recorded. Of an enhanced tool's result the texts are
// recorded. Images and other parts are passed on and not read.
//
// Calls of adk.TransferToAgentToolName are not recorded: they only pass control. The messages
// that Eino rewrites to text for the other agent are neither calls nor words of the user.
//
// # Handles and large results
//
// With middleware.Options.Handles, tools receive ids in place of handles, and the model sees
// handles in place of ids. With Options.Results it sees a description in place of a large result,
// which it reads with the tools of ResultTools:
//
//	Tools: append(memory.ResultTools(), tools...)
//
// The wrappers of tools change arguments and results as calls are made, so that the messages of an
// agent have what the model wrote and saw. A streamed result is then passed on at its end, in one
// part. A call with an unknown handle gets a result that says so. Model changes copies of the
// messages, and the calls in answers: the agent's messages have ids. ModifyMessages sees no
// answers, so that with handles it needs ToolMiddleware.
//
// In the order above, reduction receives the description, which is short, and leaves it alone. If
// working memory comes before it, what is stored is the preview.
//
// # Many conversations
//
// One WorkingMemory serves any number of conversations, whose contexts carry their recorders
// (middleware.WithRecorder). It is safe for concurrent use, but an adk.ChatModelAgent of Eino
// v0.9 is not: use one for each run.
//
// # Limits
//
//   - Agents of schema.AgenticMessage are not supported.
//   - With prompt.PlaceAfterPrefix, PlaceTail and PlaceAppend the block is a system message
//     behind others. Some models of eino-ext accept only one, at the beginning.
//   - If the user cancels a run immediately, Eino closes the streams of its tools. A tool that
//     then ends its stream without an error is recorded with the parts that it has sent.
//   - A handler of reduction that rewrites the arguments of old calls makes them other calls,
//     which are recorded again. The default one does not.
package eino
