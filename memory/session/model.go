package session

import (
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// The model of a session. It is defined in package driver, which a program that uses a
// Manager need not import.
type (
	// Key names a session.
	Key = driver.Key
	// Message is a message of a conversation.
	Message = driver.Message
	// ToolCall is a call that a model asks for.
	ToolCall = driver.ToolCall
	// Record is something to be remembered beyond its session, a memory.
	Record = driver.Record
	// RecordType is what a Record of long-term memory is of.
	RecordType = driver.RecordType
	// StrategyConfig configures how memories are extracted from messages.
	StrategyConfig = driver.StrategyConfig
	// ListOptions select the sessions that Manager.List returns.
	ListOptions = driver.ListOptions
	// Listing is the result of Manager.List.
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
