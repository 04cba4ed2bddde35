package wire

// Memory is a record of long-term memory, or one of a session that is to become one, in
// requests and answers.
type Memory struct {
	// ID is made, a ULID, where a memory of a session has none.
	ID     string `json:"id" wire:"required=MemoryBody,filled" jsonschema:"identifies the memory among those of its namespace and user"`
	Text   string `json:"text" wire:"required" jsonschema:"says it"`
	Type   string `json:"memory_type,omitempty" jsonschema:"semantic: a fact; episodic: what happened at a time; message: a message; semantic where it is missing"`
	Topics List   `json:"topics" wire:"max=10000" jsonschema:"what it is about; without commas"`
	// Entities are names.
	Entities     List    `json:"entities" wire:"max=10000" jsonschema:"whom and what it is about, by name; without commas"`
	Namespace    *string `json:"namespace" jsonschema:"the namespace it is in; that of the session where it has none"`
	UserID       *string `json:"user_id" jsonschema:"whose it is; that of the session where it has none"`
	SessionID    *string `json:"session_id" jsonschema:"the session it came from"`
	EventDate    *Time   `json:"event_date" jsonschema:"when it happened, of an episodic one"`
	CreatedAt    *Time   `json:"created_at,omitzero" jsonschema:"when it was made"`
	UpdatedAt    *Time   `json:"updated_at,omitzero" jsonschema:"when what it says was changed"`
	LastAccessed *Time   `json:"last_accessed,omitzero" jsonschema:"when a search found it last"`
	AccessCount  Int     `json:"access_count" jsonschema:"how often a search found it"`
	// Pinned is always answered. In a request nil leaves that of a memory as it is.
	Pinned    *Bool   `json:"pinned" jsonschema:"it is never forgotten; null and missing: as it was"`
	Hash      *string `json:"memory_hash" jsonschema:"of what makes it the same as another"`
	Extracted Flag    `json:"discrete_memory_extracted,omitempty" jsonschema:"t or f"`
	// PersistedAt of a memory in a session: one that has it counts as promoted.
	PersistedAt        *Time          `json:"persisted_at" jsonschema:"when it went into long-term memory; null: not yet"`
	ExtractedFrom      List           `json:"extracted_from" wire:"max=100000" jsonschema:"ids of the messages it was extracted from"`
	ExtractionStrategy string         `json:"extraction_strategy,omitempty" jsonschema:"how it was extracted"`
	ExtractionConfig   map[string]any `json:"extraction_strategy_config,omitempty" jsonschema:"passed over"`
	Metadata           map[string]any `json:"metadata,omitempty" jsonschema:"whatever else there is to say"`
}

// MemoryBody is what POST of memories brings.
type MemoryBody struct {
	Memories    []Memory `json:"memories" wire:"required,max=100000" jsonschema:"each with an id and a text"`
	Deduplicate *Bool    `json:"deduplicate,omitzero" jsonschema:"merge what is the same memory; true where it is missing"`
}

// MemoryPatch is what PATCH of a memory brings: null and missing ones stay as they are.
type MemoryPatch struct {
	Text      *string `json:"text,omitzero" jsonschema:"the new text"`
	Topics    *List   `json:"topics,omitzero" wire:"max=10000" jsonschema:"all new topics"`
	Entities  *List   `json:"entities,omitzero" wire:"max=10000" jsonschema:"all new entities"`
	Type      *string `json:"memory_type,omitzero" jsonschema:"the new type: semantic, episodic or message"`
	Namespace *string `json:"namespace,omitzero" jsonschema:"must be what it is: memories do not change owners"`
	UserID    *string `json:"user_id,omitzero" jsonschema:"must be what it is: memories do not change owners"`
	SessionID *string `json:"session_id,omitzero" jsonschema:"the session it came from"`
	EventDate *Time   `json:"event_date,omitzero" jsonschema:"when it happened"`
	Pinned    *Bool   `json:"pinned,omitzero" jsonschema:"whether it is never forgotten"`
}

