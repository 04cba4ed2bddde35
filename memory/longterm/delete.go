package longterm

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// Delete removes records, and returns how many. What is not there is passed over. In a
// scope of several owners an id must be that of one record alone: otherwise it is passed
// over, too. With an error it returns how many were removed before. Errors: ErrScope,
// ErrConflict after 100 attempts, ErrUnavailable, ErrClosed.
func (m *Memory) Delete(ctx context.Context, scope Scope, ids ...string) (int, error) {
	if err := m.check(scope); err != nil {
		return 0, fmt.Errorf("longterm: deleting: %w", err)
	}
	deleted := 0
	for some := range slices.Chunk(ids, driver.MaxChanges) {
		n := 0
		err := retry(ctx, func() (err error) {
			n, err = m.deleteSome(ctx, scope, some)
			return err
		})
		if err != nil {
			return deleted, fmt.Errorf("longterm: deleting: %w", err)
		}
		deleted += n
	}
	return deleted, nil
}

// deleteSome removes records in one write.
func (m *Memory) deleteSome(ctx context.Context, scope Scope, ids []string) (int, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	changes, err := m.removals(ctx, scope, ids)
	if err != nil || len(changes) == 0 {
		return 0, err
	}
	return len(changes), m.index.Write(ctx, changes)
}

// removals are the changes that remove the records of a scope that have ids, each alone.
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
	for some := range slices.Chunk(ids, idsAtOnce) {
		found, err := m.alone(ctx, scope, some)
		if err != nil {
			return nil, err
		}
		changes = append(changes, found...)
	}
	return changes, nil
}

// idsAtOnce is for how many ids one search is made: their records are read whole.
const idsAtOnce = 100

// alone are the removals of those records of a scope of several owners that have one of a
// few ids, and have it alone. Where there are more records than ids it halves the ids, until
// those that several have stand by themselves.
func (m *Memory) alone(ctx context.Context, scope Scope, ids []string) ([]driver.RecordChange, error) {
	page, err := m.index.Search(ctx, driver.Search{Scope: scope, Filter: RecordFilter{ID: &TextCondition{Any: ids}}, Limit: len(ids)})
	switch {
	case err != nil:
		return nil, err
	case page.Total > len(ids) && len(ids) == 1:
		return nil, nil
	case page.Total > len(ids):
		half := len(ids) / 2
		first, err := m.alone(ctx, scope, ids[:half])
		if err != nil {
			return nil, err
		}
		second, err := m.alone(ctx, scope, ids[half:])
		return append(first, second...), err
	}
	have := map[string]int{}
	for i := range page.Hits {
		have[page.Hits[i].Record.ID]++
	}
	var changes []driver.RecordChange
	for i := range page.Hits {
		if hit := &page.Hits[i]; have[hit.Record.ID] == 1 {
			changes = append(changes, driver.RecordChange{Key: driver.KeyOf(&hit.Record), If: hit.Version})
		}
	}
	return changes, nil
}
