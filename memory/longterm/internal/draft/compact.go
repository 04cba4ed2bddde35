package draft

import (
	"context"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Compact merges records with others in one write and returns how many were removed.
func (w *Writer) Compact(ctx context.Context, keys []driver.RecordKey) (merged int, err error) {
	err = contention.Retry(ctx, driver.ErrConflict, func() (err error) {
		merged, err = w.newDraft(vectorCache{}).compactAll(ctx, keys)
		return err
	})
	return merged, err
}

// compactAll merges records with others and returns how many were removed.
func (d *draft) compactAll(ctx context.Context, keys []driver.RecordKey) (merged int, err error) {
	if err := d.lookup(ctx, driver.Lookup{Keys: keys}); err != nil {
		return 0, err
	}
	var records []driver.Record
	for _, key := range keys {
		if e := d.entry(key); e != nil {
			r := e.Record
			r.Hash = d.w.Hash(&r, false)
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

// compact merges a record with the one that is the same memory and returns how many were removed.
func (d *draft) compact(ctx context.Context, r *driver.Record) (int, error) {
	key := driver.KeyOf(r)
	current := d.entry(key)
	if current == nil || current.Record.Text != r.Text { // merged by an earlier step
		return 0, nil
	}
	e := *current
	e.Record.Hash = r.Hash
	existing, err := d.twin(ctx, &e, true)
	switch {
	case err != nil:
		return 0, err
	case existing != nil:
		d.merge(existing, &e, outlives(&e.Record, &existing.Record))
		return 1, nil
	case e.Record.Hash != current.Record.Hash:
		d.set(key, &e)
	}
	return 0, nil
}
