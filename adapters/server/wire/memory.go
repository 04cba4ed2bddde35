package wire

// Memory is a record of long-term memory, or one in a session that will be promoted to it.
type Memory struct {
	// ID is generated, a ULID, for a memory of a session without one.
	ID     string `json:"id" wire:"required=MemoryBody,filled" jsonschema:"id of the memory, unique in its namespace and user"`
	Text   string `json:"text" wire:"required" jsonschema:"the text of the memory"`
	Type   string `json:"memory_type,omitempty" jsonschema:"semantic: a fact; episodic: an event at a time; message: a message; default semantic"`
	Topics List   `json:"topics" wire:"max=10000" jsonschema:"topics, without commas"`
	// Entities are names.
	Entities     List    `json:"entities" wire:"max=10000" jsonschema:"names of the people and things it is about, without commas"`
	Namespace    *string `json:"namespace" jsonschema:"its namespace; default that of the session"`
	UserID       *string `json:"user_id" jsonschema:"its user; default that of the session"`
	SessionID    *string `json:"session_id" jsonschema:"the session it came from"`
	EventDate    *Time   `json:"event_date" jsonschema:"when the event of an episodic memory happened"`
	CreatedAt    *Time   `json:"created_at,omitzero" jsonschema:"when it was created"`
	UpdatedAt    *Time   `json:"updated_at,omitzero" jsonschema:"when its content last changed"`
	LastAccessed *Time   `json:"last_accessed,omitzero" jsonschema:"when a search last found it"`
	AccessCount  Int     `json:"access_count" jsonschema:"how often a search found it"`
	// Pinned is never nil in answers. In a request, nil leaves that of a memory unchanged.
	Pinned    *Bool   `json:"pinned" jsonschema:"whether it is never forgotten; unchanged if null or missing"`
	Hash      *string `json:"memory_hash" jsonschema:"hash of what makes memories equal"`
	Extracted Flag    `json:"discrete_memory_extracted,omitempty" jsonschema:"t or f"`
	// PersistedAt marks a memory in a session as promoted.
	PersistedAt        *Time          `json:"persisted_at" jsonschema:"when it was stored in long-term memory; null if not yet"`
	ExtractedFrom      List           `json:"extracted_from" wire:"max=100000" jsonschema:"ids of the messages it was extracted from"`
	ExtractionStrategy string         `json:"extraction_strategy,omitempty" jsonschema:"the strategy that extracted it; default discrete"`
	ExtractionConfig   map[string]any `json:"extraction_strategy_config" jsonschema:"the settings of the strategy"`
	Metadata           map[string]any `json:"metadata" jsonschema:"any further data"`
}

// MemoryBody is the body of a request that creates memories.
type MemoryBody struct {
	Memories    []Memory `json:"memories" wire:"required,max=100000" jsonschema:"each with an id and a text"`
	Deduplicate *Bool    `json:"deduplicate,omitzero" jsonschema:"whether to merge equal memories; default true"`
}

// MemoryPatch is the body of a PATCH of a memory. Null and missing fields are left unchanged.
type MemoryPatch struct {
	Text      *string `json:"text,omitzero" jsonschema:"the new text"`
	Topics    *List   `json:"topics,omitzero" wire:"max=10000" jsonschema:"all new topics"`
	Entities  *List   `json:"entities,omitzero" wire:"max=10000" jsonschema:"all new entities"`
	Type      *string `json:"memory_type,omitzero" jsonschema:"the new type: semantic, episodic or message"`
	Namespace *string `json:"namespace,omitzero" jsonschema:"the new namespace, within the tenant of the token"`
	UserID    *string `json:"user_id,omitzero" jsonschema:"the new user, within the tenant of the token"`
	SessionID *string `json:"session_id,omitzero" jsonschema:"the session it came from"`
	EventDate *Time   `json:"event_date,omitzero" jsonschema:"when the event happened"`
	Pinned    *Bool   `json:"pinned,omitzero" jsonschema:"whether it is never forgotten"`
}

