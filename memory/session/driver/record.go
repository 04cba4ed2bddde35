package driver

import "time"

// RecordType is the type of a Record.
type RecordType string

// The types of records.
const (
	RecordSemantic RecordType = "semantic" // a fact
	RecordEpisodic RecordType = "episodic" // an event at a point in time
	RecordMessage  RecordType = "message"  // a message of a conversation
)

// Record is a memory: something to remember beyond its session. A session holds it until it
// is promoted, and afterwards with its PersistedAt. A time that is zero is not known.
type Record struct {
	// ID is unique within a namespace and user. A write fills in a ULID if it is empty.
	ID string `json:"id"`
	// Text is the memory itself. A memory without text is not promoted.
	Text string `json:"text"`
	// Type is the type of the memory. Empty means RecordSemantic.
	Type RecordType `json:"memory_type,omitempty"`
	// Topics and Entities name the subjects of the text.
	Topics   []string `json:"topics,omitempty"`
	Entities []string `json:"entities,omitempty"`
	// Namespace, UserID and SessionID are the owner. Those that are empty default to those
	// of the session.
	Namespace string `json:"namespace,omitempty"`
	UserID    string `json:"user_id,omitempty"`
	SessionID string `json:"session_id,omitempty"`
	// EventDate is when the event of a RecordEpisodic happened.
	EventDate time.Time `json:"event_date,omitzero"`
	// CreatedAt is when the memory was created, UpdatedAt when its text last changed.
	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	// LastAccessed is when a search last found it, AccessCount how often.
	LastAccessed time.Time `json:"last_accessed,omitzero"`
	AccessCount  int       `json:"access_count,omitzero"`
	// Pinned protects it from being forgotten.
	Pinned bool `json:"pinned,omitzero"`
	// Hash identifies records with the same content.
	Hash string `json:"memory_hash,omitempty"`
	// PersistedAt is when it was kept in long-term memory. It is zero before.
	PersistedAt time.Time `json:"persisted_at,omitzero"`
	// ExtractedFrom has the ids of the messages that it was extracted from,
	// ExtractionStrategy the name of the strategy.
	ExtractedFrom      []string `json:"extracted_from,omitempty"`
	ExtractionStrategy string   `json:"extraction_strategy,omitempty"`
	// ExtractionConfig has the settings of the strategy, as in Session.Data.
	ExtractionConfig map[string]any `json:"extraction_strategy_config,omitempty"`
	// Metadata is any JSON object, as in Session.Data.
	Metadata map[string]any `json:"metadata,omitempty"`
}

// StrategyConfig configures how memories are extracted from the messages of a session.
type StrategyConfig struct {
	// Name is "discrete", "summary", "preferences", "custom", "entities" or another
	// strategy of the LongTerm. A strategy that it does not know extracts nothing.
	Name string `json:"strategy"`
	// Config has the settings of the strategy, as in Session.Data.
	Config map[string]any `json:"config,omitempty"`
}
