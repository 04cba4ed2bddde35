package wire

import "time"

// Decisions describes how full the window of a session is, which entities its block shows and
// why, and what the last recorded calls did to them.
type Decisions struct {
	Usage     ContextUsage    `json:"usage" jsonschema:"how full the window is, and what the session holds"`
	Entities  []EntityVerdict `json:"entities" jsonschema:"newest first"`
	Decisions []Decision      `json:"decisions" jsonschema:"what happened to entities in the last recorded calls that are known; newest last, at most 200"`
}

// EntityVerdict is an entity of a session and whether the default block shows it.
type EntityVerdict struct {
	Type      string    `json:"type" jsonschema:"what kind of thing it is, such as page"`
	ID        string    `json:"id" jsonschema:"what tools take as an argument"`
	Handle    string    `json:"handle,omitempty" jsonschema:"what the block shows in place of the id, such as page#1; missing without handles"`
	Label     string    `json:"label" jsonschema:"its name or description"`
	Verdict   string    `json:"verdict" jsonschema:"shown, or why the default block does not show it"`
	Tool      string    `json:"tool" jsonschema:"the tool whose result had it"`
	Path      string    `json:"path" jsonschema:"its place in that result"`
	Uses      int       `json:"uses" jsonschema:"how many later calls took its id as an argument"`
	Timestamp time.Time `json:"timestamp" jsonschema:"when it was last accessed"`
}

// Decision is something that happened to an entity.
type Decision struct {
	Time time.Time `json:"time" jsonschema:"when it happened"`
	ID   string    `json:"id" jsonschema:"the id of the entity"`
	Type string    `json:"type" jsonschema:"the type of the entity"`
	// What is one of those of middleware.DecisionKind.
	What string `json:"what" jsonschema:"seen, repeated, used, merged, kept its name and type, refused, removed or evicted"`
	Tool string `json:"tool" jsonschema:"the tool whose call did it"`
	Why  string `json:"why" jsonschema:"its place in the result, the entity that displaced it, or the reason for a refusal; may be empty"`
}

// ContextUsage describes how full the context window of a session is and what it holds.
type ContextUsage struct {
	SessionID          string         `json:"session_id" jsonschema:"the id of the session"`
	Tokens             int            `json:"tokens" jsonschema:"tokens of all messages of the session"`
	Window             int            `json:"context_window_max" jsonschema:"the context window in tokens: the requested one, or else the one last used for this session, or else 16,000"`
	TotalUsed          float64        `json:"context_percentage_total_used" jsonschema:"percent of the window that the messages take"`
	UntilSummarization float64        `json:"context_percentage_until_summarization" jsonschema:"percent of the tokens at which messages are summarised"`
	Messages           int            `json:"messages" jsonschema:"the number of messages"`
	Summarized         bool           `json:"summarized" jsonschema:"whether earlier messages were replaced by the summary"`
	Memories           int            `json:"memories" jsonschema:"the number of memories in the session"`
	Pending            int            `json:"memories_pending" jsonschema:"how many of these are not in long-term memory yet"`
	Entities           int            `json:"entities" jsonschema:"the number of entities"`
	EntityTypes        map[string]int `json:"entity_types" jsonschema:"the number of entities of each type"`
}
