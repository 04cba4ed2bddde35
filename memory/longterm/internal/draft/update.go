package draft

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
)

// ErrTaken is returned if a record would move to an owner that has a record with its id.
var ErrTaken = errors.New("the new owner has a record with this id")

// Update replaces the record returned by find with the result of change, and returns the record
// as it is now. After a conflict, it calls both again. The error of change is returned as is.
func (w *Writer) Update(
	ctx context.Context, find func(context.Context) (*driver.Entry, error), change func(*driver.Entry) (driver.Record, error),
) (driver.Record, error) {
	vectors := vectorCache{}
	var updated driver.Record
	err := contention.Retry(ctx, driver.ErrConflict, func() error {
		d := w.newDraft(vectors)
		existing, err := find(ctx)
		if err != nil {
			return fmt.Errorf("longterm: updating: %w", err)
		}
		r, err := change(existing)
		if err != nil {
			return contention.Final(err)
		}
		if updated, err = d.update(ctx, existing, r); err != nil {
			return fmt.Errorf("longterm: updating: %w", err)
		}
		return nil
	})
	if err != nil {
		return driver.Record{}, err
	}
	return updated, nil
}

// update writes a changed record and returns it as it is now.
func (d *draft) update(ctx context.Context, existing *driver.Entry, r driver.Record) (driver.Record, error) {
	if sameRecord(&existing.Record, &r) && existing.Record.LastAccessed.Equal(r.LastAccessed) && existing.Record.AccessCount == r.AccessCount {
		return existing.Record, nil
	}
	records := []driver.Record{r}
	if err := d.load(ctx, records); err != nil {
		return driver.Record{}, err
	}
	key := driver.KeyOf(&r)
	old, err := d.vacate(ctx, existing, key)
	if err != nil {
		return driver.Record{}, err
	}
	if err := d.embed(ctx, records); err != nil {
		return driver.Record{}, err
	}
	r.UpdatedAt = d.now
	fillTimes(&r, d.now)
	e := d.newEntry(&r, old)
	other, err := d.twin(ctx, e, false)
	if err != nil {
		return driver.Record{}, err
	}
	if other != nil {
		d.merge(other, e, true)
	} else {
		d.set(key, e)
	}
	if err := d.write(ctx); err != nil {
		return driver.Record{}, err
	}
	return record.Clone(&d.entry(key).Record), nil
}

// vacate returns the entry of a record that is about to be written under a key. If that is not
// its own, vacate frees its own. Errors: ErrConflict if the entry has changed, ErrTaken.
func (d *draft) vacate(ctx context.Context, existing *driver.Entry, key driver.RecordKey) (*driver.Entry, error) {
	own := driver.KeyOf(&existing.Record)
	if own != key {
		if d.entry(key) != nil {
			return nil, contention.Final(ErrTaken)
		}
		if err := d.lookup(ctx, driver.Lookup{Keys: []driver.RecordKey{own}}); err != nil {
			return nil, err
		}
	}
	old := d.entry(own)
	if old == nil || old.Version != existing.Version {
		return nil, driver.ErrConflict
	}
	if own != key {
		d.set(own, nil)
	}
	return old, nil
}
