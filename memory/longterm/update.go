package longterm

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/draft"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
)

// Update reads a record, lets change change it, and writes it if nobody else changed it
// meanwhile; otherwise it does so again with what is there then, up to 100 times. change
// may be called several times, and must do nothing but change its record; the error it
// returns ends the update, and nothing is written. Nothing is written either where it
// changes nothing. Owner, id and hash are not to be changed; PersistedAt and UpdatedAt
// are the Memory's. If the record has become the same as another, by its text, both are
// merged as by Put, under the id of the updated one.
//
// It returns the record as it is now. Errors: that of change, ErrNotFound as by Get,
// *RecordError, ErrEmbedder, ErrConflict, ErrScope, ErrUnavailable, ErrClosed.
func (m *Memory) Update(ctx context.Context, scope Scope, id string, change func(*Record) error) (Record, error) {
	if err := m.check(scope); err != nil {
		return Record{}, fmt.Errorf("longterm: updating: %w", err)
	}
	find := func(ctx context.Context) (*driver.Entry, error) { return m.find(ctx, scope, id) }
	changed := func(there *driver.Entry) (Record, error) { return m.change(there, change) }
	return m.writer.Update(ctx, find, changed)
}

// change returns what becomes of a record. Errors: *RecordError, and that of change.
func (m *Memory) change(there *driver.Entry, change func(*Record) error) (Record, error) {
	key, apart := driver.KeyOf(&there.Record), draft.IsApart(&there.Record)
	changed := record.Clone(&there.Record)
	if err := change(&changed); err != nil {
		return Record{}, err
	}
	if driver.KeyOf(&changed) != key || changed.Hash != there.Record.Hash {
		return Record{}, recordError(0, key.ID, ErrFixed)
	}
	r, err := m.plain(Of(key.Namespace, key.UserID), &changed)
	if err != nil {
		return Record{}, recordError(0, key.ID, err)
	}
	r.Hash = m.writer.Hash(&r, apart)
	r.PersistedAt, r.UpdatedAt = there.Record.PersistedAt, there.Record.UpdatedAt
	return r, nil
}
