package longterm

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	for some := range slices.Chunk(ids, MaxChanges) {
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
	entries, err := m.findAll(ctx, scope, ids)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	changes := make([]Change, 0, len(entries))
	for i := range entries {
		changes = append(changes, Change{Key: KeyOf(&entries[i].Record), If: entries[i].Version})
	}
	return len(changes), m.index.Write(ctx, changes)
}

// findAll returns the entries of a scope that have ids, each once.
func (m *Memory) findAll(ctx context.Context, scope Scope, ids []string) ([]Entry, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	namespace, user, ok := scope.Owner()
	if ok {
		keys := make([]Key, 0, len(ids))
		for _, id := range ids {
			keys = append(keys, Key{Namespace: namespace, UserID: user, ID: id})
		}
		return m.index.Lookup(ctx, Lookup{Keys: keys})
	}
	var entries []Entry
	for _, id := range ids {
		entry, err := m.find(ctx, scope, id)
		switch {
		case errors.Is(err, ErrNotFound):
			continue
		case err != nil:
			return nil, err
		}
		entries = append(entries, *entry)
	}
	return entries, nil
}
