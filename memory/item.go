package memory

import "time"

// ItemType says what an item of an ItemStore is.
type ItemType string

// The types of items.
const (
	ItemConversation ItemType = "conversation"
	ItemAction       ItemType = "action"
	ItemObservation  ItemType = "observation"
	ItemGoal         ItemType = "goal"
	ItemSkill        ItemType = "skill"
	ItemFact         ItemType = "fact"
	ItemPattern      ItemType = "pattern"
	ItemError        ItemType = "error"
	ItemCustom       ItemType = "custom"
)

// DefaultImportance is the importance of an item that comes without one.
const DefaultImportance = 0.5

// ItemInput is what ItemStore.Memorize takes. Only Text is required.
type ItemInput struct {
	// ID names the item; "" lets the store make one.
	ID string
	// Type says what it is. "" means ItemCustom.
	Type ItemType
	// Text is what is remembered.
	Text string
	// AgentID is the agent that it belongs to.
	AgentID string
	// Tags are words to find it by.
	Tags []string
	// Metadata is whatever else the caller wants back.
	Metadata map[string]string
	// Timestamp is when it came about; zero means now.
	Timestamp time.Time
	// StepIndex is the step in which it came about; nil means the current one.
	StepIndex *int
	// Importance is from 0 to 1; nil means DefaultImportance.
	Importance *float64
}

// Item is an item of an ItemStore, as it was when the store was asked. It is a
// copy: to change it changes nothing in the store.
type Item struct {
	ID        string            `json:"id"`
	Type      ItemType          `json:"type"`
	Text      string            `json:"text"`
	Tokens    int               `json:"tokens"` // of Text, counted on entry
	Timestamp time.Time         `json:"timestamp"`
	AgentID   string            `json:"agent_id,omitempty"`
	Tags      []string          `json:"tags,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	// Position is the place in the store: 0 is the oldest item, without gaps.
	Position int `json:"position"`
	// StepIndex is the step in which it came about.
	StepIndex  int     `json:"step_index"`
	Importance float64 `json:"importance"`
	// Deleted says that it was forgotten softly, and can be restored.
	Deleted bool `json:"deleted,omitempty"`
}
