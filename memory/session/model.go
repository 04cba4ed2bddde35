package session

import (
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// The model of a session, declared in package driver.
type (
	// Key identifies a session by the strings Namespace, UserID and SessionID. The first
	// two may be empty; the parts may hold any bytes. ParseKey reads the result of String.
	// Check returns ErrKey for an invalid key.
	Key = driver.Key
	// Message is a message of a conversation. A program sets Role, which must not be
	// empty, Content and, where they apply, Name (of the speaker, or of the function that
	// returned a result), Reasoning, ToolCalls (a []ToolCall) and ToolCallID (the call that
	// the message is the result of). A write fills in ID and CreatedAt if they are missing.
	// PersistedAt and Extracted report the progress of promotion. Seq, the number of the
	// message in the session, and Tokens are read only.
	Message = driver.Message
	// ToolCall is a call requested by a model: the strings ID, which its result refers to,
	// Type ("function"), Name and Arguments, usually JSON.
	ToolCall = driver.ToolCall
	// Record is a memory: something to remember beyond its session. Only Text is required.
	// ID is unique within a namespace and user, and generated if it is empty. Type is a
	// RecordType, by default RecordSemantic. Topics and Entities name its subjects.
	// Namespace, UserID and SessionID default to those of the session. EventDate is when it
	// happened. Pinned protects it from being forgotten. Metadata is any JSON object.
	// CreatedAt, UpdatedAt, LastAccessed, AccessCount, Hash, PersistedAt, ExtractedFrom and
	// ExtractionStrategy are set when it is written, extracted, promoted or found.
	Record = driver.Record
	// RecordType is the type of a Record: RecordSemantic, RecordEpisodic or RecordMessage.
	RecordType = driver.RecordType
	// StrategyConfig configures how memories are extracted from the messages of a session:
	// Name is the strategy ("discrete", "summary", "preferences", "custom", "entities" or
	// one of the program's own), Config its settings, a map[string]any.
	StrategyConfig = driver.StrategyConfig
	// ListOptions selects the sessions that Manager.List returns. Namespace, UserID and
	// SessionID are pointers to strings: those that are not nil must be equal to the
	// key's. Limit is the maximum number of keys to return, from the one at Offset on: 0
	// means DefaultListLimit, a negative one no limit. The zero value selects all sessions,
	// and lists the first DefaultListLimit of them.
	ListOptions = driver.ListOptions
	// Durability is what Manager.Durability reports: Level is "synced", "delayed", "none" or
	// "unknown", and Settings are the settings of the server that it follows from.
	Durability = driver.Durability
	// Listing is the result of Manager.List: Keys, and in Total the number of all sessions
	// that match.
	Listing = driver.Listing
)

// The roles of messages. Any other text is a role too.
const (
	RoleUser      = driver.RoleUser
	RoleAssistant = driver.RoleAssistant
	RoleSystem    = driver.RoleSystem
	// RoleTool is the role of the result of a tool call.
	RoleTool = driver.RoleTool
)

// The types of records.
const (
	RecordSemantic = driver.RecordSemantic // a fact
	RecordEpisodic = driver.RecordEpisodic // an event at a point in time
	RecordMessage  = driver.RecordMessage  // a message of a conversation
)

// DefaultListLimit is the default of ListOptions.Limit: 100 keys.
const DefaultListLimit = driver.DefaultListLimit

// Limits of keys and messages.
const (
	// MaxKeyBytes is the maximum length of the parts of a Key together: 64 KiB.
	MaxKeyBytes = driver.MaxKeyBytes
	// MaxIDBytes is the maximum length of the id of a message: 1 KiB.
	MaxIDBytes = driver.MaxIDBytes
	// MaxMessageBytes is the maximum size of a message as JSON: 32 MiB.
	MaxMessageBytes = driver.MaxMessageBytes
)

// NoExpiry is a TTL in WriteOptions that removes a running expiry.
const NoExpiry = driver.NoExpiry

// ParseKey parses the result of Key.String. Errors: ErrKey.
func ParseKey(text string) (Key, error) { return driver.ParseKey(text) }
