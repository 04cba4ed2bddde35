package longterm

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
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
	vectors := map[string][]float32{}
	var updated Record
	err := retry(ctx, func() error {
		d := m.newDraft(vectors)
		there, err := m.find(ctx, scope, id)
		if err != nil {
			return fmt.Errorf("longterm: updating: %w", err)
		}
		r, err := m.change(there, change)
		if err != nil {
			return contention.Final(err)
		}
		if updated, err = d.update(ctx, there, r); err != nil {
			return fmt.Errorf("longterm: updating: %w", err)
		}
		return nil
	})
	if err != nil {
		return Record{}, err
	}
	return updated, nil
}

// change returns what becomes of a record. Errors: *RecordError, and that of change.
func (m *Memory) change(there *driver.Entry, change func(*Record) error) (Record, error) {
	key, apart := driver.KeyOf(&there.Record), isApart(&there.Record)
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
	r.Hash = m.hash(&r, apart)
	r.PersistedAt, r.UpdatedAt = there.Record.PersistedAt, there.Record.UpdatedAt
	return r, nil
}

// update writes what becomes of a record, and returns it as it is then.
func (d *draft) update(ctx context.Context, there *driver.Entry, r Record) (Record, error) {
	if same(&there.Record, &r) && there.Record.LastAccessed.Equal(r.LastAccessed) && there.Record.AccessCount == r.AccessCount {
		return there.Record, nil
	}
	records := []Record{r}
	if err := d.load(ctx, records); err != nil {
		return Record{}, err
	}
	key := driver.KeyOf(&r)
	old := d.entry(key)
	if old == nil || old.Version != there.Version {
		return Record{}, ErrConflict
	}
	if err := d.embed(ctx, records); err != nil {
		return Record{}, err
	}
	r.UpdatedAt = d.now
	complete(&r, d.now)
	e := d.make(&r, old)
	other, err := d.twin(ctx, e, false)
	if err != nil {
		return Record{}, err
	}
	if other != nil {
		d.merge(other, e, true)
	} else {
		d.set(key, e)
	}
	if err := d.write(ctx); err != nil {
		return Record{}, err
	}
	return record.Clone(&d.entry(key).Record), nil
}
