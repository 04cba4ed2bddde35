// Package middleware is the pipeline between an agent and its tools, without a framework.
//
//	           ┌──────────── Recorder (one conversation) ────────────┐
//	ToolCall ─>│ extractor.Extractor ─> memory.WorkingContext ─> block │─> system prompt
//	           └──────────────────────────────────────────────────────┘
//
// Hand finished tool calls to a Recorder and put its Block into every prompt:
//
//	rec := new(middleware.Recorder)
//	rec.Record(ctx, middleware.ToolCall{Name: "cms_getPage", Arguments: args, Result: result})
//	system := prompt.InSystem("You edit a website.", rec.Block())
//
// Or wrap what runs the tools in the RecordCalls middleware. A server whose tools
// serve many conversations binds each conversation's recorder to the context of
// its calls by WithRecorder.
//
// A failing or panicking extractor never breaks a tool call.
//
// The recorders of Sessions keep their entities in a stored session (package
// session): any process that works on the store goes on with them, and a failing
// store breaks no tool call either.
//
// With a workspace.Workspace (Options.Workspace) it also puts the queue.ContextItems that
// tools return into the workspace's queue and pool, feeds its item store with
// observations of the calls (Options.Item), and shows what of them is important in
// the block (Options.Notes).
//
// What was remembered beyond the conversation, and bears on what the user said last,
// comes into the block as notes, too: longterm.Memory.RecallFor is a SessionsOptions.Recall,
// and longterm.Memory.Recall answers what an Options.Recall asks. Recorder.UpdateFocus
// takes in what is said.
//
// A DecisionLog, given in Options.Decisions, answers why an id is in the block
// or is not: DecisionLog.Why. SessionLogs hold those of stored sessions.
package middleware
