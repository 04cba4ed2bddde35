package service

import (
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// fresh returns a message that a caller gave without what it says of long-term memory, which
// the session knows.
func fresh(m session.Message) session.Message {
	m.PersistedAt, m.Extracted = time.Time{}, false
	return m
}

// keepMessage lets a message that comes back keep what it was, but for the fields that were
// cleared.
func keepMessage(m, was *session.Message, cleared []string) {
	m.CreatedAt = unlessShown(m.CreatedAt, was.CreatedAt)
	if m.Role != was.Role || m.Content != was.Content {
		return
	}
	for _, text := range []struct {
		field   string
		is, was *string
	}{
		{"name", &m.Name, &was.Name}, {"reasoning", &m.Reasoning, &was.Reasoning}, {"tool_call_id", &m.ToolCallID, &was.ToolCallID},
	} {
		if *text.is == "" && !slices.Contains(cleared, text.field) {
			*text.is = *text.was
		}
	}
	if m.ToolCalls == nil && !slices.Contains(cleared, "tool_calls") {
		m.ToolCalls = slices.Clone(was.ToolCalls)
	}
	if m.Name == was.Name && m.Reasoning == was.Reasoning && m.ToolCallID == was.ToolCallID && slices.Equal(m.ToolCalls, was.ToolCalls) {
		m.PersistedAt, m.Extracted = was.PersistedAt, was.Extracted
	}
}

// keepMemory lets a memory that comes back keep what it was, but for what was given.
func keepMemory(m, was *session.Record, unpinned bool) {
	m.CreatedAt = unlessShown(m.CreatedAt, was.CreatedAt)
	m.UpdatedAt = unlessFirst(m.UpdatedAt, was.UpdatedAt, was.CreatedAt)
	m.LastAccessed = unlessFirst(m.LastAccessed, was.LastAccessed, was.CreatedAt)
	if !m.EventDate.IsZero() {
		m.EventDate = unlessShown(m.EventDate, was.EventDate)
	}
	if !m.Pinned && !unpinned {
		m.Pinned = was.Pinned
	}
	if m.AccessCount == 0 {
		m.AccessCount = was.AccessCount
	}
	if m.ExtractionStrategy == "" {
		m.ExtractionStrategy = was.ExtractionStrategy
	}
	if m.Metadata == nil {
		m.Metadata = was.Metadata
	}
	if saysTheSame(m, was) { // it was promoted as it is, maybe since the client read it
		m.PersistedAt = unlessShown(m.PersistedAt, was.PersistedAt)
	}
}

func saysTheSame(a, b *session.Record) bool {
	return a.Text == b.Text && kindOf(a) == kindOf(b) && a.Namespace == b.Namespace && a.UserID == b.UserID && a.SessionID == b.SessionID &&
		a.EventDate.Equal(b.EventDate) && slices.Equal(a.Topics, b.Topics) && slices.Equal(a.Entities, b.Entities)
}

// kindOf is the type of a memory.
func kindOf(m *session.Record) session.RecordType {
	if m.Type == "" {
		return session.RecordSemantic
	}
	return m.Type
}

// unlessShown returns a time that a client gave; or the one that there was, if it gave none
// or that one, as it was shown: to the microsecond, or less if the client has no more.
func unlessShown(given, was time.Time) time.Time {
	if given.IsZero() {
		return was
	}
	for _, unit := range []time.Duration{time.Microsecond, time.Millisecond, time.Second} {
		if given.Truncate(unit).Equal(given) && given.Sub(was).Abs() < unit {
			return was
		}
	}
	return given
}

// unlessFirst is unlessShown where a time that is not known was shown as the first one.
func unlessFirst(given, was, first time.Time) time.Time {
	if was.IsZero() && unlessShown(given, first).Equal(first) {
		return was
	}
	return unlessShown(given, was)
}

// checkContent refuses a message that says nothing, calls nothing and is no result.
func checkContent(index int, m *session.Message) error {
	if strings.TrimSpace(m.Content) != "" || len(m.ToolCalls) > 0 || m.IsResult() {
		return nil
	}
	return emptyContent(index, m.ID)
}

// checkDuplicates refuses messages that have the same id. Errors: Invalid.
func checkDuplicates(messages []session.Message) error {
	seen := make(map[string]bool, len(messages))
	for i := range messages {
		if id := messages[i].ID; id != "" {
			if seen[id] {
				return wrongMessage(&session.MessageError{Index: i, Err: session.ErrDuplicateID})
			}
			seen[id] = true
		}
	}
	return nil
}
