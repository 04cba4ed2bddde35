package driver

import "time"

// RecordType is what a Record is of.
type RecordType string

// The types of records.
const (
	RecordSemantic RecordType = "semantic" // a fact
	RecordEpisodic RecordType = "episodic" // what happened at a time
	RecordMessage  RecordType = "message"  // a message of a conversation
)

// Record is something to be remembered beyond its session, a memory. A session holds it
// until it goes into long-term memory, and afterwards, then with PersistedAt.
// Times that are zero are not known.
type Record struct {
	// ID identifies the memory among those of its namespace and user. One without an id
	// is given a ULID when it is written.
	ID string `json:"id"`
	// Text says it. A memory without one is not promoted.
	Text string `json:"text"`
	// Type is what it is of; empty means RecordSemantic.
	Type RecordType `json:"memory_type,omitempty"`
	// Topics and Entities are what the text is about, by name.
	Topics   []string `json:"topics,omitempty"`
	Entities []string `json:"entities,omitempty"`
	// Namespace, UserID and SessionID say whose it is; empty ones are the session's.
	Namespace string `json:"namespace,omitempty"`
	UserID    string `json:"user_id,omitempty"`
	SessionID string `json:"session_id,omitempty"`
	// EventDate is when it happened, for RecordEpisodic.
	EventDate time.Time `json:"event_date,omitzero"`
	// CreatedAt is when it was made, UpdatedAt when what it says was changed.
	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	// LastAccessed is when a search found it last, AccessCount how often one did.
	LastAccessed time.Time `json:"last_accessed,omitzero"`
	AccessCount  int       `json:"access_count,omitzero"`
	// Pinned keeps it from being forgotten.
	Pinned bool `json:"pinned,omitzero"`
	// Hash is that of what makes it the same as another.
	Hash string `json:"memory_hash,omitempty"`
	// PersistedAt is when it went into long-term memory; zero: not yet.
	PersistedAt time.Time `json:"persisted_at,omitzero"`
	// ExtractedFrom are the ids of the messages it was extracted from, by the
	// strategy of that name.
	ExtractedFrom      []string `json:"extracted_from,omitempty"`
	ExtractionStrategy string   `json:"extraction_strategy,omitempty"`
	// Metadata is whatever else there is to say, as in Session.Data.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// StrategyConfig says how memories are extracted from the messages of a session.
type StrategyConfig struct {
	// Name is "discrete", "summary", "preferences", "custom", "entities" or that of
	// another one that the LongTerm knows. By one that it does not know, nothing is extracted.
	Name string `json:"strategy"`
	// Config is the strategy's own, as in Session.Data.
	Config map[string]any `json:"config,omitempty"`
}