// TextFilter is a condition on a text or a list of texts. All fields that are set apply, and
// every text passes an empty filter. In, NotEq and NotIn are the names of Any, Ne and None in
// the official clients.
type TextFilter struct {
	Eq         *string   `json:"eq,omitzero" jsonschema:"equals or contains this"`
	Ne         *string   `json:"ne,omitzero" jsonschema:"neither equals nor contains this"`
	Any        *[]string `json:"any,omitzero" wire:"max=1000" jsonschema:"equals or contains one of these"`
	All        *[]string `json:"all,omitzero" wire:"max=1000" jsonschema:"contains all of these"`
	None       *[]string `json:"none,omitzero" wire:"max=1000" jsonschema:"neither equals nor contains any of these"`
	StartsWith *string   `json:"startswith,omitzero" jsonschema:"begins with this"`
	In         *[]string `json:"in_,omitzero" wire:"max=1000" jsonschema:"the same as any"`
	NotEq      *string   `json:"not_eq,omitzero" jsonschema:"the same as ne"`
	NotIn      *[]string `json:"not_in,omitzero" wire:"max=1000" jsonschema:"the same as none"`
}

// TimeFilter is a condition on a time. All fields that are set apply.
type TimeFilter struct {
	Eq      *Time   `json:"eq,omitzero" jsonschema:"at this time"`
	Ne      *Time   `json:"ne,omitzero" jsonschema:"not at this time"`
	Gt      *Time   `json:"gt,omitzero" jsonschema:"after this time"`
	Lt      *Time   `json:"lt,omitzero" jsonschema:"before this time"`
	Gte     *Time   `json:"gte,omitzero" jsonschema:"at or after this time"`
	Lte     *Time   `json:"lte,omitzero" jsonschema:"at or before this time"`
	Between *[]Time `json:"between,omitzero" wire:"max=1000" jsonschema:"a first and a last time"`
}

// Search is a search of long-term memory.
type Search struct {
	Text         *string     `json:"text,omitzero" jsonschema:"the text to search for; without it, all memories that pass the filters are listed"`
	Mode         *string     `json:"search_mode,omitzero" jsonschema:"semantic, keyword or hybrid; default semantic, which is hybrid with the word vectors of wmem unless there is a distance_threshold"`
	HybridAlpha  *Float      `json:"hybrid_alpha,omitzero" jsonschema:"the weight of vectors in a hybrid search, 0 to 1; default 0.7, or that of the embedder"`
	Distance     *Float      `json:"distance_threshold,omitzero" jsonschema:"the maximum distance of vectors, in semantic searches only"`
	Limit        *Int        `json:"limit,omitzero" jsonschema:"the maximum number of results, 1 to 100; default 10"`
	Offset       *Int        `json:"offset,omitzero" jsonschema:"how many results to skip; default 0"`
	SessionID    *TextFilter `json:"session_id,omitzero" jsonschema:"the session it came from"`
	Namespace    *TextFilter `json:"namespace,omitzero" jsonschema:"its namespace"`
	UserID       *TextFilter `json:"user_id,omitzero" jsonschema:"its user"`
	Topics       *TextFilter `json:"topics,omitzero" jsonschema:"its topics"`
	Entities     *TextFilter `json:"entities,omitzero" jsonschema:"names of the people and things it is about"`
	Type         *TextFilter `json:"memory_type,omitzero" jsonschema:"semantic, episodic or message"`
	Strategy     *TextFilter `json:"extraction_strategy,omitzero" jsonschema:"the strategy that extracted it"`
	CreatedAt    *TimeFilter `json:"created_at,omitzero" jsonschema:"when it was created"`
	LastAccessed *TimeFilter `json:"last_accessed,omitzero" jsonschema:"when a search last found it"`
	EventDate    *TimeFilter `json:"event_date,omitzero" jsonschema:"when its event happened"`

	RecencyBoost *Bool  `json:"recency_boost,omitzero" jsonschema:"whether recent memories rank higher; default true"`
	Semantic     *Float `json:"recency_semantic_weight,omitzero" jsonschema:"the weight of the match; default 0.8"`
	Recency      *Float `json:"recency_recency_weight,omitzero" jsonschema:"the weight of recency; default 0.2"`
	Freshness    *Float `json:"recency_freshness_weight,omitzero" jsonschema:"the weight of the last use in recency; default 0.6"`
	Novelty      *Float `json:"recency_novelty_weight,omitzero" jsonschema:"the weight of the creation in recency; default 0.4"`
	HalfAccess   *Float `json:"recency_half_life_last_access_days,omitzero" jsonschema:"days after which the last use counts half; default 7"`
	HalfCreated  *Float `json:"recency_half_life_created_days,omitzero" jsonschema:"days after which the creation counts half; default 30"`
}

