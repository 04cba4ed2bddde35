package longterm

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/draft"
)

// PutOptions configures Memory.Put. If nil, the defaults apply.
type PutOptions struct {
	// NoMerge keeps records apart from others that are the same memory: only a record with
	// the same id is replaced. They remain apart until they are put without NoMerge or
	// Compact merges them.
	NoMerge bool
}

// PutStatus is the outcome of putting a record.
type PutStatus int

const (
	// PutAdded: the record is new.
	PutAdded PutStatus = PutStatus(draft.Added)
	// PutReplaced: the record replaced the one with its id.
	PutReplaced PutStatus = PutStatus(draft.Replaced)
	// PutSame: the record with its id is the same and remains unchanged.
	PutSame PutStatus = PutStatus(draft.Same)
	// PutMerged: the record and another are now one memory.
	PutMerged PutStatus = PutStatus(draft.Merged)
)

// Put is the result of putting a record.
type Put struct {
	// Key identifies the record that holds the memory now.
	Key RecordKey
	// Status is how the record was kept.
	Status PutStatus
}

// Put keeps records and returns the result of each. Putting the same records again changes
// nothing. An empty owner is filled in from the scope, an empty type with
// session.RecordSemantic, an empty ExtractionStrategy with StrategyDiscrete and a zero time with
// the present, except that UpdatedAt, the time of the statement, follows CreatedAt if only that
// is given.
//
//   - A record replaces the one with its id, but keeps its PersistedAt, its uses, and its
//     CreatedAt if the new record has none. Of several records with one id in a call, the
//     last one wins.
//   - Records with the same text, owner, session, type and event date become one; see
//     Options.AcrossSessions. With an Embedder, nearly the same text is enough; see
//     Options.MergeDistance. Messages never merge.
//
// A merged record has the topics, entities and metadata of both, the earliest CreatedAt,
// the latest LastAccessed, and is pinned if either is. Its text is the one with the later
// UpdatedAt, unless the other contains it. Its id is that of the existing record, unless
// the new one was created earlier, or a client made it while the existing one was extracted
// (has ExtractedFrom). Two nearly equal texts put at the same moment may remain two records
// until Compact.
//
// Up to 250 records or 4 MiB are kept atomically; more are kept in several steps. With an
// error, Put returns the results of the completed steps; putting all records again is safe.
// A text that the embedder refuses, while it accepts others, is kept without a vector; see
// Reembed. Errors: *RecordError, with which nothing was kept; ErrEmbedder; ErrConflict after
// 100 attempts; ErrScope, ErrUnavailable, ErrClosed.
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

// lastOfEach returns the last record of each id, in the order of their first occurrence,
// and for each given record the index of the one that replaced it.
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
