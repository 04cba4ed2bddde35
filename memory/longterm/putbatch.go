package longterm

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// putBatch puts records in one write, and adds what became of them to what became of
// those before, of which some may be merged with them. With an error nothing is added.
func (m *Memory) putBatch(ctx context.Context, done []Put, records []Record, merge bool) ([]Put, error) {
	vectors := map[string][]float32{}
	var puts []Put
	err := retry(ctx, func() error {
		d := m.newDraft(vectors)
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
func (d *draft) setAside(records []Record, merge bool) {
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
func (d *draft) again(r *Record, old *driver.Entry, merge bool) (origin string, again bool) {
	if merge && repeats(r, old) {
		origin = old.Origin
		*r = mergeRecords(old.Record, *r, false, d.now)
		r.Hash = d.m.hash(r, false)
	} else {
		inherit(r, &old.Record, d.now)
	}
	return origin, same(&old.Record, r)
}

// put decides what becomes of a record, and adds it to what became of others.
func (d *draft) put(ctx context.Context, puts []Put, r Record, merge bool) ([]Put, error) {
	key, status, origin := driver.KeyOf(&r), PutAdded, ""
	old := cmp.Or(d.aside[key], d.entry(key))
	if old != nil {
		status = PutReplaced
		var again bool
		if origin, again = d.again(&r, old, merge); again {
			return append(puts, Put{Key: key, Status: PutSame}), nil
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
			merged := Put{Key: stays, Status: PutMerged}
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
	return append(puts, Put{Key: key, Status: status}), nil
}
