package service

import (
	"math"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// memoryRecord is a memory of the wire as a session or long-term memory keeps it. What
// it says of owners, uses and promotions is taken as it is: callers decide what counts.
func memoryRecord(m *wire.Memory) session.Memory {
	return session.Memory{
		ID: m.ID, Text: m.Text, Type: session.MemoryType(m.Type),
		Topics: slices.Clone([]string(m.Topics)), Entities: slices.Clone([]string(m.Entities)),
		Namespace: orElse(m.Namespace, ""), UserID: orElse(m.UserID, ""), SessionID: orElse(m.SessionID, ""),
		EventDate: timeIn(m.EventDate), CreatedAt: timeIn(m.CreatedAt), UpdatedAt: timeIn(m.UpdatedAt),
		LastAccessed: timeIn(m.LastAccessed), PersistedAt: timeIn(m.PersistedAt),
		// So that none is so large that it cannot be counted on.
		AccessCount: int(min(m.AccessCount, math.MaxInt32)),
		Pinned:      m.Pinned != nil && bool(*m.Pinned), Hash: orElse(m.Hash, ""),
		ExtractedFrom: slices.Clone([]string(m.ExtractedFrom)), ExtractionStrategy: m.ExtractionStrategy,
		Metadata: m.Metadata,
	}
}

// wireMemory is a memory as it is answered. Of times that are not known clients would make
// up their own. What is promoted counts as extracted, as clients of agent-memory-server
// expect it. Its lists have no commas: clients refuse answers that have one, and programs
// and messages' ids may bring what no request may.
func wireMemory(r *session.Memory) wire.Memory {
	return wire.Memory{
		ID: r.ID, Text: r.Text, Type: string(kindOf(r)), Topics: tagsOut(r.Topics), Entities: tagsOut(r.Entities),
		Namespace: orNull(r.Namespace), UserID: orNull(r.UserID), SessionID: orNull(r.SessionID),
		EventDate: timeOut(r.EventDate), CreatedAt: timeOut(r.CreatedAt), UpdatedAt: timeOut(latest(r.UpdatedAt, r.CreatedAt)),
		LastAccessed: timeOut(latest(r.LastAccessed, r.CreatedAt)), PersistedAt: timeOut(r.PersistedAt),
		AccessCount: wire.Int(r.AccessCount), Pinned: new(wire.Bool(r.Pinned)), Hash: orNull(r.Hash),
		Extracted:     wire.Flag(!r.PersistedAt.IsZero()),
		ExtractedFrom: idsOut(r.ExtractedFrom), ExtractionStrategy: r.ExtractionStrategy,
		Metadata: r.Metadata,
	}
}

// tagsOut are topics or names of entities, never nil.
func tagsOut(tags []string) wire.List {
	out := make(wire.List, len(tags))
	for i, tag := range tags {
		if out[i] = tag; strings.Contains(tag, ",") {
			out[i] = strings.Join(strings.Fields(strings.ReplaceAll(tag, ",", " ")), " ")
		}
	}
	return out
}

// idsOut are ids, never nil. One with a comma would be another without.
func idsOut(ids []string) wire.List {
	out := make(wire.List, 0, len(ids))
	for _, id := range ids {
		if !strings.Contains(id, ",") {
			out = append(out, id)
		}
	}
	return out
}
