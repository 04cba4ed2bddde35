package wire

import "github.com/go-workingmemory/workingmemory/memory"

// Message is a message of a conversation.
type Message struct {
	Role    string `json:"role" wire:"required" jsonschema:"who speaks: user, assistant, system, tool, or any other text"`
	Content string `json:"content" wire:"required" jsonschema:"the text"`
	// ID is generated, a ULID, if it is missing.
	ID string `json:"id,omitempty" jsonschema:"id of the message, unique in its session; generated if missing"`
	// CreatedAt is now if it is missing, which a header warns about.
	CreatedAt   *Time `json:"created_at,omitzero" jsonschema:"when the message was created; default now"`
	PersistedAt *Time `json:"persisted_at" jsonschema:"when it was stored in long-term memory; null if not yet"`
	// Extracted is "t" or "f", as clients of agent-memory-server expect.
	Extracted  Flag       `json:"discrete_memory_extracted,omitempty" jsonschema:"whether memories were extracted from it: t or f"`
	Name       string     `json:"name,omitempty" jsonschema:"name of the speaker, or of the function that returned the result"`
	Reasoning  string     `json:"reasoning,omitempty" jsonschema:"the reasoning of the model before its answer"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty" wire:"max=1000" jsonschema:"the tool calls that the model requests"`
	ToolCallID string     `json:"tool_call_id,omitempty" jsonschema:"the id of the tool call whose result the message is"`

	emptied []string // see Emptied
}

// ToolCall is a tool call that a model requests.
type ToolCall struct {
	ID        string `json:"id,omitempty" jsonschema:"the id that the result refers to"`
	Type      string `json:"type,omitempty" jsonschema:"function, or the provider's name for the kind of call"`
	Name      string `json:"name" wire:"required" jsonschema:"the name of the tool"`
	Arguments string `json:"arguments,omitempty" jsonschema:"the arguments as a text, usually JSON"`
}

// Strategy describes how memories are extracted from the messages of a session.
type Strategy struct {
	Strategy string         `json:"strategy" jsonschema:"discrete, summary, preferences, custom or entities, which only clients of this server know; default discrete"`
	Config   map[string]any `json:"config" jsonschema:"the settings of the strategy"`
}

// SessionBody is the body of a PUT of a session.
type SessionBody struct {
	SessionID string    `json:"session_id,omitempty" jsonschema:"ignored; the id of the path applies"`
	Messages  []Message `json:"messages,omitempty" wire:"max=100000" jsonschema:"the whole conversation, oldest first"`
	Memories  []Memory  `json:"memories,omitempty" wire:"max=100000" jsonschema:"what to remember beyond the session"`
	// Data may hold anything. Null members are not returned.
	Data       map[string]any `json:"data,omitempty" jsonschema:"any data of the session; null members count as missing"`
	Context    *string        `json:"context,omitzero" jsonschema:"the summary of earlier messages"`
	UserID     *string        `json:"user_id,omitzero" jsonschema:"the user of the session"`
	Namespace  *string        `json:"namespace,omitzero" jsonschema:"the namespace of the session"`
	Tokens     Int            `json:"tokens,omitzero" jsonschema:"a token count of the client, kept as it is"`
	TTLSeconds *Int           `json:"ttl_seconds,omitzero" jsonschema:"the lifetime of the session from now in seconds, at least 1; if missing, an existing expiry is kept"`
	Strategy   *Strategy      `json:"long_term_memory_strategy,omitzero" jsonschema:"how memories are extracted from the messages"`
	CreatedAt  *Time          `json:"created_at,omitzero" jsonschema:"when the session was created; default now"`
	// UpdatedAt is ignored; the server sets it.
	UpdatedAt    *Time `json:"updated_at,omitzero" jsonschema:"ignored"`
	LastAccessed *Time `json:"last_accessed,omitzero" jsonschema:"when the session was last used"`
	// Entities replace those of the session. If nil, they are kept.
	Entities *[]memory.Entity `json:"entities,omitzero" wire:"max=10000" jsonschema:"the entities that tools returned, newest first; kept if missing"`
}

// Session is the answer of GET and PUT of a session.
type Session struct {
	SessionID    string          `json:"session_id" jsonschema:"the id of the session"`
	Namespace    *string         `json:"namespace" jsonschema:"its namespace; null is the empty one"`
	UserID       *string         `json:"user_id" jsonschema:"its user; null is the empty one"`
	Messages     []Message       `json:"messages" jsonschema:"the messages that have not been summarised, oldest first"`
	Context      *string         `json:"context" jsonschema:"the summary of earlier messages; null if there is none"`
	Memories     []Memory        `json:"memories" jsonschema:"what to remember beyond the session"`
	Data         map[string]any  `json:"data" jsonschema:"any data of the session"`
	Entities     []memory.Entity `json:"entities" jsonschema:"the entities that tools returned, newest first"`
	Strategy     Strategy        `json:"long_term_memory_strategy" jsonschema:"how memories are extracted from the messages"`
	Tokens       int             `json:"tokens" jsonschema:"the count that the client last put, and the tokens of summaries since; the percentages come from the server's own count"`
	TTLSeconds   *int64          `json:"ttl_seconds" jsonschema:"the lifetime that the last write with one set"`
	CreatedAt    Time            `json:"created_at" jsonschema:"when it was created"`
	UpdatedAt    Time            `json:"updated_at" jsonschema:"when it was last written"`
	LastAccessed Time            `json:"last_accessed" jsonschema:"when it was last used"`
	// Version changes with every change, including those in the background. It is also the ETag.
	Version            uint64   `json:"version" jsonschema:"the version, also the ETag; changes with every change of the session, including those in the background"`
	TotalUsed          *float64 `json:"context_percentage_total_used" jsonschema:"percent of the window that the messages take; null without a model or window"`
	UntilSummarization *float64 `json:"context_percentage_until_summarization" jsonschema:"percent of the tokens at which messages are summarised; null without a model or window"`
}

