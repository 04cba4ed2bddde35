package longterm

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/draft"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
)

// Update reads a record, applies change and writes the result. If another caller changes the
// record concurrently, Update starts over, up to 100 times: change may be called repeatedly,
// and must only modify its argument. If change returns an error, Update returns it and
// writes nothing. Nothing is written either if the record remains the same. change must not
// modify the id or hash; it cannot set PersistedAt or UpdatedAt, which the Memory sets. A new
// owner, which must be in the scope, moves the record. If the change makes the record the same
// memory as another, both are merged as by Put, under the id of the updated record.
//
// Update returns the record as it is now. Errors: that of change, ErrNotFound as for Get,
// *RecordError, ErrTaken, ErrEmbedder, ErrConflict, ErrScope, ErrUnavailable, ErrClosed.
func (m *Memory) Update(ctx context.Context, scope Scope, id string, change func(*Record) error) (Record, error) {
	return m.Move(ctx, scope, id, scope, change)
}

// Move is Update for a record of one scope that may leave it: its new owner must be in the scope
// to.
func (m *Memory) Move(ctx context.Context, scope Scope, id string, to Scope, change func(*Record) error) (Record, error) {
	if err := cmp.Or(m.check(scope), to.Check()); err != nil {
		return Record{}, fmt.Errorf("longterm: updating: %w", err)
	}
	find := func(ctx context.Context) (*driver.Entry, error) { return m.find(ctx, scope, id) }
	changed := func(existing *driver.Entry) (Record, error) { return m.change(to, existing, change) }
	return m.writer.Update(ctx, find, changed)
}

// change returns a record after a change. Errors: *RecordError, and that of change.
func (m *Memory) change(to Scope, existing *driver.Entry, change func(*Record) error) (Record, error) {
	id, apart := existing.Record.ID, draft.IsApart(&existing.Record)
	changed := record.Clone(&existing.Record)
	if err := change(&changed); err != nil {
		return Record{}, err
	}
	if changed.ID != id || changed.Hash != existing.Record.Hash {
		return Record{}, recordError(0, id, ErrFixed)
	}
	r, err := m.normalize(to, &changed)
	if err != nil {
		return Record{}, recordError(0, id, err)
	}
	r.Hash = m.writer.Hash(&r, apart)
	r.PersistedAt, r.UpdatedAt = existing.Record.PersistedAt, existing.Record.UpdatedAt
	return r, nil
}
