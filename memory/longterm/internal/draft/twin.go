package draft

import (
	"context"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// twin returns the entry that is the same memory as one that is to be put, nil if
// there is none: that of its hash or, if it may be, the nearest.
func (d *draft) twin(ctx context.Context, e *longtermdriver.Entry, near bool) (*longtermdriver.Entry, error) {
	if e.Record.Type == sessiondriver.RecordMessage {
		return nil, nil
	}
	if key, ok := d.hashes[ownHashOf(&e.Record)]; ok && key != longtermdriver.KeyOf(&e.Record) {
		return d.entry(key), nil
	}
	if !near || e.Vector == nil || e.Model != d.w.model() || d.w.MergeDistance < 0 {
		return nil, nil
	}
	return d.nearest(ctx, e)
}

// maxNear is how many records are looked at for one that is near and of the same kind.
const maxNear = 20

// nearest returns the entry that is nearest to another, in the draft or in the index.
func (d *draft) nearest(ctx context.Context, e *longtermdriver.Entry) (*longtermdriver.Entry, error) {
	key := longtermdriver.KeyOf(&e.Record)
	best, similarity := (*longtermdriver.Entry)(nil), 0.0
	for other, s := range d.slots {
		if s.entry == nil || other == key {
			continue
		}
		got, ok := d.near(e, s.entry)
		if ok && (best == nil || got > similarity || got == similarity && other.Compare(longtermdriver.KeyOf(&best.Record)) < 0) {
			best, similarity = s.entry, got
		}
	}
	page, err := d.w.Index.Search(ctx, d.searchNear(e))
	if err != nil {
		return nil, err
	}
	for i := range page.Hits {
		hit := &page.Hits[i]
		other := longtermdriver.KeyOf(&hit.Record)
		if d.slots[other] != nil || !d.alike(&e.Record, &hit.Record) {
			continue
		}
		if best != nil && hit.Similarity <= similarity {
			break
		}
		if err := d.lookup(ctx, longtermdriver.Lookup{Keys: []longtermdriver.RecordKey{other}}); err != nil {
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

// searchNear is the search for entries that are near to another, and of the same kind.
func (d *draft) searchNear(e *longtermdriver.Entry) longtermdriver.Search {
	r := &e.Record
	s := longtermdriver.Search{
		Scope: longtermdriver.NewScope(&r.Namespace, &r.UserID), Mode: longtermdriver.ModeSemantic, Vector: e.Vector, Model: e.Model, Limit: maxNear,
		Filter:  longtermdriver.RecordFilter{Type: &longtermdriver.TextCondition{Eq: new(string(r.Type))}},
		Ranking: longtermdriver.Ranking{MaxDistance: &d.w.MergeDistance},
	}
	if !d.w.AcrossSessions {
		s.Filter.SessionID = &longtermdriver.TextCondition{Eq: &r.SessionID}
	}
	if !r.EventDate.IsZero() {
		s.Filter.EventDate = &longtermdriver.TimeCondition{Eq: &r.EventDate}
	}
	return s
}

// near reports whether two entries are one memory by their vectors, and their cosine.
func (d *draft) near(a, b *longtermdriver.Entry) (cosine float64, ok bool) {
	if a.Model != b.Model || len(a.Vector) != len(b.Vector) {
		return 0, false
	}
	for i := range a.Vector {
		cosine += float64(a.Vector[i]) * float64(b.Vector[i])
	}
	return cosine, 1-cosine <= d.w.MergeDistance && d.alike(&a.Record, &b.Record)
}

// alike reports whether a record may be one memory with another that is there, if
// their texts say the same. One that stays apart is not, and neither is one that has the
// hash of other options: Compact gives it another.
func (d *draft) alike(r, there *longtermdriver.Record) bool {
	return r.Namespace == there.Namespace && r.UserID == there.UserID && r.Type == there.Type &&
		(d.w.AcrossSessions || r.SessionID == there.SessionID) && r.EventDate.Equal(there.EventDate) &&
		there.Hash == d.w.Hash(there, false)
}
