package head

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// body is the JSON of a message. Its id and tokens are stored beside it.
type body struct {
	Role        string            `json:"role"`
	Content     string            `json:"content"`
	Name        string            `json:"name,omitempty"`
	Reasoning   string            `json:"reasoning_content,omitempty"`
	ToolCalls   []driver.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID  string            `json:"tool_call_id,omitempty"`
	CreatedAt   time.Time         `json:"created_at,omitzero"`
	PersistedAt time.Time         `json:"persisted_at,omitzero"`
	Extracted   bool              `json:"discrete_memory_extracted,omitzero"`
}

// EncodeMessages fills in missing fields of messages, counts their tokens and encodes them.
// Errors: *driver.MessageError.
func EncodeMessages(messages []driver.Message, counter memory.TokenCounter, now time.Time) ([]driver.StoredMessage, error) {
	stored := make([]driver.StoredMessage, len(messages))
	for i := range messages {
		var err error
		if stored[i], err = encodeMessage(&messages[i], counter, now); err != nil {
			return nil, &driver.MessageError{Index: i, Err: err}
		}
	}
	return stored, nil
}

func encodeMessage(m *driver.Message, counter memory.TokenCounter, now time.Time) (driver.StoredMessage, error) {
	if err := check(m); err != nil {
		return driver.StoredMessage{}, err
	}
	if m.ID == "" {
		m.ID = ulid.Make().String()
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = now
	}
	m.CreatedAt = m.CreatedAt.UTC()
	m.Tokens = counter.CountTokens(m.Text())
	encoded, err := encodeBody(m)
	return driver.StoredMessage{ID: m.ID, Tokens: int64(m.Tokens), Body: encoded}, err
}

// encodeBody returns a message as JSON.
func encodeBody(m *driver.Message) ([]byte, error) {
	data, err := json.Marshal(&body{
		Role: m.Role, Content: m.Content, Name: m.Name, Reasoning: m.Reasoning, ToolCalls: m.ToolCalls,
		ToolCallID: m.ToolCallID, CreatedAt: m.CreatedAt.UTC(), PersistedAt: m.PersistedAt.UTC(), Extracted: m.Extracted,
	})
	switch {
	case err != nil:
		return nil, withoutContent(err)
	case len(data) > driver.MaxMessageBytes:
		return nil, driver.ErrTooLarge
	}
	return data, nil
}

// decodeMessage reads a message.
func decodeMessage(stored *driver.StoredMessage) (driver.Message, error) {
	var b body
	if err := json.Unmarshal(stored.Body, &b, json.RejectUnknownMembers(true)); err != nil {
		return driver.Message{}, withoutContent(err)
	}
	if b.Role == "" {
		return driver.Message{}, driver.ErrNoRole
	}
	return driver.Message{
		ID: stored.ID, Seq: stored.Seq, Tokens: int(stored.Tokens), Role: b.Role, Content: b.Content, Name: b.Name, Reasoning: b.Reasoning,
		ToolCalls: b.ToolCalls, ToolCallID: b.ToolCallID, CreatedAt: b.CreatedAt, PersistedAt: b.PersistedAt, Extracted: b.Extracted,
	}, nil
}

// check returns why a message is invalid: the Err of a *MessageError.
func check(m *driver.Message) error {
	switch {
	case m.Role == "":
		return driver.ErrNoRole
	case len(m.ID) > driver.MaxIDBytes:
		return driver.ErrIDTooLong
	}
	size := 0
	for text := range texts(m) {
		if size += len(text); size > driver.MaxMessageBytes {
			return driver.ErrTooLarge
		}
		if !utf8.ValidString(text) {
			return driver.ErrInvalidUTF8
		}
	}
	return nil
}

// texts yields all texts of a message.
func texts(m *driver.Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, text := range []string{m.ID, m.Role, m.Content, m.Name, m.Reasoning, m.ToolCallID} {
			if !yield(text) {
				return
			}
		}
		for _, c := range m.ToolCalls {
			for _, text := range []string{c.ID, c.Type, c.Name, c.Arguments} {
				if !yield(text) {
					return
				}
			}
		}
	}
}

// Clone returns a deep copy of messages.
func Clone(messages []driver.Message) []driver.Message {
	messages = slices.Clone(messages)
	for i := range messages {
		messages[i].ToolCalls = slices.Clone(messages[i].ToolCalls)
	}
	return messages
}

// withoutContent returns an error that quotes no contents.
func withoutContent(err error) error {
	switch {
	case is[*jsontext.SyntacticError](err):
		return errors.New("invalid JSON")
	case is[*json.SemanticError](err):
		wrong, _ := errors.AsType[*json.SemanticError](err)
		if errors.Is(err, json.ErrUnknownName) {
			return errors.New("a field that this version does not know")
		}
		return fmt.Errorf("an invalid %v", wrong.GoType)
	default:
		return err
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
