package draft

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// outlives reports whether the id of a record replaces that of the same one which is
// there. Whoever made a record knows its id; who it was extracted for does not.
func outlives(r, there *driver.Record) bool {
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
	merged.Record.Hash = d.w.Hash(&merged.Record, false)
	if merged.Record.Text != there.Record.Text || e.Model == d.w.model() && e.Record.Text == there.Record.Text {
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
func mergeRecords(there, r driver.Record, outlives bool, now time.Time) driver.Record {
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
func newerText(there, r *driver.Record, said time.Time) string {
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

// earliest is the earlier of two times, as far as they are known.
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

// inherit takes over from a record what a new one of its id keeps.
func inherit(r, old *driver.Record, now time.Time) {
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

// complete fills in the times that are missing.
func complete(r *driver.Record, now time.Time) {
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
