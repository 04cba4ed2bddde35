package wire

import "time"

// Decisions says how full the window of a session is, what its block shows of its entities and
// why, and what became of them in the calls that the server recorded last.
type Decisions struct {
	Usage     ContextUsage    `json:"usage" jsonschema:"how full the window is, and what the session holds"`
	Entities  []EntityVerdict `json:"entities" jsonschema:"newest first"`
	Decisions []Decision      `json:"decisions" jsonschema:"what happened in the calls that this process recorded, newest last, 200 at most"`
}

// EntityVerdict is an entity of a session, and whether the default block shows it.
type EntityVerdict struct {
	Type      string    `json:"type" jsonschema:"what kind of thing it is, such as page"`
	ID        string    `json:"id" jsonschema:"what tools take as an argument"`
	Label     string    `json:"label" jsonschema:"what it is called or described by"`
	Verdict   string    `json:"verdict" jsonschema:"shown, or why the default block does not show it"`
	Tool      string    `json:"tool" jsonschema:"the tool whose result brought it"`
	Path      string    `json:"path" jsonschema:"where in that result it stood"`
	Uses      int       `json:"uses" jsonschema:"how many later calls took its id as an argument"`
	Timestamp time.Time `json:"timestamp" jsonschema:"when it was last accessed"`
}

// Decision is something that happened to an entity.
type Decision struct {
	Time time.Time `json:"time" jsonschema:"when it happened"`
	ID   string    `json:"id" jsonschema:"the id of the entity"`
	Type string    `json:"type" jsonschema:"the type of the entity"`
	// What is one of those of middleware.DecisionKind.
	What string `json:"what" jsonschema:"seen, repeated, used, merged, refused, removed or evicted"`
	Tool string `json:"tool" jsonschema:"the tool whose call did it"`
	Why  string `json:"why" jsonschema:"where it stood, what pushed it out, or why it was refused; may be empty"`
}

// ContextUsage says how full the context window of a session is, and what it holds.
type ContextUsage struct {
	SessionID          string         `json:"session_id" jsonschema:"the id of the session"`
	Tokens             int            `json:"tokens" jsonschema:"of all messages of the session"`
	Window             int            `json:"context_window_max" jsonschema:"the context window, in tokens: what was asked for, else the one last used for this session, else 16,000"`
	TotalUsed          float64        `json:"context_percentage_total_used" jsonschema:"percent of the window that the messages take"`
	UntilSummarization float64        `json:"context_percentage_until_summarization" jsonschema:"percent of what may be taken before messages are summarised"`
	Messages           int            `json:"messages" jsonschema:"how many there are"`
	Summarized         bool           `json:"summarized" jsonschema:"earlier messages left and are in the summary"`
	Memories           int            `json:"memories" jsonschema:"how many memories the session holds"`
	Pending            int            `json:"memories_pending" jsonschema:"how many of these are not in long-term memory yet"`
	Entities           int            `json:"entities" jsonschema:"how many there are"`
	EntityTypes        map[string]int `json:"entity_types" jsonschema:"how many there are of each type"`
}
