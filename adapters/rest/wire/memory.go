package wire

// Memory is a record of long-term memory, or one of a session that is to become one, in
// requests and answers.
type Memory struct {
	ID     string `json:"id" jsonschema:"identifies the memory among those of its namespace and user"`
	Text   string `json:"text" jsonschema:"says it"`
	Type   string `json:"memory_type,omitempty" jsonschema:"semantic: a fact; episodic: what happened at a time; message: a message; semantic where it is missing"`
	Topics List   `json:"topics,omitempty" jsonschema:"what it is about; without commas"`
	// Entities are names.
	Entities     List    `json:"entities,omitempty" jsonschema:"whom and what it is about, by name; without commas"`
	Namespace    *string `json:"namespace" jsonschema:"the namespace it is in; that of the session where it has none"`
	UserID       *string `json:"user_id" jsonschema:"whose it is; that of the session where it has none"`
	SessionID    *string `json:"session_id" jsonschema:"the session it came from"`
	EventDate    *Time   `json:"event_date" jsonschema:"when it happened, of an episodic one"`
	CreatedAt    *Time   `json:"created_at,omitempty" jsonschema:"when it was made"`
	UpdatedAt    *Time   `json:"updated_at,omitempty" jsonschema:"when what it says was changed"`
	LastAccessed *Time   `json:"last_accessed,omitempty" jsonschema:"when a search found it last"`
	AccessCount  Int     `json:"access_count" jsonschema:"how often a search found it"`
	Pinned       Bool    `json:"pinned" jsonschema:"it is never forgotten"`
	Hash         *string `json:"memory_hash" jsonschema:"of what makes it the same as another"`
	Extracted    Flag    `json:"discrete_memory_extracted,omitempty" jsonschema:"t or f"`
	// PersistedAt of a memory in a session: one that has it counts as promoted.
	PersistedAt        *Time          `json:"persisted_at" jsonschema:"when it went into long-term memory; null: not yet"`
	ExtractedFrom      List           `json:"extracted_from,omitempty" jsonschema:"ids of the messages it was extracted from"`
	ExtractionStrategy string         `json:"extraction_strategy,omitempty" jsonschema:"how it was extracted"`
	ExtractionConfig   map[string]any `json:"extraction_strategy_config,omitempty" jsonschema:"passed over"`
	Metadata           map[string]any `json:"metadata,omitempty" jsonschema:"whatever else there is to say"`
}

// MemoryBody is what POST of memories brings.
type MemoryBody struct {
	Memories    []Memory `json:"memories" jsonschema:"each with an id and a text"`
	Deduplicate *Bool    `json:"deduplicate,omitempty" jsonschema:"merge what is the same memory; true where it is missing"`
}

// MemoryPatch is what PATCH of a memory brings: null and missing ones stay as they are.
type MemoryPatch struct {
	Text      *string `json:"text,omitempty"`
	Topics    *List   `json:"topics,omitempty"`
	Entities  *List   `json:"entities,omitempty"`
	Type      *string `json:"memory_type,omitempty"`
	Namespace *string `json:"namespace,omitempty" jsonschema:"must be what it is: memories do not change owners"`
	UserID    *string `json:"user_id,omitempty" jsonschema:"must be what it is: memories do not change owners"`
	SessionID *string `json:"session_id,omitempty"`
	EventDate *Time   `json:"event_date,omitempty"`
	Pinned    *Bool   `json:"pinned,omitempty"`
}

// TextFilter is a condition on a text, or on a list of texts, of which one must be eq. All
// that is set applies. An empty one lets everything pass. In, NotEq and NotIn are what the
// official clients call Any, Ne and None.
type TextFilter struct {
	Eq         *string   `json:"eq,omitempty"`
	Ne         *string   `json:"ne,omitempty"`
	Any        *[]string `json:"any,omitempty"`
	All        *[]string `json:"all,omitempty"`
	None       *[]string `json:"none,omitempty"`
	StartsWith *string   `json:"startswith,omitempty"`
	In         *[]string `json:"in_,omitempty"`
	NotEq      *string   `json:"not_eq,omitempty"`
	NotIn      *[]string `json:"not_in,omitempty"`
}

// TimeFilter is a condition on a time. All that is set applies.
type TimeFilter struct {
	Eq      *Time   `json:"eq,omitempty"`
	Ne      *Time   `json:"ne,omitempty"`
	Gt      *Time   `json:"gt,omitempty"`
	Lt      *Time   `json:"lt,omitempty"`
	Gte     *Time   `json:"gte,omitempty"`
	Lte     *Time   `json:"lte,omitempty"`
	Between *[]Time `json:"between,omitempty" jsonschema:"a first and a last time"`
}

