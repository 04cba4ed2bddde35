package draft

import (
	"context"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/embedding"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
)

// Writer changes records of an index. It is safe for concurrent use. A change that conflicts
// with another is retried, and fails with driver.ErrConflict after 100 attempts.
type Writer struct {
	Index driver.Index
	// Embedder makes vectors; nil if the memory has none.
	Embedder *embedding.Embedder
	// AcrossSessions and MergeDistance are those of longterm.Options.
	AcrossSessions bool
	MergeDistance  float64
	Now            func() time.Time
}

// model returns the name of the embedder's model, "" without an embedder.
func (w *Writer) model() string {
	if w.Embedder == nil {
		return ""
	}
	return w.Embedder.Model
}

// draft holds the entries that a change involves, as they are in the index and as they will be.
// It is written in one compare-and-swap.
type draft struct {
	w      *Writer
	now    time.Time
	slots  map[driver.RecordKey]*slot
	hashes map[ownHash]driver.RecordKey // of the entries in slots
	// vectors caches the vectors of texts by the embedder. It outlasts the draft.
	vectors vectorCache
	// aside holds entries that are about to be replaced, which must not be merged with.
	aside map[driver.RecordKey]*driver.Entry
	// near holds what searchAllNear found.
	near map[nearKey][]driver.Hit
}

// slot is the place of an entry.
type slot struct {
	was   *driver.Entry // in the index; nil if the key is free
	entry *driver.Entry // to be written; nil if the key is to be free
}

// ownHash is a hash within an owner.
type ownHash struct{ namespace, userID, hash string }

func ownHashOf(r *driver.Record) ownHash { return ownHash{r.Namespace, r.UserID, r.Hash} }

func (w *Writer) newDraft(vectors vectorCache) *draft {
	return &draft{
		w: w, now: record.NormalizeTime(w.Now()), slots: map[driver.RecordKey]*slot{}, hashes: map[ownHash]driver.RecordKey{},
		vectors: vectors, aside: map[driver.RecordKey]*driver.Entry{}, near: map[nearKey][]driver.Hit{},
	}
}

// load reads the entries with the keys or hashes of records.
func (d *draft) load(ctx context.Context, records []driver.Record) error {
	keys := make([]driver.RecordKey, 0, len(records))
	for i := range records {
		keys = append(keys, driver.KeyOf(&records[i]))
	}
	if err := d.lookup(ctx, driver.Lookup{Keys: keys}); err != nil {
		return err
	}
	return d.loadHashes(ctx, records)
}

// loadHashes reads the entries with the hashes of records.
func (d *draft) loadHashes(ctx context.Context, records []driver.Record) error {
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

// lookup reads entries into free slots, and adds empty slots for keys without an entry.
func (d *draft) lookup(ctx context.Context, l driver.Lookup) error {
	entries, err := d.w.Index.Lookup(ctx, l)
	if err != nil {
		return err
	}
	for i := range entries {
		e := &entries[i]
		key := driver.KeyOf(&e.Record)
		if d.slots[key] != nil {
			if was := d.slots[key].was; was == nil || was.Version != e.Version {
				return driver.ErrConflict // it changed between two lookups
			}
			continue
		}
		d.slots[key] = &slot{was: e, entry: e}
		d.hashes[ownHashOf(&e.Record)] = key
		if d.w.model() != "" && e.Model == d.w.model() && len(e.Vector) > 0 {
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

// entry returns the present entry of a key that was read, nil if it has none.
func (d *draft) entry(key driver.RecordKey) *driver.Entry {
	if s := d.slots[key]; s != nil {
		return s.entry
	}
	return nil
}

// set replaces the entry of a key that was read; nil removes it.
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

// write writes all changed entries. Errors: ErrConflict.
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
			c.Entry.Terms = driver.RecordTerms(&c.Entry.Record)
		}
		changes = append(changes, c)
	}
	if len(changes) == 0 {
		return nil
	}
	slices.SortFunc(changes, func(a, b driver.RecordChange) int { return a.Key.Compare(b.Key) })
	return d.w.Index.Write(ctx, changes)
}

// unchanged reports whether the slot needs no write. Origin does not count: if the record is
// the same, so is what was put under its id.
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
		sameRecord(&a.Record, &b.Record)
}

// newEntry returns an entry of a record, with its vector if that is known. old is the entry
// that it replaces, if any.
func (d *draft) newEntry(r *driver.Record, old *driver.Entry) *driver.Entry {
	e := &driver.Entry{Record: *r}
	if vector := d.vectors[r.Text]; vector != nil {
		e.Vector, e.Model = vector, d.w.model()
	} else if old != nil && old.Record.Text == r.Text {
		e.Vector, e.Model = old.Vector, old.Model
	}
	return e
}
