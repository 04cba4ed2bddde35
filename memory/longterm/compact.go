package longterm

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Compaction is what Memory.Compact did.
type Compaction struct {
	// Merged is how many records were merged into others, Remaining how many there are.
	Merged, Remaining int
}

// Compact merges the records of a scope that are one memory by the options as they are
// now, as Put does: those that were put with PutOptions.NoMerge or other options, at the
// same moment, or without an Embedder. It reads all records, and with an Embedder
// searches once for each; it embeds none, see Reembed. It may run while others put,
// and again after an error. Errors: ErrScope, ErrConflict after 100 attempts,
// ErrUnavailable, ErrClosed.
func (m *Memory) Compact(ctx context.Context, scope Scope) (Compaction, error) {
	var c Compaction
	err := m.eachPage(ctx, scope, RecordFilter{Type: &TextCondition{Ne: new(string(session.MemoryMessage))}}, func(keys []driver.RecordKey) error {
		merged := 0
		err := retry(ctx, func() (err error) {
			merged, err = m.compactSome(ctx, keys)
			return err
		})
		c.Merged += merged
		return err
	})
	if err != nil {
		return c, fmt.Errorf("longterm: compacting: %w", err)
	}
	page, err := m.index.Search(ctx, driver.Search{Scope: scope})
	if err != nil {
		return c, fmt.Errorf("longterm: compacting: %w", err)
	}
	c.Remaining = page.Total
	return c, nil
}

// compactSome merges records with others in one write, and returns how many went.
func (m *Memory) compactSome(ctx context.Context, keys []driver.RecordKey) (merged int, err error) {
	d := m.newDraft(map[string][]float32{})
	if err := d.lookup(ctx, driver.Lookup{Keys: keys}); err != nil {
		return 0, err
	}
	var records []Record
	for _, key := range keys {
		if e := d.entry(key); e != nil {
			r := e.Record
			r.Hash = m.hash(&r, false)
			records = append(records, r)
		}
	}
	if err := d.loadHashes(ctx, records); err != nil {
		return 0, err
	}
	for i := range records {
		gone, err := d.compact(ctx, &records[i])
		if err != nil {
			return 0, err
		}
		merged += gone
	}
	return merged, d.write(ctx)
}

// compact merges a record with the one that is the same, and returns how many went.
func (d *draft) compact(ctx context.Context, r *Record) (int, error) {
	key := driver.KeyOf(r)
	stands := d.entry(key)
	if stands == nil || stands.Record.Text != r.Text { // merged just now
		return 0, nil
	}
	e := *stands
	e.Record.Hash = r.Hash
	there, err := d.twin(ctx, &e, true)
	switch {
	case err != nil:
		return 0, err
	case there != nil:
		d.merge(there, &e, outlives(&e.Record, &there.Record))
		return 1, nil
	case e.Record.Hash != stands.Record.Hash:
		d.set(key, &e)
	}
	return 0, nil
}
