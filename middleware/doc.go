// Package middleware records an agent's tool calls and renders the block for its prompts,
// independently of any framework.
//
//	           ┌──────────── Recorder (one conversation) ────────────┐
//	ToolCall ─>│ extractor.Extractor ─> memory.WorkingContext ─> block │─> system prompt
//	           └──────────────────────────────────────────────────────┘
//
// Pass finished tool calls to a Recorder and put its Block into every prompt:
//
//	rec := new(middleware.Recorder)
//	rec.Record(ctx, middleware.ToolCall{Name: "cms_getPage", Arguments: args, Result: result})
//	system := prompt.InSystem("You edit a website.", rec.Block())
//
// Or wrap the function that runs the tools in the RecordCalls middleware. A server whose
// tools serve many conversations binds each conversation's recorder to the context of
// its calls with WithRecorder.
//
// A failing or panicking extractor never breaks a tool call.
//
// The recorders of Sessions keep their entities in a stored session (package session),
// which any process with access to the store can continue. A failing store never breaks
// a tool call.
//
// With a workspace.Workspace (Options.Workspace) a recorder also puts the
// queue.ContextItems that tools return into the workspace's queue and pool, adds
// observations of the calls to its item store (Options.Item), and shows the important
// items in the block (Options.Notes).
//
// Memories from other conversations that are relevant to the user's last message are
// shown as notes, too: longterm.Memory.RecallFor fits SessionsOptions.Recall, and
// longterm.Memory.Recall can implement Options.Recall. Recorder.UpdateFocus receives the
// messages.
//
// A DecisionLog, set in Options.Decisions, explains why an id is in the block or not:
// see DecisionLog.Why. SessionLogs holds the logs of stored sessions.
package middleware
