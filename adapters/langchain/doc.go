// Package langchain connects working memory with the parts of langchaingo
// (github.com/tmc/langchaingo): its tools, agents, models, chains and prompts.
//
//	            ┌ Tool   ─ records each call, including failed ones
//	            │ Agent  ─ wraps the agent's tools, shows the block at every step
//	New(rec) ───┤ Model  ─ shows the block at every model call, records native tool calls
//	            │ Memory ─ shows the block to a chain, beside another schema.Memory
//	            └ SystemMessage, Prompt ─ templates that carry the block as a value
//
// Which one to use:
//
//   - an agent run by agents.Executor: Agent alone is enough;
//   - a custom loop around llms.Model: Model does everything except see errors;
//     add Tool, or middleware.RecordCalls, for those;
//   - a chain without tools: Memory, with a prompt that names its variable, or Model.
//
// All wrappers on one recorder cooperate: a tool call is recorded once, however many of
// them see it, and a prompt shows the block once. Only those of one WorkingMemory recognize
// an earlier block that a template has written into a prompt.
//
// # Windows
//
// Window is independent of the above: it holds the last messages of a conversation in
// a queue.Queue, as a schema.ChatMessageHistory or a chain's schema.Memory. Pass it to
// Memory as the inner memory to have the block beside it. providers.Summarizer
// summarizes with a model for a Window, an items.Store or stored sessions.
//
// # Stored sessions
//
// SessionMemory is a conversation in a store of package session: its messages, the summary
// of evicted messages and the block, as a schema.ChatMessageHistory and a
// schema.Memory. A chain continues where another process stopped:
//
//	                  ┌ History, Messages, Memory ─┐
//	NewSessionMemory ─┤                            ├─> session.Manager ─> driver.Store
//	                  └ WorkingMemory: Agent, Tool ┘
//
// Tool calls are stored as they happen, as entities and as messages, even if the chain
// fails or the process ends before the model answers.
//
// # Long-term memory
//
// Package providers adapts langchaingo's models, embedders and vector stores to
// longterm.Memory, its promoters and the summaries of sessions.
//
// The recorder recalls memories into prompts (middleware.Options.Recall, or Recall of the
// SessionsOptions in SessionMemoryOptions.Recorder): whenever an agent plans, a model is
// called or a Memory is loaded and the user has said something new.
//
// # Short handles and large results
//
// With middleware.Options.Handles or Results, the wrappers show the model handles in place of
// long ids and descriptions in place of large results, and give tools the ids: Tool does at each
// call, Agent also where a program runs the tools itself, and Model for native tool calls, so that
// the messages of a program have ids. Give agents ResultTools with Results. SessionMemory stores
// ids, and its variables show handles. A model's answer in text, and what it streams, keep
// handles: see middleware.Recorder.Decode.
//
// # Many conversations
//
// A WorkingMemory has one recorder or none. Without one, each call's context carries
// its session's recorder (middleware.WithRecorder), and one set of wrapped tools,
// agents and models serves any number of sessions. A recorder in the context
// always takes precedence. Without any recorder the wrappers change nothing.
//
// # Template safety
//
// The names in a block are untrusted. As the value of a variable they are inert;
// as part of a template's source, {{env "SECRET"}} in a page's title would read the
// environment. Never concatenate a block into a template, including through
// agents.WithPromptPrefix and similar options: name the variable there
// ({{.working_memory}}) or let Agent or Model place the block.
//
// # Constraints of langchaingo v0.1.14
//
//   - agents.Executor uses its memory only when it is run by chains.Call, Run or
//     Predict, once per run, and accepts only strings from it. The stock prompts
//     name no memory variable, except {{.history}} in that of the conversational
//     agent.
//   - agents.Executor calls neither HandleToolStart nor HandleToolEnd. A tool's error
//     ends the run and discards its steps; calls of wrapped tools stay recorded.
//   - agents.OpenAIFunctionsAgent streams only to the WithStreamingFunc or
//     WithCallback option of the run, never to its own CallbacksHandler.
//   - Some providers (cohere, ernie, huggingface, local, palm, watsonx) read
//     only the first part of the first message: see Options.SingleMessage. The
//     anthropic provider reads only the first part of a system message, googleai only
//     the last system message, so the block is appended to the existing one's text.
package langchain
