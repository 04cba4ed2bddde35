package wire

import "github.com/go-workingmemory/workingmemory/memory"

// Message is a message of a conversation, in requests and answers.
type Message struct {
	Role    string `json:"role" wire:"required" jsonschema:"who speaks: user, assistant, system, tool, or any other text"`
	Content string `json:"content" wire:"required" jsonschema:"the text"`
	// ID is made, a ULID, where it is missing.
	ID string `json:"id,omitempty" jsonschema:"identifies the message in its session; made where it is missing"`
	// CreatedAt is now where it is missing, which a header warns of.
	CreatedAt   *Time `json:"created_at,omitzero" jsonschema:"when the message came about; now where it is missing"`
	PersistedAt *Time `json:"persisted_at" jsonschema:"when it went into long-term memory; null: not yet"`
	// Extracted is "t" or "f", as clients of agent-memory-server expect it.
	Extracted  Flag       `json:"discrete_memory_extracted,omitempty" jsonschema:"whether memories were extracted from it: t or f"`
	Name       string     `json:"name,omitempty" jsonschema:"of the speaker, or of the function that a result is of"`
	Reasoning  string     `json:"reasoning,omitempty" jsonschema:"what a model thought before it answered"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty" wire:"max=1000" jsonschema:"the calls that a message of the model asks for"`
	ToolCallID string     `json:"tool_call_id,omitempty" jsonschema:"the id of the call that the message is the result of"`

	emptied []string // see Emptied
}

// ToolCall is a call that a model asks for.
type ToolCall struct {
	ID        string `json:"id,omitempty" jsonschema:"joins the call and its result"`
	Type      string `json:"type,omitempty" jsonschema:"function, or what else a provider calls it"`
	Name      string `json:"name" wire:"required" jsonschema:"the tool's name"`
	Arguments string `json:"arguments,omitempty" jsonschema:"the text of the arguments, mostly JSON"`
}

// Strategy says how memories are extracted from a session's messages.
type Strategy struct {
	Strategy string         `json:"strategy" jsonschema:"discrete, summary, preferences, custom or entities, which only clients of this server can read; discrete where it is missing"`
	Config   map[string]any `json:"config" jsonschema:"the strategy's own settings"`
}

// SessionBody is what PUT of a session brings: all of what can be written.
type SessionBody struct {
	SessionID string    `json:"session_id,omitempty" jsonschema:"passed over: the path's counts"`
	Messages  []Message `json:"messages,omitempty" wire:"max=100000" jsonschema:"the whole conversation, oldest first"`
	Memories  []Memory  `json:"memories,omitempty" wire:"max=100000" jsonschema:"what is to be remembered beyond the session"`
	// Data may hold anything; a member that is null is not answered.
	Data       map[string]any `json:"data,omitempty" jsonschema:"whatever belongs to the session; a member that is null counts as missing"`
	Context    *string        `json:"context,omitzero" jsonschema:"summary of messages that left"`
	UserID     *string        `json:"user_id,omitzero" jsonschema:"whose session it is"`
	Namespace  *string        `json:"namespace,omitzero" jsonschema:"the namespace it is in"`
	Tokens     Int            `json:"tokens,omitzero" jsonschema:"passed over: tokens are counted here"`
	TTLSeconds *Int           `json:"ttl_seconds,omitzero" jsonschema:"seconds that the session lives from now; at least 1; without it a running expiry stays"`
	Strategy   *Strategy      `json:"long_term_memory_strategy,omitzero" jsonschema:"how memories are extracted from the messages"`
	CreatedAt  *Time          `json:"created_at,omitzero" jsonschema:"when the session was made; now where it is missing"`
	// UpdatedAt is passed over: it is when the server wrote.
	UpdatedAt    *Time `json:"updated_at,omitzero" jsonschema:"passed over"`
	LastAccessed *Time `json:"last_accessed,omitzero" jsonschema:"when the session was last used"`
	// Entities replace those of the session; nil leaves them as they are.
	Entities *[]memory.Entity `json:"entities,omitzero" wire:"max=10000" jsonschema:"what tools returned, newest first; left as it is where this is missing"`
}

