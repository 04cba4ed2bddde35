package draft

import (
	"context"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Compact merges records with others in one write, and returns how many went.
func (w *Writer) Compact(ctx context.Context, keys []driver.RecordKey) (merged int, err error) {
	err = contention.Retry(ctx, driver.ErrConflict, func() (err error) {
		merged, err = w.newDraft(vectorsOf{}).compactAll(ctx, keys)
		return err
	})
	return merged, err
}

// compactAll merges records with others, and returns how many went.
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

// compact merges a record with the one that is the same, and returns how many went.
func (d *draft) compact(ctx context.Context, r *driver.Record) (int, error) {
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
