package longterm

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// draft is what an index holds of the records that a change is about, and what is to
// become of them. Nobody else sees it before it is written, in one compare-and-swap.
type draft struct {
	m      *Memory
	now    time.Time
	slots  map[driver.RecordKey]*slot
	hashes map[ownHash]driver.RecordKey // of the entries in slots
	// vectors are those of texts, by the embedder. They outlast the draft.
	vectors map[string][]float32
	// aside are entries that are about to be replaced: nothing is merged with them.
	aside map[driver.RecordKey]*driver.Entry
}

// slot is a place for an entry.
type slot struct {
	was   *driver.Entry // in the index; nil: nothing is there
	entry *driver.Entry // nil: nothing is to be there
}

// ownHash is a hash among those of an owner.
type ownHash struct{ namespace, userID, hash string }

func ownHashOf(r *Record) ownHash { return ownHash{r.Namespace, r.UserID, r.Hash} }

func (m *Memory) newDraft(vectors map[string][]float32) *draft {
	return &draft{
		m: m, now: m.now(), slots: map[driver.RecordKey]*slot{}, hashes: map[ownHash]driver.RecordKey{}, vectors: vectors,
		aside: map[driver.RecordKey]*driver.Entry{},
	}
}

// load reads what has the keys or the hashes of records.
func (d *draft) load(ctx context.Context, records []Record) error {
	keys := make([]driver.RecordKey, 0, len(records))
	for i := range records {
		keys = append(keys, driver.KeyOf(&records[i]))
	}
	if err := d.lookup(ctx, driver.Lookup{Keys: keys}); err != nil {
		return err
	}
	return d.loadHashes(ctx, records)
}

// loadHashes reads what has the hashes of records.
func (d *draft) loadHashes(ctx context.Context, records []Record) error {
	hashes := map[[2]string][]string{}
	for i := range records {
		r := &records[i]
		owner := [2]string{r.Namespace, r.UserID}
		hashes[owner] = append(hashes[owner], r.Hash)
	}
	for owner, hashes := range hashes {
		if err := d.lookup(ctx, driver.Lookup{Hashes: hashes, Namespace: owner[0], UserID: owner[1]}); err != nil {
			return err
		}
	}
	return nil
}

// lookup reads entries that were not read yet. Of the keys it notes where nothing is.
func (d *draft) lookup(ctx context.Context, l driver.Lookup) error {
	entries, err := d.m.index.Lookup(ctx, l)
	if err != nil {
		return err
	}
	for i := range entries {
		e := &entries[i]
		key := driver.KeyOf(&e.Record)
		if d.slots[key] != nil {
			if was := d.slots[key].was; was == nil || was.Version != e.Version {
				return ErrConflict // it changed between two lookups
			}
			continue
		}
		d.slots[key] = &slot{was: e, entry: e}
		d.hashes[ownHashOf(&e.Record)] = key
		if d.m.model != "" && e.Model == d.m.model && len(e.Vector) > 0 {
			d.vectors[e.Record.Text] = e.Vector
		}
	}
	for _, key := range l.Keys {
		if d.slots[key] == nil {
			d.slots[key] = &slot{}
		}
	}
	return nil
}

// entry is the one that stands, or will, under a key that was read; nil: none.
func (d *draft) entry(key driver.RecordKey) *driver.Entry {
	if s := d.slots[key]; s != nil {
		return s.entry
	}
	return nil
}

// set puts an entry under a key that was read; nil removes what is there.
func (d *draft) set(key driver.RecordKey, e *driver.Entry) {
	s := d.slots[key]
	if s.entry != nil {
		if own := ownHashOf(&s.entry.Record); d.hashes[own] == key {
			delete(d.hashes, own)
		}
	}
	if s.entry = e; e != nil {
		d.hashes[ownHashOf(&e.Record)] = key
	}
}

// write makes all changes. Errors: ErrConflict.
func (d *draft) write(ctx context.Context) error {
	var changes []driver.RecordChange
	for key, s := range d.slots {
		if s.unchanged() {
			continue
		}
		c := driver.RecordChange{Key: key, Entry: s.entry}
		if s.was != nil {
			c.If = s.was.Version
		}
		if c.Entry != nil {
			c.Entry.Terms = termsOf(&c.Entry.Record)
		}
		changes = append(changes, c)
	}
	if len(changes) == 0 {
		return nil
	}
	slices.SortFunc(changes, func(a, b driver.RecordChange) int { return a.Key.Compare(b.Key) })
	return d.m.index.Write(ctx, changes)
}

// unchanged reports whether nothing is to be written. The Origin does not count: where the
// record is the same, what was put under its id is, too.
func (s *slot) unchanged() bool {
	switch {
	case s.was == s.entry:
		return true
	case s.was == nil || s.entry == nil:
		return false
	}
	a, b := s.was, s.entry
	return a.Model == b.Model &&
		a.Record.LastAccessed.Equal(b.Record.LastAccessed) && a.Record.AccessCount == b.Record.AccessCount &&
		same(&a.Record, &b.Record)
}

// same reports whether two records are the same but for UpdatedAt and their uses.
func same(a, b *Record) bool {
	return a.Text == b.Text && a.Hash == b.Hash && bytes.Equal(lasting(*a), lasting(*b))
}

// lasting is a record as JSON without what same passes over.
func lasting(r Record) []byte {
	r.UpdatedAt, r.LastAccessed, r.AccessCount = time.Time{}, time.Time{}, 0
	data, _ := json.Marshal(&r) // Check did so
	return data
}

// termsOf are what a record is found by.
func termsOf(r *Record) []string {
	terms := driver.Terms(r.Text)
	for _, tags := range [][]string{r.Topics, r.Entities} {
		for _, tag := range tags {
			terms = append(terms, driver.Terms(tag)...)
		}
	}
	return terms
}

// hash is Record.Hash, also of one that stays apart from others. Messages do in any case.
func (m *Memory) hash(r *Record, apart bool) string {
	if apart && r.Type != session.MemoryMessage {
		return apartHash(r)
	}
	return driver.HashOf(r, m.opts.AcrossSessions)
}

// apartHash is the hash of a record that is the same as no other: no HashOf begins so.
func apartHash(r *Record) string {
	message := *r
	message.Type = session.MemoryMessage
	return "apart:" + driver.HashOf(&message, false)
}

func isApart(r *Record) bool { return r.Hash == apartHash(r) }

// make makes an entry of a record, with its vector if that is known. old is what the
// record replaces.
func (d *draft) make(r *Record, old *driver.Entry) *driver.Entry {
	e := &driver.Entry{Record: *r}
	if vector := d.vectors[r.Text]; vector != nil {
		e.Vector, e.Model = vector, d.m.model
	} else if old != nil && old.Record.Text == r.Text {
		e.Vector, e.Model = old.Vector, old.Model
	}
	return e
}