// SessionList is a page of sessions.
type SessionList struct {
	Sessions []string `json:"sessions" jsonschema:"session ids"`
	Total    int      `json:"total" jsonschema:"the number of all sessions that pass the filter"`
}

// Append is the body of a request that appends messages.
type Append struct {
	Messages []Message `json:"messages" wire:"required,max=100000" jsonschema:"the messages to append; those whose ids the session has are skipped"`
}

// RecordedCall is a finished tool call.
type RecordedCall struct {
	ID        string `json:"id,omitempty" jsonschema:"the model's id of the call"`
	Name      string `json:"name" wire:"required" jsonschema:"the name of the tool"`
	Source    string `json:"source,omitempty" jsonschema:"the MCP server or namespace of the tool; if missing, it is taken from the tool's name"`
	Arguments any    `json:"arguments,omitempty" jsonschema:"the arguments: any JSON value, or JSON as a text"`
	Result    any    `json:"result,omitempty" jsonschema:"the result: any JSON value, or a text in any format"`
	Error     string `json:"error,omitempty" jsonschema:"the error of the call; if set, the result is ignored"`
	// Handles and StoreResults are the server's settings if they are nil.
	Handles      *Bool `json:"handles,omitzero" jsonschema:"give short handles, such as page#1, to long ids, and answer with the result as the model is to see it; default is the server's setting"`
	StoreResults *Bool `json:"store_results,omitzero" jsonschema:"store a large result, and answer with a description for the model; default is the server's setting"`
}

// Recorded has the entities found in a tool call.
type Recorded struct {
	Entities []memory.Entity `json:"entities" jsonschema:"the entities that the call returned, best first"`
	Removed  []EntityRef     `json:"removed" jsonschema:"the entities that the call deleted"`
	// Shown is nil without handles and stored results, and for a result of null.
	Shown any `json:"shown,omitzero" jsonschema:"what the model is to see in place of the result, or of the error: handles in place of ids, or a description of the stored result; only with handles or store_results"`
}

// CallArguments are the arguments of a tool call, or a text of the model: in a request with
// handles, in an answer with ids.
type CallArguments struct {
	Arguments any `json:"arguments" wire:"required" jsonschema:"the arguments: any JSON value, or JSON or any other text"`
}

// EntityRef names an entity.
type EntityRef struct {
	Type string `json:"type" jsonschema:"what kind of thing it is, such as page"`
	ID   string `json:"id" jsonschema:"what tools take as an argument"`
}

// Entities has the entities of a session.
type Entities struct {
	Entities   []memory.Entity `json:"entities" jsonschema:"newest first"`
	Candidates []memory.Entity `json:"candidates,omitempty" jsonschema:"values that tools may take as ids though no record says so, newest first; only if asked for"`
}

// Status is the answer of requests without a result.
type Status struct {
	Status string `json:"status" jsonschema:"ok, with counts for some requests"`
}

// Summarized is the outcome of a requested summary.
type Summarized struct {
	Status   string `json:"status" jsonschema:"done; none: nothing to summarise; leased: another process is summarising; outrun: the session changed during the summary; queued, not queued or postponed"`
	Messages int    `json:"messages" jsonschema:"how many messages the summary replaced"`
	Tokens   int    `json:"tokens" jsonschema:"the length of the summary in tokens"`
}

// Health is the answer of GET /v1/health.
type Health struct {
	Now int64 `json:"now" jsonschema:"Unix time in milliseconds"`
}

// Ready is the answer of GET /v1/ready.
type Ready struct {
	Status     string     `json:"status" jsonschema:"ok"`
	Durability Durability `json:"durability" jsonschema:"whether acknowledged writes survive a crash of the stores"`
}

// Durability describes what happens to acknowledged writes when the server of a store is killed
// or loses power.
type Durability struct {
	Sessions string `json:"sessions" jsonschema:"synced (on disk before the answer), delayed (a crash loses the last writes), none (a crash loses everything) or unknown"`
	LongTerm string `json:"long_term_memory,omitempty" jsonschema:"the same for long-term memory; missing if that is disabled"`
}

// Detail is the body of an error: a text, or a list of FieldError for an invalid request.
type Detail struct {
	Detail any `json:"detail" jsonschema:"a text, or a list of invalid values"`
}

// UnknownHandle is the FieldError.Type of arguments with a handle that was never given out. The Msg
// is for the model, and the tool must not be called.
const UnknownHandle = "unknown_handle"

// FieldError describes an invalid value of a request.
type FieldError struct {
	Type string `json:"type" jsonschema:"the kind of mistake, such as missing, int_parsing or json_invalid"`
	// Loc begins with body, query, path or header, followed by names and indexes.
	Loc []any  `json:"loc" jsonschema:"the place: body, query, path or header, then names and indexes"`
	Msg string `json:"msg" jsonschema:"description of the mistake"`
	// Input is the value, cut or left out if it is long.
	Input any `json:"input" jsonschema:"the value; cut or null if it is long"`
}
