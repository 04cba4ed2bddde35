package draft

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Status is how a record that was put is kept.
type Status int

// The statuses are those of longterm.PutStatus.
const (
	Added Status = iota
	Replaced
	Same
	Merged
)

// Outcome is where a record that was put is kept now.
type Outcome struct {
	Key    driver.RecordKey
	Status Status
}

// Put puts records whose keys are all different, and returns the outcome of each, in their
// order. It does so in steps, each in one write; with an error it returns the outcomes of
// the steps before. With merge they are merged with others that are the same memory.
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

// putBatch puts records in one write, and adds their outcomes to those of the records
// before, some of which may be merged with them. With an error nothing is added.
func (w *Writer) putBatch(ctx context.Context, done []Outcome, records []driver.Record, merge bool) ([]Outcome, error) {
	vectors := vectorsOf{}
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

// setAside takes the entries out of a draft that records are going to replace.
func (d *draft) setAside(records []driver.Record, merge bool) {
	for _, r := range records {
		key := driver.KeyOf(&r)
		old := d.entry(key)
		if old == nil || merge && repeats(&r, old) {
			continue
		}
		if _, again := d.again(&r, old, merge); !again {
			d.aside[key] = old
			d.set(key, nil)
		}
	}
}

// again reports whether a record is put once more as it was. If not, it takes over
// what the new one keeps of the old: all that others brought, and the Origin, if it was
// merged since.
func (d *draft) again(r *driver.Record, old *driver.Entry, merge bool) (origin string, again bool) {
	if merge && repeats(r, old) {
		origin = old.Origin
		*r = mergeRecords(old.Record, *r, false, d.now)
		r.Hash = d.w.Hash(r, false)
	} else {
		inherit(r, &old.Record, d.now)
	}
	return origin, sameRecord(&old.Record, r)
}

// put puts a record into the draft, and adds its outcome to those of others.
func (d *draft) put(ctx context.Context, puts []Outcome, r driver.Record, merge bool) ([]Outcome, error) {
	key, status, origin := driver.KeyOf(&r), Added, ""
	old := cmp.Or(d.aside[key], d.entry(key))
	if old != nil {
		status = Replaced
		var again bool
		if origin, again = d.again(&r, old, merge); again {
			return append(puts, Outcome{Key: key, Status: Same}), nil
		}
	}
	e := d.make(&r, old)
	e.Origin = origin
	if merge {
		there, err := d.twin(ctx, e, true)
		switch {
		case err != nil:
			return nil, err
		case there != nil:
			stays, goes := d.merge(there, e, outlives(&r, &there.Record))
			merged := Outcome{Key: stays, Status: Merged}
			for i := range puts {
				if puts[i].Key == goes {
					puts[i] = merged
				}
			}
			return append(puts, merged), nil
		}
	}
	complete(&e.Record, d.now)
	d.set(key, e)
	return append(puts, Outcome{Key: key, Status: status}), nil
}

// The limits of what is written in one step. Of a record three entries may change: its
// own, the same one, and one that is near.
const (
	batchRecords = driver.MaxChanges / 4
	batchBytes   = 4 << 20
)

// batchSize is how many records are put in one step.
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

// sizeOf is about how large a record is, in bytes.
func sizeOf(r *driver.Record) int {
	size := len(r.Text)
	for _, texts := range [][]string{r.Topics, r.Entities, r.ExtractedFrom} {
		for _, text := range texts {
			size += len(text)
		}
	}
	if len(r.Metadata) > 0 {
		data, _ := json.Marshal(r.Metadata) // Check did so
		size += len(data)
	}
	return size
}
