package longterm

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Delete removes records and returns how many. Ids without a record are ignored. In a scope
// of several owners, an id must belong to one record only, or it is ignored too. With an
// error, Delete returns how many were removed before it. Errors: ErrScope, ErrConflict after
// 100 attempts, ErrUnavailable, ErrClosed.
func (m *Memory) Delete(ctx context.Context, scope Scope, ids ...string) (int, error) {
	if err := m.check(scope); err != nil {
		return 0, fmt.Errorf("longterm: deleting: %w", err)
	}
	deleted := 0
	for batch := range slices.Chunk(ids, driver.MaxChanges) {
		n := 0
		err := retry(ctx, func() (err error) {
			n, err = m.deleteBatch(ctx, scope, batch)
			return err
		})
		if err != nil {
			return deleted, fmt.Errorf("longterm: deleting: %w", err)
		}
		deleted += n
	}
	return deleted, nil
}

// deleteBatch removes records in one write.
func (m *Memory) deleteBatch(ctx context.Context, scope Scope, ids []string) (int, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	changes, err := m.removals(ctx, scope, ids)
	if err != nil || len(changes) == 0 {
		return 0, err
	}
	return len(changes), m.index.Write(ctx, changes)
}

// removals returns the changes that remove records by id. It skips ids of several records.
func (m *Memory) removals(ctx context.Context, scope Scope, ids []string) ([]driver.RecordChange, error) {
	var changes []driver.RecordChange
	namespace, user, ok := scope.Owner()
	if ok {
		keys := make([]driver.RecordKey, 0, len(ids))
		for _, id := range ids {
			keys = append(keys, driver.RecordKey{Namespace: namespace, UserID: user, ID: id})
		}
		entries, err := m.index.Lookup(ctx, driver.Lookup{Keys: keys})
		for i := range entries {
			changes = append(changes, driver.RecordChange{Key: driver.KeyOf(&entries[i].Record), If: entries[i].Version})
		}
		return changes, err
	}
	for batch := range slices.Chunk(ids, idsAtOnce) {
		found, err := m.uniqueRemovals(ctx, scope, batch)
		if err != nil {
			return nil, err
		}
		changes = append(changes, found...)
	}
	return changes, nil
}

// idsAtOnce limits the ids of one search, which reads their whole records.
const idsAtOnce = 100

// uniqueRemovals returns the removals of records that have one of the ids and share it with
// no other record in a scope of several owners. If there are more records than ids, it halves
// the ids until the shared ones are isolated.
func (m *Memory) uniqueRemovals(ctx context.Context, scope Scope, ids []string) ([]driver.RecordChange, error) {
	page, err := m.index.Search(ctx, driver.Search{Scope: scope, Filter: RecordFilter{ID: &TextCondition{Any: ids}}, Limit: len(ids)})
	switch {
	case err != nil:
		return nil, err
	case page.Total > len(ids) && len(ids) == 1:
		return nil, nil
	case page.Total > len(ids):
		half := len(ids) / 2
		first, err := m.uniqueRemovals(ctx, scope, ids[:half])
		if err != nil {
			return nil, err
		}
		second, err := m.uniqueRemovals(ctx, scope, ids[half:])
		return append(first, second...), err
	}
	count := map[string]int{}
	for i := range page.Hits {
		count[page.Hits[i].Record.ID]++
	}
	var changes []driver.RecordChange
	for i := range page.Hits {
		if hit := &page.Hits[i]; count[hit.Record.ID] == 1 {
			changes = append(changes, driver.RecordChange{Key: driver.KeyOf(&hit.Record), If: hit.Version})
		}
	}
	return changes, nil
}
