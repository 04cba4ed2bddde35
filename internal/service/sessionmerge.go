package service

import (
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// mergeMessage fills the empty fields of a message from its stored version, except for those
// that the caller cleared. The state of promotion is that of the stored version, or none if the
// message has changed.
func mergeMessage(m, was *session.Message, cleared []string) {
	m.PersistedAt, m.Extracted = time.Time{}, false
	m.CreatedAt = mergeTime(m.CreatedAt, was.CreatedAt)
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

// mergeMemory fills the empty fields of a memory from its stored version.
func mergeMemory(m, was *session.Record, unpinned bool) {
	m.CreatedAt = mergeTime(m.CreatedAt, was.CreatedAt)
	m.UpdatedAt = mergeOptionalTime(m.UpdatedAt, was.UpdatedAt, was.CreatedAt)
	m.LastAccessed = mergeOptionalTime(m.LastAccessed, was.LastAccessed, was.CreatedAt)
	if !m.EventDate.IsZero() {
		m.EventDate = mergeTime(m.EventDate, was.EventDate)
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
	if m.ExtractionConfig == nil {
		m.ExtractionConfig = was.ExtractionConfig
	}
	if m.Metadata == nil {
		m.Metadata = was.Metadata
	}
	if sameContent(m, was) { // it may have been promoted since the client read it
		m.PersistedAt = mergeTime(m.PersistedAt, was.PersistedAt)
	}
}

func sameContent(a, b *session.Record) bool {
	return a.Text == b.Text && kindOf(a) == kindOf(b) && a.Namespace == b.Namespace && a.UserID == b.UserID && a.SessionID == b.SessionID &&
		a.EventDate.Equal(b.EventDate) && slices.Equal(a.Topics, b.Topics) && slices.Equal(a.Entities, b.Entities)
}

// kindOf returns the type of a memory, which is semantic by default.
func kindOf(m *session.Record) session.RecordType {
	if m.Type == "" {
		return session.RecordSemantic
	}
	return m.Type
}

// mergeTime returns the time that a client gave, or the stored one if the client gave none or
// a truncation of it. Answers have microseconds, and clients may keep less.
func mergeTime(given, was time.Time) time.Time {
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

// mergeOptionalTime is mergeTime for a time that answers replace by first if it is zero.
func mergeOptionalTime(given, was, first time.Time) time.Time {
	if was.IsZero() && mergeTime(given, first).Equal(first) {
		return was
	}
	return mergeTime(given, was)
}

// checkContent returns Bad for a message without content unless it has tool calls or is a
// result.
func checkContent(m *session.Message) error {
	if strings.TrimSpace(m.Content) != "" || len(m.ToolCalls) > 0 || m.IsResult() {
		return nil
	}
	return emptyContentError(m.ID)
}

// checkDuplicates returns Invalid if two messages have the same id.
func checkDuplicates(messages []session.Message) error {
	seen := make(map[string]bool, len(messages))
	for i := range messages {
		if id := messages[i].ID; id != "" {
			if seen[id] {
				return messageError(&session.MessageError{Index: i, Err: session.ErrDuplicateID})
			}
			seen[id] = true
		}
	}
	return nil
}
