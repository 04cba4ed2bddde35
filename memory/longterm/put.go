package longterm

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// PutOptions say how records are put. nil means the defaults.
type PutOptions struct {
	// NoMerge keeps records apart from others that are the same memory: only what has
	// the same id is replaced. They stay apart until they are put again without it, or
	// Compact merges them.
	NoMerge bool
}

// PutStatus says what became of a record that was put.
type PutStatus int

const (
	// PutAdded: it is a record of its own.
	PutAdded PutStatus = iota
	// PutReplaced: it replaced the one of its id.
	PutReplaced
	// PutSame: the one of its id is the same, and stays.
	PutSame
	// PutMerged: it and another are one memory now.
	PutMerged
)

// Put is what became of a record that was put.
type Put struct {
	// Key is that of the record that holds it now.
	Key    Key
	Status PutStatus
}

// Put keeps records, and returns what became of each. Putting the same again changes
// nothing. Owners that are empty are filled in from the scope, times and types that are
// missing with now and session.MemorySemantic; UpdatedAt, the time of what a record
// says, is that of CreatedAt where only this is given.
//
//   - The same id replaces, but for PersistedAt, uses, and a CreatedAt that is missing.
//     Of several in a call it is the last one.
//   - The same text, of the same owner, session, type and event date, is one record:
//     see Options.AcrossSessions. So is, with an Embedder, one that is nearly the same:
//     see Options.MergeDistance. Messages are never merged.
//
// Two records that are merged keep the topics, entities and metadata of both, the
// earliest CreatedAt, the latest LastAccessed, and a pin. The text is that of the later
// UpdatedAt, unless the other contains it. The id is that of the one that is there,
// unless the other was created earlier, or is a client's where this one was extracted
// (it has ExtractedFrom). Two near texts that are put at the same moment may stay two
// until Compact.
//
// All is kept or none, up to 250 records or 4 MiB of texts; more is kept in several
// steps. With an error it returns what became of those of the steps before; putting all
// again is safe. Errors: *RecordError, with which nothing was kept, ErrEmbedder,
// ErrConflict after 100 attempts, ErrScope, ErrUnavailable, ErrClosed.
func (m *Memory) Put(ctx context.Context, scope Scope, records []Record, opts *PutOptions) ([]Put, error) {
	if opts == nil {
		opts = &PutOptions{}
	}
	if err := m.check(scope); err != nil {
		return nil, fmt.Errorf("longterm: putting: %w", err)
	}
	given, err := m.prepare(scope, records, opts.NoMerge)
	if err != nil {
		return nil, err
	}
	records, place := lastOfEach(given)
	var done []Put
	for len(done) < len(records) && err == nil {
		next := records[len(done):]
		var puts []Put
		var moved map[Key]Key
		if puts, moved, err = m.putBatch(ctx, next[:batchSize(next)], !opts.NoMerge); err != nil {
			err = fmt.Errorf("longterm: putting: %w", err)
		}
		for i := range done {
			done[i].follow(moved)
		}
		done = append(done, puts...)
	}
	var puts []Put
	for i := range given {
		if place[i] >= len(done) {
			break
		}
		puts = append(puts, done[place[i]])
	}
	return puts, err
}

// lastOfEach are the last records of each id, in the order of the first ones, and where
// among them each record has its own: of several in a call the others are replaced.
func lastOfEach(given []Record) (records []Record, place []int) {
	places := make(map[Key]int, len(given))
	for _, r := range given {
		at, ok := places[KeyOf(&r)]
		if !ok {
			at = len(records)
			places[KeyOf(&r)] = at
			records = append(records, r)
		}
		records[at] = r
		place = append(place, at)
	}
	return records, place
}

// follow makes the key that of the record that it was merged into.
func (p *Put) follow(moved map[Key]Key) {
	for range len(moved) {
		to, ok := moved[p.Key]
		if !ok {
			return
		}
		p.Key, p.Status = to, PutMerged
	}
}

// The limits of what is written in one step. Of a record three entries may change: its
// own, the same one, and one that is near.
const (
	batchRecords = MaxChanges / 4
	batchBytes   = 4 << 20
)

// batchSize is how many records are put in one step.
func batchSize(records []Record) int {
	n, size := 0, 0
	for n < min(len(records), batchRecords) && (n == 0 || size+len(records[n].Text) <= batchBytes) {
		size += len(records[n].Text)
		n++
	}
	return n
}

