package draft

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Status is the outcome of putting a record.
type Status int

// The values equal those of longterm.PutStatus.
const (
	Added Status = iota
	Replaced
	Same
	Merged
)

// Outcome is the result of putting a record: where it is kept, and how it came there.
type Outcome struct {
	Key    driver.RecordKey
	Status Status
}

// Put puts records with distinct keys and returns their outcomes, in order. It works in steps of
// one write each; with an error, it returns the outcomes of the completed steps. If merge is
// true, records merge with others that are the same memory.
func (w *Writer) Put(ctx context.Context, records []driver.Record, merge bool) ([]Outcome, error) {
	var done []Outcome
	for len(done) < len(records) {
		next := records[len(done):]
		var err error
		if done, err = w.putBatch(ctx, done, next[:batchSize(next)], merge); err != nil {
			return done, err
		}
	}
	return done, nil
}

// putBatch puts records in one write and appends their outcomes to done. Records of earlier
// batches may merge, which changes their outcomes. With an error, it returns done.
func (w *Writer) putBatch(ctx context.Context, done []Outcome, records []driver.Record, merge bool) ([]Outcome, error) {
	vectors := vectorCache{}
	var puts []Outcome
	err := contention.Retry(ctx, driver.ErrConflict, func() error {
		d := w.newDraft(vectors)
		puts = slices.Clone(done)
		if err := d.load(ctx, records); err != nil {
			return err
		}
		if err := d.embed(ctx, records); err != nil {
			return err
		}
		if merge {
			if err := d.searchAllNear(ctx, records); err != nil {
				return err
			}
		}
		d.setAside(records, merge)
		for _, r := range records {
			var err error
			if puts, err = d.put(ctx, puts, r, merge); err != nil {
				return err
			}
		}
		return d.write(ctx)
	})
	if err != nil {
		return done, err
	}
	return puts, nil
}

// setAside removes the entries that records are going to replace from the draft.
func (d *draft) setAside(records []driver.Record, merge bool) {
	for _, r := range records {
		key := driver.KeyOf(&r)
		old := d.entry(key)
		if old == nil || merge && repeatsOrigin(&r, old) {
			continue
		}
		if _, unchanged := d.carryOver(&r, old, merge); !unchanged {
			d.aside[key] = old
			d.set(key, nil)
		}
	}
}

// carryOver adds to a record what it keeps of the old one: its uses and times and, if the same
// record was put before and has merged since, everything that others contributed. It reports
// whether the old record remains unchanged.
func (d *draft) carryOver(r *driver.Record, old *driver.Entry, merge bool) (origin string, unchanged bool) {
	if merge && repeatsOrigin(r, old) {
		origin = old.Origin
		*r = mergeRecords(old.Record, *r, false, d.now)
		r.Hash = d.w.Hash(r, false)
	} else {
		inheritFrom(r, &old.Record, d.now)
	}
	return origin, sameRecord(&old.Record, r)
}

// put puts a record into the draft and appends its outcome.
func (d *draft) put(ctx context.Context, puts []Outcome, r driver.Record, merge bool) ([]Outcome, error) {
	key, status, origin := driver.KeyOf(&r), Added, ""
	old := cmp.Or(d.aside[key], d.entry(key))
	if old != nil {
		status = Replaced
		var unchanged bool
		if origin, unchanged = d.carryOver(&r, old, merge); unchanged {
			return append(puts, Outcome{Key: key, Status: Same}), nil
		}
	}
	e := d.newEntry(&r, old)
	e.Origin = origin
	if merge {
		existing, err := d.twin(ctx, e, true)
		switch {
		case err != nil:
			return nil, err
		case existing != nil:
			stays, goes := d.merge(existing, e, outlives(&r, &existing.Record))
			merged := Outcome{Key: stays, Status: Merged}
			for i := range puts {
				if puts[i].Key == goes {
					puts[i] = merged
				}
			}
			return append(puts, merged), nil
		}
	}
	fillTimes(&e.Record, d.now)
	d.set(key, e)
	return append(puts, Outcome{Key: key, Status: status}), nil
}

// The limits of one step. A record can change three entries: its own, one with the same hash,
// and a similar one.
const (
	batchRecords = driver.MaxChanges / 4
	batchBytes   = 4 << 20
)

// batchSize returns the number of records to put in one step.
func batchSize(records []driver.Record) int {
	n, size := 0, 0
	for n < min(len(records), batchRecords) {
		if size += sizeOf(&records[n]); size > batchBytes && n > 0 {
			break
		}
		n++
	}
	return n
}

// sizeOf estimates the size of a record in bytes.
func sizeOf(r *driver.Record) int {
	size := len(r.Text)
	for _, texts := range [][]string{r.Topics, r.Entities, r.ExtractedFrom} {
		for _, text := range texts {
			size += len(text)
		}
	}
	for _, object := range []map[string]any{r.Metadata, r.ExtractionConfig} {
		if len(object) > 0 {
			data, _ := json.Marshal(object) // CheckRecord has marshaled it before
			size += len(data)
		}
	}
	return size
}
