package longterm

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/draft"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/embedding"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Memory keeps records in an Index and finds them again. It decides which records are the
// same memory, how they merge and when they are forgotten. It holds no records itself: any
// number of memories, in any number of processes, may share an index, preferably with the
// same options. A Memory is safe for concurrent use.
type Memory struct {
	index  driver.Index
	opts   Options
	writer *draft.Writer
	uses   *uses
	closed atomic.Bool
}

// New returns a Memory on an index. The caller closes the index after the Memory. If opts
// is nil, the defaults apply. The error names the invalid option.
func New(index driver.Index, opts *Options) (*Memory, error) {
	if index == nil {
		return nil, errors.New("longterm: no index")
	}
	valid, err := opts.validate()
	if err != nil {
		return nil, err
	}
	m := &Memory{index: index, opts: valid}
	m.writer = &draft.Writer{Index: index, AcrossSessions: valid.AcrossSessions, MergeDistance: valid.MergeDistance, Now: valid.Now}
	if valid.Embedder != nil {
		m.writer.Embedder = &embedding.Embedder{Embed: valid.Embedder.Embed, Model: valid.Embedder.Model(), Logger: valid.Logger}
		if m.writer.Embedder.Model == "" {
			return nil, errors.New("longterm: the embedder's model has no name")
		}
	}
	m.uses = newUses(index, &valid)
	return m, nil
}

// Close writes the pending uses of records and waits until all of them are written. It does
// not wait for other calls in progress, so first close a session.Manager that promotes to
// the Memory; close the index last. Every later call returns ErrClosed, except Close, which
// returns nil at once. Errors: that of the index, or ctx.Err() if the context ends before
// all uses are written.
func (m *Memory) Close(ctx context.Context) error {
	if m.closed.Swap(true) {
		return nil
	}
	if err := m.uses.close(ctx); err != nil {
		return fmt.Errorf("longterm: closing: %w", err)
	}
	return nil
}

// Durability returns what happens to acknowledged writes when the server of the index is killed
// or loses power. The level is "unknown" if the index does not report it, and with each error.
// Errors: ErrUnavailable, ErrClosed.
func (m *Memory) Durability(ctx context.Context) (sessiondriver.Durability, error) {
	if m.closed.Load() {
		return sessiondriver.Durability{Level: sessiondriver.DurabilityUnknown}, fmt.Errorf("longterm: durability: %w", ErrClosed)
	}
	d, err := sessiondriver.DurabilityOf(ctx, m.index)
	if err != nil {
		return d, fmt.Errorf("longterm: durability: %w", err)
	}
	return d, nil
}

// Get returns a record by its id. In a scope of several owners, the id must belong to one
// record only. Errors: ErrNotFound, also if several records have the id; ErrScope,
// ErrUnavailable, ErrClosed.
func (m *Memory) Get(ctx context.Context, scope Scope, id string) (Record, error) {
	if err := m.check(scope); err != nil {
		return Record{}, fmt.Errorf("longterm: getting: %w", err)
	}
	entry, err := m.find(ctx, scope, id)
	if err != nil {
		return Record{}, fmt.Errorf("longterm: getting: %w", err)
	}
	return entry.Record, nil
}

// find returns the only entry with an id in a scope. Errors: ErrNotFound.
func (m *Memory) find(ctx context.Context, scope Scope, id string) (*driver.Entry, error) {
	namespace, user, ok := scope.Owner()
	key := driver.RecordKey{Namespace: namespace, UserID: user, ID: id}
	if !ok {
		page, err := m.index.Search(ctx, driver.Search{Scope: scope, Filter: RecordFilter{ID: &TextCondition{Eq: &id}}, Limit: 2})
		switch {
		case err != nil:
			return nil, err
		case page.Total != 1 || len(page.Hits) != 1:
			return nil, ErrNotFound
		}
		key = driver.KeyOf(&page.Hits[0].Record)
	}
	entries, err := m.index.Lookup(ctx, driver.Lookup{Keys: []driver.RecordKey{key}})
	switch {
	case err != nil:
		return nil, err
	case len(entries) == 0:
		return nil, ErrNotFound
	}
	return &entries[0], nil
}

// check returns the error of a call on a closed memory or without a scope.
func (m *Memory) check(scope Scope) error {
	if m.closed.Load() {
		return ErrClosed
	}
	return scope.Check()
}

// now returns the current time in the precision of records.
func (m *Memory) now() time.Time { return record.NormalizeTime(m.opts.Now()) }

// retry repeats a change that conflicts with another.
func retry(ctx context.Context, change func() error) error {
	return contention.Retry(ctx, ErrConflict, change)
}