// prepare returns copies of records, as far as they can be filled in without an index.
func (m *Memory) prepare(scope Scope, records []Record, apart bool) ([]Record, error) {
	prepared := make([]Record, 0, len(records))
	for i := range records {
		r, err := m.plain(scope, &records[i])
		if err != nil {
			return nil, recordError(i, records[i].ID, err)
		}
		r.Hash = m.hash(&r, apart)
		prepared = append(prepared, r)
	}
	return prepared, nil
}

// plain returns a record as an index keeps it, that shares nothing with what was given.
func (m *Memory) plain(scope Scope, given *Record) (Record, error) {
	r := *given
	if namespace, ok := scope.Namespace(); ok {
		r.Namespace = cmp.Or(r.Namespace, namespace)
	}
	if user, ok := scope.UserID(); ok {
		r.UserID = cmp.Or(r.UserID, user)
	}
	if !scope.Holds(r.Namespace, r.UserID) {
		return r, ErrScope
	}
	r.Type = cmp.Or(r.Type, session.MemorySemantic)
	r.AccessCount = max(r.AccessCount, 0)
	r.EventDate, r.CreatedAt, r.UpdatedAt = plainTime(r.EventDate), plainTime(r.CreatedAt), plainTime(r.UpdatedAt)
	r.LastAccessed, r.PersistedAt = plainTime(r.LastAccessed), plainTime(r.PersistedAt)
	if err := Check(&r); err != nil {
		return r, err
	}
	metadata := r.Metadata
	r.Metadata = nil
	r = copyRecord(&r)
	if len(metadata) == 0 {
		return r, nil
	}
	var err error
	if r.Metadata, err = plainJSON(metadata); err != nil {
		return r, ErrMetadata
	}
	r.Metadata = withoutPutHash(r.Metadata)
	return r, nil
}

// recordError names a record in an error, with the beginning of a long id.
func recordError(i int, id string, err error) *RecordError {
	const limit = 200
	if len(id) > limit {
		end := limit
		for end > limit-utf8.UTFMax && !utf8.RuneStart(id[end]) {
			end--
		}
		id = strings.Clone(id[:end]) + "…"
	}
	return &RecordError{Index: i, ID: id, Err: err}
}

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
		if old != nil && !(merge && repeats(&r, &old.Record)) && !d.again(&r, old, merge) {
			d.aside[key] = old
			d.set(key, nil)
		}
	}
}

// again reports whether a record is put once more as it was. If not, it takes over
// what the new one keeps of the old: all that others brought, if it was merged since.
func (d *draft) again(r *Record, old *Entry, merge bool) bool {
	if merge && repeats(r, &old.Record) {
		*r = mergeRecords(old.Record, *r, false, d.now)
		r.Metadata = withPutHash(&old.Record, r)
		r.Hash = d.m.hash(r, false)
	} else {
		inherit(r, &old.Record, d.now)
	}
	return same(&old.Record, r)
}

// put decides what becomes of a record.
func (d *draft) put(ctx context.Context, r Record, merge bool) (Put, error) {
	d.lastMove = nil
	key, status := KeyOf(&r), PutAdded
	old := cmp.Or(d.aside[key], d.entry(key))
	delete(d.aside, key)
	if old != nil {
		status = PutReplaced
		if d.again(&r, old, merge) {
			return Put{Key: key, Status: PutSame}, nil
		}
	}
	e := d.make(&r, old)
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

// inherit takes over from a record what a new one of its id keeps.
func inherit(r, old *Record, now time.Time) {
	if r.CreatedAt.IsZero() {
		r.CreatedAt = old.CreatedAt
	}
	if !r.UpdatedAt.After(old.UpdatedAt) {
		r.UpdatedAt = now
	}
	if r.LastAccessed.Before(old.LastAccessed) {
		r.LastAccessed = old.LastAccessed
	}
	r.AccessCount = max(r.AccessCount, old.AccessCount)
	if !old.PersistedAt.IsZero() {
		r.PersistedAt = old.PersistedAt
	}
}

// complete fills in the times that are missing.
func complete(r *Record, now time.Time) {
	fill := func(at *time.Time, with time.Time) {
		if at.IsZero() {
			*at = with
		}
	}
	fill(&r.CreatedAt, now)
	fill(&r.UpdatedAt, r.CreatedAt)
	fill(&r.LastAccessed, now)
	fill(&r.PersistedAt, now)
}
