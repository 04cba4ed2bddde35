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

// Memories converts the memories of a request. Owners, uses and promotions are as the client
// gave them.
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
			// Leave room to count further uses.
			AccessCount: int(min(m.AccessCount, math.MaxInt32)),
			Pinned:      boolean(m.Pinned), Hash: orElse(m.Hash, ""),
			ExtractedFrom: slices.Clone([]string(m.ExtractedFrom)), ExtractionStrategy: extractionStrategy(m),
			ExtractionConfig: m.ExtractionConfig, Metadata: m.Metadata,
		}
	}
	return memories
}

// extractionStrategy returns the strategy of a memory, "" for a client's own, which answers give
// the default one: sessions keep all memories of clients, but few that were extracted.
func extractionStrategy(m *wire.Memory) string {
	if m.ExtractionStrategy == service.DefaultStrategy && len(m.ExtractedFrom) == 0 {
		return ""
	}
	return m.ExtractionStrategy
}

// Memory converts a memory for an answer. Unknown times become the creation time, since clients
// would make up their own. A promoted memory counts as extracted, as clients of
// agent-memory-server expect. Lists have no commas, which clients refuse; they may come from
// programs and from ids of messages.
func Memory(r *session.Record) wire.Memory {
	return wire.Memory{
		ID: r.ID, Text: r.Text, Type: string(cmp.Or(r.Type, session.RecordSemantic)), Topics: tagsOut(r.Topics), Entities: tagsOut(r.Entities),
		Namespace: orNull(r.Namespace), UserID: orNull(r.UserID), SessionID: orNull(r.SessionID),
		EventDate: timeOut(r.EventDate), CreatedAt: timeOut(r.CreatedAt), UpdatedAt: timeOut(timeOr(r.UpdatedAt, r.CreatedAt)),
		LastAccessed: timeOut(timeOr(r.LastAccessed, r.CreatedAt)), PersistedAt: timeOut(r.PersistedAt),
		AccessCount: wire.Int(r.AccessCount), Pinned: new(wire.Bool(r.Pinned)), Hash: orNull(r.Hash),
		Extracted:     wire.Flag(!r.PersistedAt.IsZero()),
		ExtractedFrom: idsOut(r.ExtractedFrom), ExtractionStrategy: cmp.Or(r.ExtractionStrategy, service.DefaultStrategy),
		ExtractionConfig: objectOut(r.ExtractionConfig), Metadata: objectOut(r.Metadata),
	}
}

// objectOut returns an object, never nil.
func objectOut(object map[string]any) map[string]any {
	if object == nil {
		return map[string]any{}
	}
	return object
}

// tagsOut replaces commas in topics or names of entities by spaces. It never returns nil.
func tagsOut(tags []string) wire.List {
	out := make(wire.List, len(tags))
	for i, tag := range tags {
		if out[i] = tag; strings.Contains(tag, ",") {
			out[i] = strings.Join(strings.Fields(strings.ReplaceAll(tag, ",", " ")), " ")
		}
	}
	return out
}

// idsOut leaves out ids with a comma, which would be other ids without it. It never returns nil.
func idsOut(ids []string) wire.List {
	out := make(wire.List, 0, len(ids))
	for _, id := range ids {
		if !strings.Contains(id, ",") {
			out = append(out, id)
		}
	}
	return out
}

// Apart reports whether a body asks not to merge equal memories.
func Apart(body *wire.MemoryBody) bool { return body.Deduplicate != nil && !bool(*body.Deduplicate) }

// MemoryPatch converts a patch.
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

// Forget converts a body, whose Policy must not be nil.
func Forget(body *wire.Forget) *service.Forget {
	p := body.Policy
	return &service.Forget{
		MaxAgeDays: float(p.MaxAgeDays), MaxInactiveDays: float(p.MaxInactiveDays), HardAgeMultiplier: float(p.HardAgeMultiplier),
		Budget: integer(p.Budget), Types: p.Types, PinnedIDs: body.PinnedIDs,
	}
}

// Forgotten converts the result of forgetting.
func Forgotten(f longterm.ForgetResult) *wire.ForgetResult {
	out := &wire.ForgetResult{Scanned: f.Scanned, Deleted: len(f.Keys), DeletedIDs: []string{}, DryRun: f.DryRun}
	for _, key := range f.Keys {
		out.DeletedIDs = append(out.DeletedIDs, key.ID)
	}
	return out
}
