package driver

import (
	"errors"
	"fmt"
	"time"
)

// The roles of messages. Any other text is a role too.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system"
	// RoleTool is the role of the result of a tool call.
	RoleTool = "tool"
)

// Limits of messages.
const (
	// MaxIDBytes is the maximum length of an id: 1 KiB.
	MaxIDBytes = 1 << 10
	// MaxMessageBytes is the maximum size of a message as JSON: 32 MiB.
	MaxMessageBytes = 32 << 20
)

// Causes of a *MessageError.
var (
	ErrNoRole      = errors.New("no role")
	ErrIDTooLong   = errors.New("id is too long")
	ErrInvalidUTF8 = errors.New("not valid UTF-8")
	ErrTooLarge    = errors.New("too large")
	ErrDuplicateID = errors.New("another message has the same id")
)

// Message is a message of a conversation.
type Message struct {
	// ID identifies the message in its session. It has at most MaxIDBytes bytes; a write
	// fills in a ULID if it is empty.
	ID string
	// Role is the speaker: RoleUser, RoleAssistant, RoleSystem, RoleTool, or any other
	// text. It must not be empty.
	Role string
	// Content is the text. It may be empty.
	Content string
	// Name is the name of the speaker, or of the function that returned a result. Optional.
	Name string
	// Reasoning is the reasoning of the model before its answer. Optional.
	Reasoning string
	// ToolCalls are the calls that the model requests.
	ToolCalls []ToolCall
	// ToolCallID is the id of the call that the message is the result of.
	ToolCallID string
	// CreatedAt is when the message was created, in UTC and to the nanosecond. The zero
	// time means the time of the write.
	CreatedAt time.Time
	// PersistedAt is when the message was kept in long-term memory. It is zero before.
	PersistedAt time.Time
	// Extracted reports whether memories were extracted from the message.
	Extracted bool
	// Seq is the number of the message in its session, from 1 on and ascending. It is read
	// only, and 0 in a new message.
	Seq uint64
	// Tokens is the number of tokens of the message, counted when it is written. It is read
	// only.
	Tokens int
}

// ToolCall is a call requested by a model.
type ToolCall struct {
	// ID is the id that the result refers to. It is empty for models that give none.
	ID string `json:"id,omitempty"`
	// Type is "function", or another type of the provider.
	Type string `json:"type,omitempty"`
	// Name is the tool's name.
	Name string `json:"name"`
	// Arguments holds the arguments as text, usually JSON.
	Arguments string `json:"arguments,omitempty"`
}

// MessageError is returned for a message that cannot be written. None of its call was
// written.
type MessageError struct {
	// Index is the position of the message in its call.
	Index int
	// Err is the cause: ErrNoRole, ErrIDTooLong, ErrInvalidUTF8, ErrTooLarge or
	// ErrDuplicateID.
	Err error
}

// Error implements error. It quotes nothing of the message.
func (e *MessageError) Error() string { return fmt.Sprintf("session: message %d: %v", e.Index, e.Err) }

// Unwrap returns the cause.
func (e *MessageError) Unwrap() error { return e.Err }

// Text returns the text that is counted and summarised: "role: content", and a line
// "name(arguments)" for each tool call.
func (m *Message) Text() string {
	text := m.Role + ": " + m.Content
	for _, c := range m.ToolCalls {
		text += "\n" + c.Name + "(" + c.Arguments + ")"
	}
	return text
}

// IsResult reports whether the message is the result of a tool call.
func (m *Message) IsResult() bool {
	return m.Role == RoleTool || m.Role == "function" || m.ToolCallID != ""
}
