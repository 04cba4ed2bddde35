package session

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/internal/jsonnumbers"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Format is the format in which this version writes sessions, and the latest that
// it reads. It grows with each change of what is written, also with a new field:
// who does not know a field would lose it.
//
// Format 2 brought progress to heads.
const Format = 2

// head is the JSON of all of a session but its messages.
type head struct {
	CreatedAt    time.Time      `json:"created_at"`
	LastAccessed time.Time      `json:"last_accessed,omitzero"`
	Context      string         `json:"context,omitempty"`
	Entities     jsontext.Value `json:"entities,omitempty"`
	Memories     []Memory       `json:"memories,omitempty"`
	Data         map[string]any `json:"data,omitempty"`
	Strategy     *Strategy      `json:"long_term_memory_strategy,omitempty"`
	TTLMillis    int64          `json:"ttl_ms,omitzero"`
	// Lease is until when somebody is writing a summary.
	Lease time.Time `json:"lease,omitzero"`
	// SummaryFailed is when a summary last failed, until one is written.
	SummaryFailed time.Time `json:"summary_failed,omitzero"`
	Progress      progress  `json:"progress,omitzero"`
}

// body is the JSON of a message; its id and tokens stand beside it.
type body struct {
	Role        string     `json:"role"`
	Content     string     `json:"content"`
	Name        string     `json:"name,omitempty"`
	Reasoning   string     `json:"reasoning_content,omitempty"`
	ToolCalls   []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID  string     `json:"tool_call_id,omitempty"`
	CreatedAt   time.Time  `json:"created_at,omitzero"`
	PersistedAt time.Time  `json:"persisted_at,omitzero"`
	Extracted   bool       `json:"discrete_memory_extracted,omitzero"`
}

// encodeHead returns the head of a session as JSON.
func encodeHead(s *Session) ([]byte, error) {
	if len(s.Context) > memory.MaxStateBytes {
		return nil, tooLarge(len(s.Context))
	}
	accessed := s.from.accessed // what was read, unless it was set to something later
	if s.LastAccessed.After(s.from.at.UpdatedAt) {
		accessed = s.LastAccessed
	}
	h := head{
		CreatedAt: s.CreatedAt.UTC(), LastAccessed: accessed.UTC(), Context: s.Context, Memories: s.Memories,
		Data: s.Data, Strategy: s.Strategy, TTLMillis: milliseconds(s.TTL), Lease: s.from.lease.UTC(),
		SummaryFailed: s.from.failed.UTC(), Progress: s.from.progress,
	}
	if s.Entities != nil && s.Entities.Len() > 0 {
		entities, err := s.Entities.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("session: writing entities: %w", err)
		}
		h.Entities = entities
	}
	data, err := json.Marshal(&h, json.Deterministic(true), jsonnumbers.Out())
	if err != nil {
		return nil, fmt.Errorf("session: writing the head: %w", withoutContent(err))
	}
	if len(data) > memory.MaxStateBytes {
		return nil, tooLarge(len(data))
	}
	return data, nil
}

func tooLarge(size int) error {
	return fmt.Errorf("session: writing the head: %w: %d bytes are more than the limit of %d", ErrTooLarge, size, memory.MaxStateBytes)
}

// milliseconds is a duration in milliseconds, a fraction as a whole one.
func milliseconds(d time.Duration) int64 {
	full := d / time.Millisecond
	if d > full*time.Millisecond && int64(full) < maxMillis {
		full++
	}
	return int64(full)
}

const maxMillis = math.MaxInt64 / int64(time.Millisecond)

// decodeHead reads a head into a session.
func decodeHead(data []byte, s *Session) error {
	var h head
	if err := json.Unmarshal(data, &h, json.RejectUnknownMembers(true), jsonnumbers.In()); err != nil {
		return withoutContent(err)
	}
	if h.CreatedAt.IsZero() {
		return errors.New("it has no created_at")
	}
	if h.TTLMillis < 0 || h.TTLMillis > maxMillis {
		return errors.New("its ttl_ms is out of range")
	}
	if err := h.Progress.check(s.from.at); err != nil {
		return err
	}
	if len(h.Entities) > 0 {
		if err := s.Entities.UnmarshalJSON(h.Entities); err != nil {
			return err
		}
	}
	s.CreatedAt, s.LastAccessed, s.Context, s.Memories = h.CreatedAt, h.LastAccessed, h.Context, h.Memories
	s.Data, s.Strategy, s.TTL = h.Data, h.Strategy, time.Duration(h.TTLMillis)*time.Millisecond
	s.from.lease, s.from.failed, s.from.accessed, s.from.ttl = h.Lease, h.SummaryFailed, h.LastAccessed, s.TTL
	s.from.progress = h.Progress
	s.Progress = h.Progress.at(s.from.at)
	if s.LastAccessed.Before(s.from.at.UpdatedAt) {
		s.LastAccessed = s.from.at.UpdatedAt
	}
	return nil
}

// encodeMessage returns a message as JSON.
func encodeMessage(m *Message) ([]byte, error) {
	data, err := json.Marshal(&body{
		Role: m.Role, Content: m.Content, Name: m.Name, Reasoning: m.Reasoning, ToolCalls: m.ToolCalls,
		ToolCallID: m.ToolCallID, CreatedAt: m.CreatedAt.UTC(), PersistedAt: m.PersistedAt.UTC(), Extracted: m.Extracted,
	})
	switch {
	case err != nil:
		return nil, withoutContent(err)
	case len(data) > MaxMessageBytes:
		return nil, ErrTooLarge
	}
	return data, nil
}

// decodeMessage reads a message.
func decodeMessage(stored *StoredMessage) (Message, error) {
	var b body
	if err := json.Unmarshal(stored.Body, &b, json.RejectUnknownMembers(true)); err != nil {
		return Message{}, withoutContent(err)
	}
	if b.Role == "" {
		return Message{}, ErrNoRole
	}
	return Message{
		ID: stored.ID, Seq: stored.Seq, Tokens: int(stored.Tokens), Role: b.Role, Content: b.Content, Name: b.Name, Reasoning: b.Reasoning,
		ToolCalls: b.ToolCalls, ToolCallID: b.ToolCallID, CreatedAt: b.CreatedAt, PersistedAt: b.PersistedAt, Extracted: b.Extracted,
	}, nil
}

// withoutContent makes an error that quotes nothing of what was read or written.
func withoutContent(err error) error {
	switch {
	case is[*jsontext.SyntacticError](err):
		return errors.New("it is not the JSON that it should be")
	case is[*json.SemanticError](err):
		wrong, _ := errors.AsType[*json.SemanticError](err)
		if errors.Is(err, json.ErrUnknownName) {
			return errors.New("it has a field that this version does not know")
		}
		return fmt.Errorf("a %v is not as it should be", wrong.GoType)
	default:
		return err
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