// Search says what is searched for in long-term memory.
type Search struct {
	Text         *string     `json:"text,omitempty" jsonschema:"what is searched for; without it, what passes the filters is listed"`
	Mode         *string     `json:"search_mode,omitempty" jsonschema:"semantic, keyword or hybrid; semantic where it is missing"`
	HybridAlpha  *Float      `json:"hybrid_alpha,omitempty" jsonschema:"how much vectors count in a hybrid search, 0 to 1; 0.7 where it is missing"`
	Distance     *Float      `json:"distance_threshold,omitempty" jsonschema:"how far a vector may be, for semantic searches alone"`
	Limit        *Int        `json:"limit,omitempty" jsonschema:"1 to 100; 10 where it is missing"`
	Offset       *Int        `json:"offset,omitempty"`
	SessionID    *TextFilter `json:"session_id,omitempty"`
	Namespace    *TextFilter `json:"namespace,omitempty"`
	UserID       *TextFilter `json:"user_id,omitempty"`
	Topics       *TextFilter `json:"topics,omitempty"`
	Entities     *TextFilter `json:"entities,omitempty"`
	Type         *TextFilter `json:"memory_type,omitempty"`
	Strategy     *TextFilter `json:"extraction_strategy,omitempty"`
	CreatedAt    *TimeFilter `json:"created_at,omitempty"`
	LastAccessed *TimeFilter `json:"last_accessed,omitempty"`
	EventDate    *TimeFilter `json:"event_date,omitempty"`

	RecencyBoost *Bool  `json:"recency_boost,omitempty" jsonschema:"let fresh memories rank higher; true where it is missing"`
	Semantic     *Float `json:"recency_semantic_weight,omitempty" jsonschema:"0.8 where it is missing"`
	Recency      *Float `json:"recency_recency_weight,omitempty" jsonschema:"0.2 where it is missing"`
	Freshness    *Float `json:"recency_freshness_weight,omitempty" jsonschema:"of the last use; 0.6 where it is missing"`
	Novelty      *Float `json:"recency_novelty_weight,omitempty" jsonschema:"of the creation; 0.4 where it is missing"`
	HalfAccess   *Float `json:"recency_half_life_last_access_days,omitempty" jsonschema:"7 where it is missing"`
	HalfCreated  *Float `json:"recency_half_life_created_days,omitempty" jsonschema:"30 where it is missing"`
}

// Found is a memory that was found.
type Found struct {
	Memory
	// Dist is 1 − Score, 0 in a list: clients demand it.
	Dist      float64  `json:"dist" jsonschema:"how far it is; 0 in a list"`
	Score     *float64 `json:"score" jsonschema:"how well it fits, 0 to 1; null in a list"`
	ScoreType *string  `json:"score_type" jsonschema:"what made the score: semantic, keyword or hybrid; null in a list"`
}

// Results are a page of what was found.
type Results struct {
	Memories   []Found `json:"memories"`
	Total      int     `json:"total" jsonschema:"the number of all that were found"`
	NextOffset *int    `json:"next_offset" jsonschema:"where the next page begins; null: there is none"`
}

// ForgetPolicy says which memories are not kept.
type ForgetPolicy struct {
	MaxAgeDays        *Float    `json:"max_age_days,omitempty"`
	MaxInactiveDays   *Float    `json:"max_inactive_days,omitempty"`
	Budget            *Int      `json:"budget,omitempty" jsonschema:"how many stay, the most recently used"`
	Types             *[]string `json:"memory_type_allowlist,omitempty" jsonschema:"the types that may go; all where it is missing"`
	HardAgeMultiplier *Float    `json:"hard_age_multiplier,omitempty" jsonschema:"where both ages are set, what is this often as old as max_age_days goes in any case; 12 where it is missing"`
}

// Forget is the body of a request to forget.
type Forget struct {
	Policy    *ForgetPolicy `json:"policy"`
	PinnedIDs []string      `json:"pinned_ids,omitempty" jsonschema:"ids of memories that stay"`
}

// Forgotten is what was forgotten, or would be.
type Forgotten struct {
	Scanned    int      `json:"scanned"`
	Deleted    int      `json:"deleted" jsonschema:"how many went, or would go"`
	DeletedIDs []string `json:"deleted_ids"`
	DryRun     bool     `json:"dry_run" jsonschema:"nothing was deleted"`
}

// PromptSession says which session a prompt is for.
type PromptSession struct {
	SessionID        string  `json:"session_id"`
	Namespace        *string `json:"namespace,omitempty"`
	UserID           *string `json:"user_id,omitempty"`
	ModelName        *string `json:"model_name,omitempty"`
	ContextWindowMax *Int    `json:"context_window_max,omitempty"`
}

// PromptRequest asks for a prompt.
type PromptRequest struct {
	Query   string         `json:"query" jsonschema:"what the user says"`
	Session *PromptSession `json:"session,omitempty"`
	// LongTerm is false, true, or a search, whose text is the query where it has none.
	LongTerm *SearchOrBool `json:"long_term_search,omitempty" jsonschema:"true, or what to search for"`
}

// Prompt is the messages for a model.
type Prompt struct {
	Messages []PromptMessage `json:"messages"`
	LongTerm []Found         `json:"long_term_memories"`
}

// PromptMessage is a message for a model.
type PromptMessage struct {
	Role    string      `json:"role"`
	Content TextContent `json:"content"`
}

// TextContent is the content of a PromptMessage.
type TextContent struct {
	Type string `json:"type" jsonschema:"text"`
	Text string `json:"text"`
}
