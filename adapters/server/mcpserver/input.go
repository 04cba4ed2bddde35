package mcpserver

import (
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// message is a message in the arguments of a tool: the fields of wire.Message that a caller may
// set.
type message struct {
	Role       string          `json:"role" wire:"required" jsonschema:"who speaks: user, assistant, system, tool, or any other text"`
	Content    string          `json:"content" wire:"required" jsonschema:"the text"`
	ID         string          `json:"id,omitempty" jsonschema:"identifies the message in its session; made where it is missing"`
	CreatedAt  *wire.Time      `json:"created_at,omitempty" jsonschema:"when the message came about; now where it is missing"`
	Name       string          `json:"name,omitempty" jsonschema:"of the speaker, or of the function that a result is of"`
	ToolCalls  []wire.ToolCall `json:"tool_calls,omitempty" jsonschema:"the calls that a message of the model asks for"`
	ToolCallID string          `json:"tool_call_id,omitempty" jsonschema:"the id of the call that the message is the result of"`
}

func messages(given []message) []wire.Message {
	all := make([]wire.Message, len(given))
	for i, m := range given {
		all[i] = wire.Message{
			Role: m.Role, Content: m.Content, ID: m.ID, CreatedAt: m.CreatedAt,
			Name: m.Name, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID,
		}
	}
	return all
}

// record is a memory in the arguments of a tool: the fields of wire.Memory that a caller may set.
type record struct {
	ID        string         `json:"id,omitempty" jsonschema:"identifies the memory; made where it is missing"`
	Text      string         `json:"text" wire:"required" jsonschema:"the text to remember, understandable by itself"`
	Type      string         `json:"memory_type,omitempty" jsonschema:"semantic: a fact; episodic: what happened at a time; semantic where it is missing"`
	Topics    []string       `json:"topics,omitempty" jsonschema:"what it is about; without commas"`
	Entities  []string       `json:"entities,omitempty" jsonschema:"whom and what it is about, by name; without commas"`
	Namespace *string        `json:"namespace,omitempty" jsonschema:"the namespace it goes to"`
	UserID    *string        `json:"user_id,omitempty" jsonschema:"whose it is"`
	SessionID *string        `json:"session_id,omitempty" jsonschema:"the session it came from"`
	EventDate *wire.Time     `json:"event_date,omitempty" jsonschema:"when it happened, of an episodic one"`
	CreatedAt *wire.Time     `json:"created_at,omitempty" jsonschema:"when it was made; now where it is missing"`
	Pinned    *wire.Bool     `json:"pinned,omitempty" jsonschema:"it is never forgotten"`
	Metadata  map[string]any `json:"metadata,omitempty" jsonschema:"whatever else there is to say"`
}

func records(given []record) []wire.Memory {
	all := make([]wire.Memory, len(given))
	for i, r := range given {
		all[i] = wire.Memory{
			ID: r.ID, Text: r.Text, Type: r.Type, Topics: r.Topics, Entities: r.Entities,
			Namespace: r.Namespace, UserID: r.UserID, SessionID: r.SessionID,
			EventDate: r.EventDate, CreatedAt: r.CreatedAt, Pinned: r.Pinned, Metadata: r.Metadata,
		}
	}
	return all
}
