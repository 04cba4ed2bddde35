package service

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/rest/wire"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// memoryRecord is a memory of the wire as a session or long-term memory keeps it. What
// it says of owners, uses and promotions is taken as it is: callers decide what counts.
func memoryRecord(m *wire.Memory) session.Memory {
	return session.Memory{
		ID: m.ID, Text: m.Text, Type: session.MemoryType(m.Type),
		Topics: slices.Clone([]string(m.Topics)), Entities: slices.Clone([]string(m.Entities)),
		Namespace: textOf(m.Namespace), UserID: textOf(m.UserID), SessionID: textOf(m.SessionID),
		EventDate: timeOf(m.EventDate), CreatedAt: timeOf(m.CreatedAt), UpdatedAt: timeOf(m.UpdatedAt),
		LastAccessed: timeOf(m.LastAccessed), PersistedAt: timeOf(m.PersistedAt),
		// So that none is so large that it cannot be counted on.
		AccessCount: int(min(max(m.AccessCount, 0), math.MaxInt32)),
		Pinned:      bool(m.Pinned), Hash: textOf(m.Hash),
		ExtractedFrom: slices.Clone([]string(m.ExtractedFrom)), ExtractionStrategy: m.ExtractionStrategy,
		Metadata: m.Metadata,
	}
}

// wireMemory is a memory as it is answered. What is promoted counts as extracted, as
// clients of agent-memory-server expect it.
func wireMemory(r *session.Memory) wire.Memory {
	return wire.Memory{
		ID: r.ID, Text: r.Text, Type: string(cmp.Or(r.Type, session.MemorySemantic)),
		Topics: wire.List(r.Topics), Entities: wire.List(r.Entities),
		Namespace: textOrNil(r.Namespace), UserID: textOrNil(r.UserID), SessionID: textOrNil(r.SessionID),
		EventDate: timeOrNil(r.EventDate), CreatedAt: timeOrNil(r.CreatedAt), UpdatedAt: timeOrNil(r.UpdatedAt),
		LastAccessed: timeOrNil(r.LastAccessed), PersistedAt: timeOrNil(r.PersistedAt),
		AccessCount: wire.Int(r.AccessCount), Pinned: wire.Bool(r.Pinned), Hash: textOrNil(r.Hash),
		Extracted:     wire.Flag(!r.PersistedAt.IsZero()),
		ExtractedFrom: wire.List(r.ExtractedFrom), ExtractionStrategy: r.ExtractionStrategy,
		Metadata: r.Metadata,
	}
}

// textOf is a text that may be null, which is as an empty one.
func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// textOrNil is null for an empty text.
func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// timeOf is a time that may be null: the zero time then.
func timeOf(t *wire.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// timeOrNil is null for the zero time.
func timeOrNil(at time.Time) *wire.Time {
	if at.IsZero() {
		return nil
	}
	return &wire.Time{Time: at.UTC()}
}
