package draft

import (
	"context"
	"time"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// twin returns the entry that is the same memory as e, nil if no such entry exists: the one with
// its hash or, if near is true, the nearest.
func (d *draft) twin(ctx context.Context, e *longtermdriver.Entry, near bool) (*longtermdriver.Entry, error) {
	if e.Record.Type == sessiondriver.RecordMessage {
		return nil, nil
	}
	if key, ok := d.hashes[ownHashOf(&e.Record)]; ok && key != longtermdriver.KeyOf(&e.Record) {
		return d.entry(key), nil
	}
	if !near || !d.mayHaveNear(e) {
		return nil, nil
	}
	return d.nearest(ctx, e)
}

// mayHaveNear reports whether an entry can merge with a similar one.
func (d *draft) mayHaveNear(e *longtermdriver.Entry) bool {
	return e.Record.Type != sessiondriver.RecordMessage && e.Vector != nil && e.Model == d.w.model() && d.w.MergeDistance >= 0
}

// nearKey identifies what searchNear depends on.
type nearKey struct {
	namespace, userID, session, text string
	kind                             sessiondriver.RecordType
	event                            time.Time
}

func nearKeyOf(e *longtermdriver.Entry) nearKey {
	r := &e.Record
	return nearKey{r.Namespace, r.UserID, r.SessionID, r.Text, r.Type, r.EventDate}
}

// searchAllNear searches the index for entries similar to records, all at once: one by one, that
// would take most of the time of a large Put.
func (d *draft) searchAllNear(ctx context.Context, records []longtermdriver.Record) error {
	var keys []nearKey
	var searches []longtermdriver.Search
	for i := range records {
		e := d.newEntry(&records[i], nil)
		key := nearKeyOf(e)
		if _, known := d.near[key]; !known && d.mayHaveNear(e) {
			d.near[key] = nil
			keys, searches = append(keys, key), append(searches, d.searchNear(e))
		}
	}
	if len(searches) == 0 {
		return nil
	}
	found, err := d.w.Index.Nearest(ctx, searches)
	if err != nil {
		return err
	}
	for i, key := range keys {
		d.near[key] = found[i]
	}
	return nil
}

// maxNear limits the candidates of a search for a similar record.
const maxNear = 20

// nearest returns the entry nearest to e that it may merge with, in the draft or in the index.
func (d *draft) nearest(ctx context.Context, e *longtermdriver.Entry) (*longtermdriver.Entry, error) {
	key := longtermdriver.KeyOf(&e.Record)
	best, similarity := (*longtermdriver.Entry)(nil), 0.0
	for other, s := range d.slots {
		if s.entry == nil || other == key {
			continue
		}
		got, ok := d.isNear(e, s.entry)
		if ok && (best == nil || got > similarity || got == similarity && other.Compare(longtermdriver.KeyOf(&best.Record)) < 0) {
			best, similarity = s.entry, got
		}
	}
	hits, known := d.near[nearKeyOf(e)]
	if !known {
		found, err := d.w.Index.Nearest(ctx, []longtermdriver.Search{d.searchNear(e)})
		if err != nil {
			return nil, err
		}
		hits = found[0]
	}
	for i := range hits {
		hit := &hits[i]
		other := longtermdriver.KeyOf(&hit.Record)
		if d.slots[other] != nil || !d.mayMerge(&e.Record, &hit.Record) {
			continue
		}
		if best != nil && hit.Similarity <= similarity {
			break
		}
		if err := d.lookup(ctx, longtermdriver.Lookup{Keys: []longtermdriver.RecordKey{other}}); err != nil {
			return nil, err
		}
		if existing := d.entry(other); existing != nil {
			if _, ok := d.isNear(e, existing); ok {
				return existing, nil
			}
		}
	}
	return best, nil
}

// searchNear returns the search for entries similar to e.
func (d *draft) searchNear(e *longtermdriver.Entry) longtermdriver.Search {
	r := &e.Record
	s := longtermdriver.Search{
		Scope: longtermdriver.NewScope(&r.Namespace, &r.UserID), Mode: longtermdriver.ModeSemantic, Vector: e.Vector, Model: e.Model, Limit: maxNear, NoTotal: true,
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

// isNear reports whether the vectors of two entries make them one memory, and their cosine.
func (d *draft) isNear(a, b *longtermdriver.Entry) (cosine float64, ok bool) {
	if a.Model != b.Model || len(a.Vector) != len(b.Vector) {
		return 0, false
	}
	for i := range a.Vector {
		cosine += float64(a.Vector[i]) * float64(b.Vector[i])
	}
	return cosine, 1-cosine <= d.w.MergeDistance && d.mayMerge(&a.Record, &b.Record)
}

// mayMerge reports whether a record may merge with an existing one if their texts are similar. A
// record that was put apart does not merge, nor does one with a hash of other options, until
// Compact updates the hash.
func (d *draft) mayMerge(r, existing *longtermdriver.Record) bool {
	return r.Namespace == existing.Namespace && r.UserID == existing.UserID && r.Type == existing.Type &&
		(d.w.AcrossSessions || r.SessionID == existing.SessionID) && r.EventDate.Equal(existing.EventDate) &&
		existing.Hash == d.w.Hash(existing, false)
}
