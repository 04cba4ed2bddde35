package translate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Memories returns memories of a request. What they say of owners, uses and promotions is as
// it was given.
func Memories(given []wire.Memory) []session.Record {
	memories := make([]session.Record, len(given))
	for i := range given {
		m := &given[i]
		memories[i] = session.Record{
			ID: m.ID, Text: m.Text, Type: session.RecordType(m.Type),
			Topics: slices.Clone([]string(m.Topics)), Entities: slices.Clone([]string(m.Entities)),
			Namespace: orElse(m.Namespace, ""), UserID: orElse(m.UserID, ""), SessionID: orElse(m.SessionID, ""),
			EventDate: timeIn(m.EventDate), CreatedAt: timeIn(m.CreatedAt), UpdatedAt: timeIn(m.UpdatedAt),
			LastAccessed: timeIn(m.LastAccessed), PersistedAt: timeIn(m.PersistedAt),
			// So that none is so large that it cannot be counted on.
			AccessCount: int(min(m.AccessCount, math.MaxInt32)),
			Pinned:      boolean(m.Pinned), Hash: orElse(m.Hash, ""),
			ExtractedFrom: slices.Clone([]string(m.ExtractedFrom)), ExtractionStrategy: m.ExtractionStrategy,
			Metadata: m.Metadata,
		}
	}
	return memories
}

// Memory returns a memory as it is answered. Of times that are not known clients would make
// up their own. What is promoted counts as extracted, as clients of agent-memory-server
// expect it. Its lists have no commas: clients refuse answers that have one, and programs
// and messages' ids may bring what no request may.
func Memory(r *session.Record) wire.Memory {
	return wire.Memory{
		ID: r.ID, Text: r.Text, Type: string(cmp.Or(r.Type, session.RecordSemantic)), Topics: tagsOut(r.Topics), Entities: tagsOut(r.Entities),
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

// Apart reports whether a body asks for memories that are the same to stay apart.
func Apart(body *wire.MemoryBody) bool { return body.Deduplicate != nil && !bool(*body.Deduplicate) }

// MemoryPatch returns what a patch changes.
func MemoryPatch(p *wire.MemoryPatch) *service.MemoryPatch {
	patch := &service.MemoryPatch{
		Text: p.Text, Type: p.Type, Topics: (*[]string)(p.Topics), Entities: (*[]string)(p.Entities),
		Namespace: p.Namespace, UserID: p.UserID, SessionID: p.SessionID, EventDate: instant(p.EventDate),
	}
	if p.Pinned != nil {
		patch.Pinned = new(bool(*p.Pinned))
	}
	return patch
}

// Forget returns what a body forgets. Its policy is there.
func Forget(body *wire.Forget) *service.Forget {
	p := body.Policy
	return &service.Forget{
		MaxAgeDays: float(p.MaxAgeDays), MaxInactiveDays: float(p.MaxInactiveDays), HardAgeMultiplier: float(p.HardAgeMultiplier),
		Budget: integer(p.Budget), Types: p.Types, PinnedIDs: body.PinnedIDs,
	}
}

// Forgotten returns what was forgotten.
func Forgotten(f longterm.ForgetResult) *wire.ForgetResult {
	out := &wire.ForgetResult{Scanned: f.Scanned, Deleted: len(f.Keys), DeletedIDs: []string{}, DryRun: f.DryRun}
	for _, key := range f.Keys {
		out.DeletedIDs = append(out.DeletedIDs, key.ID)
	}
	return out
}
