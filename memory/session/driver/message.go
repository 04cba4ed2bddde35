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

// The limits of messages.
const (
	// MaxIDBytes is how long an id of a message may be: 1 KiB.
	MaxIDBytes = 1 << 10
	// MaxMessageBytes is how large a message may be as JSON: 32 MiB.
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
	// ID identifies the message in its session, in up to MaxIDBytes. One without an
	// id is given a ULID when it is written.
	ID string
	// Role is who speaks: RoleUser, RoleAssistant, RoleSystem, RoleTool, or any
	// other text. It must not be empty.
	Role string
	// Content is the text. It may be empty.
	Content string
	// Name is that of the speaker, or of the function that a result is of. Optional.
	Name string
	// Reasoning is what a model thought before it answered. Optional.
	Reasoning string
	// ToolCalls are the calls that a message of the model asks for.
	ToolCalls []ToolCall
	// ToolCallID is the id of the call that the message is the result of.
	ToolCallID string
	// CreatedAt is when the message came about. The zero time becomes that of the
	// write. It has a resolution of a nanosecond and is kept in UTC.
	CreatedAt time.Time
	// PersistedAt is when the message went into long-term memory; zero: not yet.
	PersistedAt time.Time
	// Extracted says that memories were extracted from the message.
	Extracted bool
	// Seq is the message's number in its session, from 1 on, larger than those of the
	// messages before it. It is only read, and 0 in a message that was not.
	Seq uint64
	// Tokens is the number of tokens of the message, counted when it is written. It
	// is only read: what a caller sets does not count.
	Tokens int
}

// ToolCall is a call that a model asks for.
type ToolCall struct {
	// ID joins the call and its result. It may be empty for models that give none.
	ID string `json:"id,omitempty"`
	// Type is "function", or what else a provider calls it.
	Type string `json:"type,omitempty"`
	// Name is the tool's name.
	Name string `json:"name"`
	// Arguments is the text of the arguments, mostly JSON.
	Arguments string `json:"arguments,omitempty"`
}

// MessageError says which message was refused, with all others of its call.
type MessageError struct {
	// Index is the message's position in what was given.
	Index int
	// Err is the cause: ErrNoRole, ErrIDTooLong, ErrInvalidUTF8, ErrTooLarge or
	// ErrDuplicateID.
	Err error
}

// Error implements error. It has nothing of the message.
func (e *MessageError) Error() string { return fmt.Sprintf("session: message %d: %v", e.Index, e.Err) }

// Unwrap returns the cause.
func (e *MessageError) Unwrap() error { return e.Err }

// Text is what a message counts as, and what is summarised of it: "role: content",
// and behind it a line "name(arguments)" for each tool call.
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