// TextFilter is a condition on a text, or on a list of texts, of which one must be eq. All
// that is set applies. An empty one lets everything pass. In, NotEq and NotIn are what the
// official clients call Any, Ne and None.
type TextFilter struct {
	Eq         *string   `json:"eq,omitzero" jsonschema:"is this, or has it among others"`
	Ne         *string   `json:"ne,omitzero" jsonschema:"is not this, and has it not"`
	Any        *[]string `json:"any,omitzero" wire:"max=1000" jsonschema:"is or has one of these"`
	All        *[]string `json:"all,omitzero" wire:"max=1000" jsonschema:"has all of these"`
	None       *[]string `json:"none,omitzero" wire:"max=1000" jsonschema:"is and has none of these"`
	StartsWith *string   `json:"startswith,omitzero" jsonschema:"begins with this"`
	In         *[]string `json:"in_,omitzero" wire:"max=1000" jsonschema:"the same as any"`
	NotEq      *string   `json:"not_eq,omitzero" jsonschema:"the same as ne"`
	NotIn      *[]string `json:"not_in,omitzero" wire:"max=1000" jsonschema:"the same as none"`
}

// TimeFilter is a condition on a time. All that is set applies.
type TimeFilter struct {
	Eq      *Time   `json:"eq,omitzero" jsonschema:"at this time"`
	Ne      *Time   `json:"ne,omitzero" jsonschema:"not at this time"`
	Gt      *Time   `json:"gt,omitzero" jsonschema:"after it"`
	Lt      *Time   `json:"lt,omitzero" jsonschema:"before it"`
	Gte     *Time   `json:"gte,omitzero" jsonschema:"at it or after"`
	Lte     *Time   `json:"lte,omitzero" jsonschema:"at it or before"`
	Between *[]Time `json:"between,omitzero" wire:"max=1000" jsonschema:"a first and a last time"`
}

// Search says what is searched for in long-term memory.
type Search struct {
	Text         *string     `json:"text,omitzero" jsonschema:"what is searched for; without it, what passes the filters is listed"`
	Mode         *string     `json:"search_mode,omitzero" jsonschema:"semantic, keyword or hybrid; semantic where it is missing"`
	HybridAlpha  *Float      `json:"hybrid_alpha,omitzero" jsonschema:"how much vectors count in a hybrid search, 0 to 1; 0.7 where it is missing"`
	Distance     *Float      `json:"distance_threshold,omitzero" jsonschema:"how far a vector may be, for semantic searches alone"`
	Limit        *Int        `json:"limit,omitzero" jsonschema:"1 to 100; 10 where it is missing"`
	Offset       *Int        `json:"offset,omitzero" jsonschema:"how many to leave out; 0 where it is missing"`
	SessionID    *TextFilter `json:"session_id,omitzero" jsonschema:"the session it came from"`
	Namespace    *TextFilter `json:"namespace,omitzero" jsonschema:"the namespace it is in"`
	UserID       *TextFilter `json:"user_id,omitzero" jsonschema:"whose it is"`
	Topics       *TextFilter `json:"topics,omitzero" jsonschema:"what it is about"`
	Entities     *TextFilter `json:"entities,omitzero" jsonschema:"whom and what it is about"`
	Type         *TextFilter `json:"memory_type,omitzero" jsonschema:"semantic, episodic or message"`
	Strategy     *TextFilter `json:"extraction_strategy,omitzero" jsonschema:"how it was extracted"`
	CreatedAt    *TimeFilter `json:"created_at,omitzero" jsonschema:"when it was made"`
	LastAccessed *TimeFilter `json:"last_accessed,omitzero" jsonschema:"when a search found it last"`
	EventDate    *TimeFilter `json:"event_date,omitzero" jsonschema:"when it happened"`

	RecencyBoost *Bool  `json:"recency_boost,omitzero" jsonschema:"let fresh memories rank higher; true where it is missing"`
	Semantic     *Float `json:"recency_semantic_weight,omitzero" jsonschema:"0.8 where it is missing"`
	Recency      *Float `json:"recency_recency_weight,omitzero" jsonschema:"0.2 where it is missing"`
	Freshness    *Float `json:"recency_freshness_weight,omitzero" jsonschema:"of the last use; 0.6 where it is missing"`
	Novelty      *Float `json:"recency_novelty_weight,omitzero" jsonschema:"of the creation; 0.4 where it is missing"`
	HalfAccess   *Float `json:"recency_half_life_last_access_days,omitzero" jsonschema:"7 where it is missing"`
	HalfCreated  *Float `json:"recency_half_life_created_days,omitzero" jsonschema:"30 where it is missing"`
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
	Memories   []Found `json:"memories" jsonschema:"those of this page, the best first"`
	Total      int     `json:"total" jsonschema:"the number of all that were found"`
	NextOffset *int    `json:"next_offset" jsonschema:"where the next page begins; null: there is none"`
}