// Session is a session as GET and PUT answer it.
type Session struct {
	SessionID    string          `json:"session_id" jsonschema:"the id"`
	Namespace    *string         `json:"namespace" jsonschema:"the namespace it is in; null: the empty one"`
	UserID       *string         `json:"user_id" jsonschema:"whose it is; null: the empty user's"`
	Messages     []Message       `json:"messages" jsonschema:"those that have not been summarised, oldest first"`
	Context      *string         `json:"context" jsonschema:"summary of messages that left; null: none did"`
	Memories     []Memory        `json:"memories" jsonschema:"what is to be remembered beyond the session"`
	Data         map[string]any  `json:"data" jsonschema:"whatever belongs to the session"`
	Entities     []memory.Entity `json:"entities" jsonschema:"what tools returned, newest first"`
	Strategy     Strategy        `json:"long_term_memory_strategy" jsonschema:"how memories are extracted from the messages"`
	Tokens       int             `json:"tokens" jsonschema:"of all messages of the session"`
	TTLSeconds   *int64          `json:"ttl_seconds" jsonschema:"that of the last write that brought one"`
	CreatedAt    Time            `json:"created_at" jsonschema:"when it was made"`
	UpdatedAt    Time            `json:"updated_at" jsonschema:"when it was written last"`
	LastAccessed Time            `json:"last_accessed" jsonschema:"when it was used last"`
	// Version is the ETag's. It changes with each change, those in the background too.
	Version            uint64   `json:"version" jsonschema:"changes with each change of the session, those in the background too; also the ETag"`
	TotalUsed          *float64 `json:"context_percentage_total_used" jsonschema:"percent of the window that the messages take; null without a model or window"`
	UntilSummarization *float64 `json:"context_percentage_until_summarization" jsonschema:"percent of what may be taken before messages are summarised; null without a model or window"`
}

// SessionList is a page of sessions.
type SessionList struct {
	Sessions []string `json:"sessions" jsonschema:"session ids"`
	Total    int      `json:"total" jsonschema:"the number of all that pass the filter"`
}

// Append is what POST of messages brings.
type Append struct {
	Messages []Message `json:"messages" wire:"required,max=100000" jsonschema:"added at the end, but for those whose ids are there"`
}

// RecordedCall is a finished tool call.
type RecordedCall struct {
	ID        string `json:"id,omitempty" jsonschema:"the model's id of the call"`
	Name      string `json:"name" wire:"required" jsonschema:"the tool's name"`
	Arguments any    `json:"arguments,omitempty" jsonschema:"what it was called with: any JSON, or JSON as a text"`
	Result    any    `json:"result,omitempty" jsonschema:"what it returned: any JSON value, or a text in any format"`
	Error     string `json:"error,omitempty" jsonschema:"what went wrong; the result is not read then"`
}

// Recorded is what became of a tool call.
type Recorded struct {
	Entities []memory.Entity `json:"entities" jsonschema:"what the call returned, best first"`
	Removed  []EntityRef     `json:"removed" jsonschema:"what the call deleted"`
}

// EntityRef names an entity.
type EntityRef struct {
	Type string `json:"type" jsonschema:"what kind of thing it is, such as page"`
	ID   string `json:"id" jsonschema:"what tools take as an argument"`
}

// Entities are those of a session.
type Entities struct {
	Entities []memory.Entity `json:"entities" jsonschema:"newest first"`
}

// Status is the answer of what has nothing else to say.
type Status struct {
	Status string `json:"status" jsonschema:"ok, and what was done where there is more to say"`
}

// Health is the answer of GET /v1/health.
type Health struct {
	Now int64 `json:"now" jsonschema:"Unix time in milliseconds"`
}

// Detail is the body of an error: a text, or for what did not pass validation the places.
type Detail struct {
	Detail any `json:"detail" jsonschema:"a text, or a list of what is wrong and where"`
}

// FieldError says what is wrong at a place of a request.
type FieldError struct {
	Type string `json:"type" jsonschema:"what kind of mistake it is, such as missing, int_parsing or json_invalid"`
	// Loc begins with body, query, path or header; further on are names and indexes.
	Loc []any  `json:"loc" jsonschema:"the place: body, query, path or header, then names and indexes"`
	Msg string `json:"msg" jsonschema:"what is wrong"`
	// Input is what was sent: short, or left out.
	Input any `json:"input" jsonschema:"what was sent; null where it is long"`
}
