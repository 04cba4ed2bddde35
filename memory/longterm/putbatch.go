package longterm

import (
	"cmp"
	"context"
)

// putBatch puts records in one write. It also returns which records that were there
// were merged into which.
func (m *Memory) putBatch(ctx context.Context, records []Record, merge bool) (puts []Put, moved map[Key]Key, err error) {
	vectors := map[string][]float32{}
	err = retry(ctx, func() error {
		d := m.newDraft(vectors)
		puts, moved = nil, d.moved
		if err := d.load(ctx, records); err != nil {
			return err
		}
		if err := d.embed(ctx, records); err != nil {
			return err
		}
		d.setAside(records, merge)
		for _, r := range records {
			put, err := d.put(ctx, r, merge)
			if err != nil {
				return err
			}
			for i := range puts {
				puts[i].follow(d.lastMove)
			}
			puts = append(puts, put)
		}
		return d.write(ctx)
	})
	if err != nil {
		return nil, nil, err
	}
	return puts, moved, nil
}

// setAside takes the entries out of a draft that records are going to replace.
func (d *draft) setAside(records []Record, merge bool) {
	for _, r := range records {
		key := KeyOf(&r)
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
func (d *draft) again(r *Record, old *Entry, merge bool) (origin string, again bool) {
	if merge && repeats(r, old) {
		origin = old.Origin
		*r = mergeRecords(old.Record, *r, false, d.now)
		r.Hash = d.m.hash(r, false)
	} else {
		inherit(r, &old.Record, d.now)
	}
	return origin, same(&old.Record, r)
}

// put decides what becomes of a record.
func (d *draft) put(ctx context.Context, r Record, merge bool) (Put, error) {
	d.lastMove = nil
	key, status, origin := KeyOf(&r), PutAdded, ""
	old := cmp.Or(d.aside[key], d.entry(key))
	delete(d.aside, key)
	if old != nil {
		status = PutReplaced
		var again bool
		if origin, again = d.again(&r, old, merge); again {
			return Put{Key: key, Status: PutSame}, nil
		}
	}
	e := d.make(&r, old)
	e.Origin = origin
	if merge {
		there, err := d.twin(ctx, e, true)
		switch {
		case err != nil:
			return Put{}, err
		case there != nil:
			return Put{Key: d.merge(there, e, outlives(&r, &there.Record)), Status: PutMerged}, nil
		}
	}
	complete(&e.Record, d.now)
	d.set(key, e)
	return Put{Key: key, Status: status}, nil
}
