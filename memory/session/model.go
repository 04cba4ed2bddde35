package session

import (
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// The model of a session. It is defined in package driver, which a program that uses a
// Manager need not import.
type (
	// Key names a session, by the strings Namespace, UserID and SessionID. The first two
	// may be empty, which is a namespace and a user like any other; the parts may hold any
	// bytes. String returns it as text, which ParseKey reads; Check returns ErrKey for a
	// key that names no session.
	Key = driver.Key
	// Message is a message of a conversation. A program sets Role, which must not be
	// empty, and Content; where they apply Name (of the speaker, or of the function that
	// the result is of), Reasoning, ToolCalls (a []ToolCall) and ToolCallID (the call
	// that the message is the result of). ID and CreatedAt get values when they are
	// written without. PersistedAt and Extracted report how far the message was promoted.
	// Seq, its number in the session, and Tokens are only read.
	Message = driver.Message
	// ToolCall is a call that a model asks for: the strings ID, which joins it with its
	// result, Type ("function"), Name and Arguments, mostly JSON.
	ToolCall = driver.ToolCall
	// Record is something to be remembered beyond its session, a memory. Text is what it
	// says; the rest is optional. ID identifies it among those of its namespace and user,
	// and gets a value if it is empty. Type is a RecordType, by default RecordSemantic.
	// Topics and Entities are what it is about, by name. Namespace, UserID and SessionID
	// are its session's if they are empty. EventDate is when it happened. Pinned keeps it
	// from being forgotten. Metadata is any JSON object. CreatedAt, UpdatedAt,
	// LastAccessed, AccessCount, Hash, PersistedAt, ExtractedFrom and ExtractionStrategy
	// are set when it is written, extracted, promoted or found.
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
	// Listing is the result of Manager.List: Keys, and in Total the number of sessions
	// that match, without Limit and Offset.
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
	RecordEpisodic = driver.RecordEpisodic // what happened at a time
	RecordMessage  = driver.RecordMessage  // a message of a conversation
)

// DefaultListLimit is the number of keys that Manager.List returns at most if
// ListOptions.Limit is 0: 100.
const DefaultListLimit = driver.DefaultListLimit

// Limits of keys and messages.
const (
	// MaxKeyBytes is how long the parts of a Key may be together: 64 KiB.
	MaxKeyBytes = driver.MaxKeyBytes
	// MaxIDBytes is how long an id of a message may be: 1 KiB.
	MaxIDBytes = driver.MaxIDBytes
	// MaxMessageBytes is how large a message may be as JSON: 32 MiB.
	MaxMessageBytes = driver.MaxMessageBytes
)

// NoExpiry is a TTL in WriteOptions that takes a running expiry away.
const NoExpiry = driver.NoExpiry

// ParseKey reads what Key.String returned, and nothing else. Errors: ErrKey.
func ParseKey(text string) (Key, error) { return driver.ParseKey(text) }
