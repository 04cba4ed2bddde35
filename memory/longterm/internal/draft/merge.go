package draft

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// outlives reports whether the id of a record replaces that of an existing record that is the
// same memory: a client knows the ids of its own records, but not those of extracted ones.
func outlives(r, existing *driver.Record) bool {
	if extracted, was := len(r.ExtractedFrom) > 0, len(existing.ExtractedFrom) > 0; extracted != was {
		return was
	}
	return !r.CreatedAt.IsZero() && r.CreatedAt.Before(existing.CreatedAt)
}

// merge combines two entries under the key of one of them and removes the other.
func (d *draft) merge(existing, e *driver.Entry, outlives bool) (stays, goes driver.RecordKey) {
	stays, goes = driver.KeyOf(&existing.Record), driver.KeyOf(&e.Record)
	merged := &driver.Entry{Record: mergeRecords(existing.Record, e.Record, outlives, d.now), Vector: existing.Vector, Model: existing.Model}
	fillTimes(&merged.Record, d.now)
	merged.Record.Hash = d.w.Hash(&merged.Record, false)
	if merged.Record.Text != existing.Record.Text || e.Model == d.w.model() && e.Record.Text == existing.Record.Text {
		merged.Vector, merged.Model = e.Vector, e.Model
	}
	own := existing
	if outlives {
		stays, goes, own = goes, stays, e
	}
	merged.Origin = originOf(own, &merged.Record)
	d.set(goes, nil)
	d.set(stays, merged)
	return stays, goes
}

// mergeRecords combines an existing record and another. If the other adds nothing, the result
// equals the existing record, so that putting it again changes nothing.
func mergeRecords(existing, r driver.Record, outlives bool, now time.Time) driver.Record {
	merged, other := existing, r
	if outlives {
		merged, other = r, existing
	}
	statedAt := r.UpdatedAt // zero: now
	if statedAt.IsZero() {
		statedAt = r.CreatedAt
	}
	merged.Text = newerText(&existing, &r, statedAt)
	if statedAt.IsZero() {
		statedAt = now
	}
	merged.UpdatedAt = latest(statedAt, existing.UpdatedAt)
	merged.CreatedAt = earliest(r.CreatedAt, existing.CreatedAt)
	merged.PersistedAt = earliest(r.PersistedAt, existing.PersistedAt)
	merged.LastAccessed = latest(r.LastAccessed, existing.LastAccessed)
	merged.AccessCount = max(r.AccessCount, existing.AccessCount)
	merged.Pinned = r.Pinned || existing.Pinned
	full := merged
	full.Topics, full.Entities = union(existing.Topics, r.Topics), union(existing.Entities, r.Entities)
	if len(merged.ExtractedFrom) > 0 { // a client's record remains a client's
		full.ExtractedFrom = union(existing.ExtractedFrom, r.ExtractedFrom)
	}
	if len(other.Metadata) > 0 {
		full.Metadata = maps.Clone(other.Metadata)
		maps.Copy(full.Metadata, merged.Metadata)
	}
	if driver.CheckRecord(&full) != nil { // the combination is too large
		return merged
	}
	return full
}

// newerText returns the text with the later statement, unless the other contains it. Between
// texts stated at the same time, the choice is deterministic. If statedAt is zero, r is stated
// now.
func newerText(existing, r *driver.Record, statedAt time.Time) string {
	newer, older := existing.Text, r.Text
	later := cmp.Or(statedAt.Compare(existing.UpdatedAt), cmp.Compare(len(r.Text), len(existing.Text)), strings.Compare(r.Text, existing.Text))
	if statedAt.IsZero() || later > 0 {
		newer, older = older, newer
	}
	if strings.Contains(older, newer) {
		return older
	}
	return newer
}

// union returns the texts of two lists, each once and in order, cut at MaxTags.
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

// earliest returns the earlier of two times that are set.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) && !b.IsZero() {
		return b
	}
	return a
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// inheritFrom sets the fields that a record keeps from the one that it replaces.
func inheritFrom(r, old *driver.Record, now time.Time) {
	if r.CreatedAt.IsZero() {
		r.CreatedAt = old.CreatedAt
	}
	if !r.UpdatedAt.After(old.UpdatedAt) {
		r.UpdatedAt = now
	}
	if r.LastAccessed.Before(old.LastAccessed) {
		r.LastAccessed = old.LastAccessed
	}
	r.AccessCount = max(r.AccessCount, old.AccessCount)
	if !old.PersistedAt.IsZero() {
		r.PersistedAt = old.PersistedAt
	}
}

// fillTimes sets the times that are zero.
func fillTimes(r *driver.Record, now time.Time) {
	fill := func(at *time.Time, with time.Time) {
		if at.IsZero() {
			*at = with
		}
	}
	fill(&r.CreatedAt, now)
	fill(&r.UpdatedAt, r.CreatedAt)
	fill(&r.LastAccessed, now)
	fill(&r.PersistedAt, now)
}
