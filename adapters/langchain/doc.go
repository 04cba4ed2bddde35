// Package langchain connects working memory with the parts of langchaingo
// (github.com/tmc/langchaingo): its tools, agents, models, chains and prompts.
//
//	            ┌ Tool   ─ records each call, failing ones too
//	            │ Agent  ─ wraps the agent's tools, shows the block at every step
//	New(rec) ───┤ Model  ─ shows the block at every model call, records native tool calls
//	            │ Memory ─ shows the block to a chain, beside another schema.Memory
//	            └ SystemMessage, Prompt ─ templates that carry the block as a value
//
// Which one to use:
//
//   - an agent run by agents.Executor: Agent alone does everything;
//   - a loop of your own around llms.Model: Model alone does everything but
//     see errors; add Tool, or middleware.RecordCalls, for those;
//   - a chain without tools: Memory, with a prompt that names its variable, or Model.
//
// The wrappers of one WorkingMemory work together: whichever of them see a tool
// call, it is recorded once, and a prompt shows the block once. Wrappers of two
// WorkingMemory values know nothing of each other.
//
// # Windows
//
// Window stands on its own: the last messages of a conversation, in a
// queue.Queue, as a schema.ChatMessageHistory or a chain's schema.Memory. Give it
// to Memory as the inner memory to have the block beside it. Summarizer lets a model
// summarise for it, for an items.Store, and for stored sessions.
//
// # Stored sessions
//
// SessionMemory is a conversation in a store of package session: its messages, the summary
// of those that left and the block, as a schema.ChatMessageHistory and a
// schema.Memory. A chain goes on where another process stopped:
//
//	                  ┌ History, Messages, Memory ─┐
//	NewSessionMemory ─┤                            ├─> session.Manager ─> driver.Store
//	                  └ WorkingMemory: Agent, Tool ┘
//
// What tools did in a turn is kept as it happens, as entities and as messages, also
// where the chain fails or the process ends before the model has answered.
//
// # Long-term memory
//
// NewEmbedder and NewModel give a longterm.Memory, and what promotes to it, langchaingo's
// embedders and models; NewVectorIndex lets one of its vector stores find what is near:
//
//	embeddings.Embedder ─> Embedder ─┬────> longterm.Memory
//	vectorstores.VectorStore <───────┘            │
//	       └──────────> VectorIndex <─────────────┘
//	driver.Index ────────┘
//
// What is remembered comes into prompts by the recorder (middleware.Options.Recall, or
// Recall of the SessionsOptions in SessionMemoryOptions.Recorder): at each step of an agent,
// call of a model, or loading of a Memory, for the user's last words, once for the same.
//
// # Many conversations
//
// A WorkingMemory has one recorder, or none: then each call's context carries
// its session's recorder (middleware.WithRecorder), and one set of wrapped tools,
// agents and models serves any number of sessions. A recorder in the context
// always wins. Without any recorder everything behaves as if it were not wrapped.
//
// # Template safety
//
// The names in a block were written by strangers. As the value of a variable
// they are inert; as part of a template's source, {{env "SECRET"}} in a page's
// title would read the environment. Never concatenate a block into a template,
// which includes agents.WithPromptPrefix and its kin: name the variable there
// ({{.working_memory}}) or let Agent or Model place the block.
//
// # Facts about langchaingo v0.1.14 that shaped this package
//
//   - agents.Executor uses its memory only when it is run by chains.Call, Run or
//     Predict, once per run, and takes nothing but strings from it. The stock
//     prompts name no variable of a memory, except {{.history}} in the
//     conversational agent's.
//   - It calls no HandleToolStart or HandleToolEnd, and a tool's error ends the
//     run with the steps so far lost; what a wrapped tool returned before stays recorded.
//   - agents.OpenAIFunctionsAgent streams to the chain option WithStreamingFunc or
//     WithCallback of the run only, never to its own CallbacksHandler.
//   - Some providers (cohere, ernie, huggingface, local, palm, watsonx) read
//     only the first part of the first message: see Options.SingleMessage. The
//     anthropic one reads only the first part of a system message, the googleai
//     ones only the last system message: so the block joins the existing one's text.
package langchain