// ForgetPolicy says which memories are not kept.
type ForgetPolicy struct {
	MaxAgeDays        *Float    `json:"max_age_days,omitzero" jsonschema:"days from when it was made"`
	MaxInactiveDays   *Float    `json:"max_inactive_days,omitzero" jsonschema:"days from when a search found it last"`
	Budget            *Int      `json:"budget,omitzero" jsonschema:"how many stay, the most recently used"`
	Types             *[]string `json:"memory_type_allowlist,omitzero" wire:"max=1000" jsonschema:"the types that may go; all where it is missing"`
	HardAgeMultiplier *Float    `json:"hard_age_multiplier,omitzero" jsonschema:"where both ages are set, what is this often as old as max_age_days goes in any case; 12 where it is missing"`
}

// Forget is the body of a request to forget.
type Forget struct {
	Policy    *ForgetPolicy `json:"policy" wire:"required" jsonschema:"which memories may go"`
	PinnedIDs []string      `json:"pinned_ids,omitempty" wire:"max=1000" jsonschema:"ids of memories that stay"`
}

// ForgetResult is what was forgotten, or would be.
type ForgetResult struct {
	Scanned    int      `json:"scanned" jsonschema:"how many were looked at"`
	Deleted    int      `json:"deleted" jsonschema:"how many went, or would go"`
	DeletedIDs []string `json:"deleted_ids" jsonschema:"their ids"`
	DryRun     bool     `json:"dry_run" jsonschema:"nothing was deleted"`
}

// PromptSession says which session a prompt is for.
type PromptSession struct {
	SessionID        string  `json:"session_id" wire:"required" jsonschema:"the id of the session"`
	Namespace        *string `json:"namespace,omitzero" jsonschema:"the namespace it is in; without it any that the token may see"`
	UserID           *string `json:"user_id,omitzero" jsonschema:"whose it is; without it anybody's that the token may see"`
	ModelName        *string `json:"model_name,omitzero" jsonschema:"the model whose context window counts"`
	ContextWindowMax *Int    `json:"context_window_max,omitzero" jsonschema:"the context window in tokens; it counts before the model's"`
}

// PromptRequest asks for a prompt.
type PromptRequest struct {
	Query   string         `json:"query" wire:"required" jsonschema:"what the user says"`
	Session *PromptSession `json:"session,omitzero" jsonschema:"the conversation that the query goes on with"`
	// LongTerm is false, true, or a search, whose text is the query where it has none.
	LongTerm *SearchOrBool `json:"long_term_search,omitzero" jsonschema:"true, or what to search for"`
}

// Prompt is the messages for a model.
type Prompt struct {
	Messages []PromptMessage `json:"messages" jsonschema:"to be sent to the model as they are"`
	LongTerm []Found         `json:"long_term_memories" jsonschema:"those that stand in the messages"`
}

// PromptMessage is a message for a model.
type PromptMessage struct {
	Role    string      `json:"role" jsonschema:"system, user, assistant or another of the session"`
	Content TextContent `json:"content" jsonschema:"what it says"`
}

// TextContent is the content of a PromptMessage.
type TextContent struct {
	Type string `json:"type" jsonschema:"text"`
	Text string `json:"text" jsonschema:"the text itself"`
}
