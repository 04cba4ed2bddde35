package longterm

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/draft"
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
	PutAdded PutStatus = PutStatus(draft.Added)
	// PutReplaced: it replaced the one of its id.
	PutReplaced PutStatus = PutStatus(draft.Replaced)
	// PutSame: the one of its id is the same, and stays.
	PutSame PutStatus = PutStatus(draft.Same)
	// PutMerged: it and another are one memory now.
	PutMerged PutStatus = PutStatus(draft.Merged)
)

// Put is what became of a record that was put.
type Put struct {
	// Key is that of the record that holds it now.
	Key RecordKey
	// Status says how it came there.
	Status PutStatus
}

// Put keeps records, and returns what became of each. Putting the same again changes
// nothing. Owners that are empty are filled in from the scope, times and types that are
// missing with now and session.RecordSemantic; UpdatedAt, the time of what a record
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
// All is kept or none, up to 250 records or 4 MiB; more is kept in several
// steps. With an error it returns what became of those of the steps before; putting all
// again is safe. A text that the embedder does not take, while it takes others, is kept
// without a vector: see Reembed. Errors: *RecordError, with which nothing was kept, ErrEmbedder,
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
	done, err := m.writer.Put(ctx, records, !opts.NoMerge)
	if err != nil {
		err = fmt.Errorf("longterm: putting: %w", err)
	}
	var puts []Put
	for i := range given {
		if place[i] >= len(done) {
			break
		}
		put := done[place[i]]
		puts = append(puts, Put{Key: put.Key, Status: PutStatus(put.Status)})
	}
	return puts, err
}

// lastOfEach are the last records of each id, in the order of the first ones, and where
// among them each record has its own: of several in a call the others are replaced.
func lastOfEach(given []Record) (records []Record, place []int) {
	places := make(map[driver.RecordKey]int, len(given))
	for _, r := range given {
		at, ok := places[driver.KeyOf(&r)]
		if !ok {
			at = len(records)
			places[driver.KeyOf(&r)] = at
			records = append(records, r)
		}
		records[at] = r
		place = append(place, at)
	}
	return records, place
}