// Found is a search result.
type Found struct {
	Memory
	// Dist is the distance, 0 in a list, where clients require it too.
	Dist      float64  `json:"dist" jsonschema:"the distance from the text; 0 in a list"`
	Score     *float64 `json:"score" jsonschema:"how well it matches, 0 to 1; null in a list"`
	ScoreType *string  `json:"score_type" jsonschema:"the search that made the score: semantic, keyword or hybrid; null in a list"`
}

// Results is a page of search results.
type Results struct {
	Memories   []Found `json:"memories" jsonschema:"the results on this page, best first"`
	Total      int     `json:"total" jsonschema:"the number of all results"`
	NextOffset *int    `json:"next_offset" jsonschema:"the offset of the next page; null on the last"`
}

// ForgetPolicy describes which memories to forget.
type ForgetPolicy struct {
	MaxAgeDays        *Float    `json:"max_age_days,omitzero" jsonschema:"the maximum number of days since its creation"`
	MaxInactiveDays   *Float    `json:"max_inactive_days,omitzero" jsonschema:"the maximum number of days since a search last found it"`
	Budget            *Int      `json:"budget,omitzero" jsonschema:"how many memories to keep, the most recently used"`
	Types             *[]string `json:"memory_type_allowlist,omitzero" wire:"max=1000" jsonschema:"the types that may be forgotten; default all"`
	HardAgeMultiplier *Float    `json:"hard_age_multiplier,omitzero" jsonschema:"if both limits are set, a memory this many times as old as max_age_days is forgotten in any case; default 12"`
}

// Forget is the body of a request to forget.
type Forget struct {
	Policy    *ForgetPolicy `json:"policy" wire:"required" jsonschema:"which memories may be forgotten"`
	PinnedIDs []string      `json:"pinned_ids,omitempty" wire:"max=1000" jsonschema:"ids of memories to keep"`
}

// ForgetResult is the result of forgetting or of a dry run.
type ForgetResult struct {
	Scanned    int      `json:"scanned" jsonschema:"how many memories were examined"`
	Deleted    int      `json:"deleted" jsonschema:"how many were deleted, or would be in a dry run"`
	DeletedIDs []string `json:"deleted_ids" jsonschema:"their ids"`
	DryRun     bool     `json:"dry_run" jsonschema:"whether nothing was deleted"`
}

// PromptSession names the session of a prompt.
type PromptSession struct {
	SessionID        string  `json:"session_id" wire:"required" jsonschema:"the id of the session"`
	Namespace        *string `json:"namespace,omitzero" jsonschema:"its namespace; default any that the token may see"`
	UserID           *string `json:"user_id,omitzero" jsonschema:"its user; default any that the token may see"`
	ModelName        *string `json:"model_name,omitzero" jsonschema:"the model whose context window applies"`
	ContextWindowMax *Int    `json:"context_window_max,omitzero" jsonschema:"the context window in tokens; takes precedence over the model's"`
}

// PromptRequest is the body of a request for a prompt.
type PromptRequest struct {
	Query   string         `json:"query" wire:"required" jsonschema:"the user's message"`
	Session *PromptSession `json:"session,omitzero" jsonschema:"the conversation that the query continues"`
	// LongTerm is false, true, or a search, whose text is the query by default.
	LongTerm *SearchOrBool `json:"long_term_search,omitzero" jsonschema:"true, or a search of long-term memory"`
}

// Prompt has the messages for a model.
type Prompt struct {
	Messages []PromptMessage `json:"messages" jsonschema:"the messages to send to the model unchanged"`
	// LongTerm is nil if there are none, as clients expect.
	LongTerm *[]Found `json:"long_term_memories" jsonschema:"the memories in the messages; null if there are none"`
}

// PromptMessage is a message for a model.
type PromptMessage struct {
	Role    string      `json:"role" jsonschema:"system, user, assistant or another role of the session"`
	Content TextContent `json:"content" jsonschema:"the content of the message"`
}

// TextContent is the content of a PromptMessage.
type TextContent struct {
	Type string `json:"type" jsonschema:"text"`
	Text string `json:"text" jsonschema:"the text"`
}
