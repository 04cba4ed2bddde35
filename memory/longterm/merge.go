package longterm

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// twin returns the entry that is the same memory as one that is to be put, nil if
// there is none: that of its hash or, if it may be, the nearest.
func (d *draft) twin(ctx context.Context, e *driver.Entry, near bool) (*driver.Entry, error) {
	if e.Record.Type == session.MemoryMessage {
		return nil, nil
	}
	if key, ok := d.hashes[ownHashOf(&e.Record)]; ok && key != driver.KeyOf(&e.Record) {
		return d.entry(key), nil
	}
	if !near || e.Vector == nil || e.Model != d.m.model || d.m.opts.MergeDistance < 0 {
		return nil, nil
	}
	return d.nearest(ctx, e)
}

// maxNear is how many records are looked at for one that is near and of the same kind.
const maxNear = 20

// nearest returns the entry that is nearest to another, in the draft or in the index.
func (d *draft) nearest(ctx context.Context, e *driver.Entry) (*driver.Entry, error) {
	key := driver.KeyOf(&e.Record)
	best, similarity := (*driver.Entry)(nil), 0.0
	for other, s := range d.slots {
		if s.entry == nil || other == key {
			continue
		}
		got, ok := d.near(e, s.entry)
		if ok && (best == nil || got > similarity || got == similarity && other.Compare(driver.KeyOf(&best.Record)) < 0) {
			best, similarity = s.entry, got
		}
	}
	r := &e.Record
	s := driver.Search{
		Scope: Of(r.Namespace, r.UserID), Mode: ModeSemantic, Vector: e.Vector, Model: e.Model, Limit: maxNear,
		Filter:  RecordFilter{Type: &TextCondition{Eq: new(string(r.Type))}},
		Ranking: driver.Ranking{MaxDistance: &d.m.opts.MergeDistance},
	}
	if !d.m.opts.AcrossSessions {
		s.Filter.SessionID = &TextCondition{Eq: &r.SessionID}
	}
	if !r.EventDate.IsZero() {
		s.Filter.EventDate = &TimeCondition{Eq: &r.EventDate}
	}
	page, err := d.m.index.Search(ctx, s)
	if err != nil {
		return nil, err
	}
	for i := range page.Hits {
		hit := &page.Hits[i]
		other := driver.KeyOf(&hit.Record)
		if d.slots[other] != nil || !d.alike(r, &hit.Record) {
			continue
		}
		if best != nil && hit.Similarity <= similarity {
			break
		}
		if err := d.lookup(ctx, driver.Lookup{Keys: []driver.RecordKey{other}}); err != nil {
			return nil, err
		}
		if there := d.entry(other); there != nil {
			if _, ok := d.near(e, there); ok {
				return there, nil
			}
		}
	}
	return best, nil
}

// near reports whether two entries are one memory by their vectors, and their cosine.
func (d *draft) near(a, b *driver.Entry) (cosine float64, ok bool) {
	if a.Model != b.Model || len(a.Vector) != len(b.Vector) {
		return 0, false
	}
	for i := range a.Vector {
		cosine += float64(a.Vector[i]) * float64(b.Vector[i])
	}
	return cosine, 1-cosine <= d.m.opts.MergeDistance && d.alike(&a.Record, &b.Record)
}

// alike reports whether a record may be one memory with another that is there, if
// their texts say the same. One that stays apart is not, and neither is one that has the
// hash of other options: Compact gives it another.
func (d *draft) alike(r, there *Record) bool {
	return r.Namespace == there.Namespace && r.UserID == there.UserID && r.Type == there.Type &&
		(d.m.opts.AcrossSessions || r.SessionID == there.SessionID) && r.EventDate.Equal(there.EventDate) &&
		there.Hash == d.m.hash(there, false)
}

// outlives reports whether the id of a record replaces that of the same one which is
// there. Whoever made a record knows its id; who it was extracted for does not.
func outlives(r, there *Record) bool {
	if extracted, was := len(r.ExtractedFrom) > 0, len(there.ExtractedFrom) > 0; extracted != was {
		return was
	}
	return !r.CreatedAt.IsZero() && r.CreatedAt.Before(there.CreatedAt)
}

// merge makes one entry of two, under the key of the one that is there or of the
// other. Nothing is left under the one that goes.
func (d *draft) merge(there, e *driver.Entry, outlives bool) (stays, goes driver.RecordKey) {
	stays, goes = driver.KeyOf(&there.Record), driver.KeyOf(&e.Record)
	merged := &driver.Entry{Record: mergeRecords(there.Record, e.Record, outlives, d.now), Vector: there.Vector, Model: there.Model}
	complete(&merged.Record, d.now)
	merged.Record.Hash = d.m.hash(&merged.Record, false)
	if merged.Record.Text != there.Record.Text || e.Model == d.m.model && e.Record.Text == there.Record.Text {
		merged.Vector, merged.Model = e.Vector, e.Model
	}
	own := there
	if outlives {
		stays, goes, own = goes, stays, e
	}
	merged.Origin = originOf(own, &merged.Record)
	d.set(goes, nil)
	d.set(stays, merged)
	return stays, goes
}

// mergeRecords makes one record of one that is there and another. If nothing that is
// put is lost by it, putting it again changes nothing.
func mergeRecords(there, r Record, outlives bool, now time.Time) Record {
	merged, other := there, r
	if outlives {
		merged, other = r, there
	}
	said := r.UpdatedAt // when r says it; zero: now
	if said.IsZero() {
		said = r.CreatedAt
	}
	merged.Text = newerText(&there, &r, said)
	if said.IsZero() {
		said = now
	}
	merged.UpdatedAt = latest(said, there.UpdatedAt)
	merged.CreatedAt = earliest(r.CreatedAt, there.CreatedAt)
	merged.PersistedAt = earliest(r.PersistedAt, there.PersistedAt)
	merged.LastAccessed = latest(r.LastAccessed, there.LastAccessed)
	merged.AccessCount = max(r.AccessCount, there.AccessCount)
	merged.Pinned = r.Pinned || there.Pinned
	full := merged
	full.Topics, full.Entities = union(there.Topics, r.Topics), union(there.Entities, r.Entities)
	if len(merged.ExtractedFrom) > 0 { // a client's record stays one
		full.ExtractedFrom = union(there.ExtractedFrom, r.ExtractedFrom)
	}
	if len(other.Metadata) > 0 {
		full.Metadata = maps.Clone(other.Metadata)
		maps.Copy(full.Metadata, merged.Metadata)
	}
	if driver.CheckRecord(&full) != nil { // both together are too large
		return merged
	}
	return full
}

// newerText is the text of two near ones that was said last, unless the other contains
// it. Of those that were said at the same time it is always the same one. What brings no
// time is said now.
func newerText(there, r *Record, said time.Time) string {
	newer, older := there.Text, r.Text
	later := cmp.Or(said.Compare(there.UpdatedAt), cmp.Compare(len(r.Text), len(there.Text)), strings.Compare(r.Text, there.Text))
	if said.IsZero() || later > 0 {
		newer, older = older, newer
	}
	if strings.Contains(older, newer) {
		return older
	}
	return newer
}

// union are the texts of two lists, each once, in their order, cut at MaxTags.
func union(a, b []string) []string {
	all := slices.Clip(a)
	had := make(map[string]bool, len(a))
	for _, text := range a {
		had[text] = true
	}
	for _, text := range b {
		if !had[text] && len(all) < driver.MaxTags {
			had[text] = true
			all = append(all, text)
		}
	}
	return all
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// earliest is the earlier of two times, as far as they are known.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) && !b.IsZero() {
		return b
	}
	return a
}
