package items

import (
	"context"

	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Restore restores an item that was forgotten softly. It does nothing if the item was
// not. Errors: *memory.NotFoundError.
func (s *Store) Restore(ctx context.Context, id string) error {
	op := s.begin(ctx, opRestore)
	err := s.change(&op, id, func(it *Item) (changed bool) {
		changed, it.Deleted = it.Deleted, false
		return changed
	})
	op.end(err)
	return err
}

// SetImportance changes the importance of an item, deleted or not, and thereby its order
// of eviction. Errors: *memory.NotFoundError, ErrImportance.
func (s *Store) SetImportance(ctx context.Context, id string, importance float64) error {
	op := s.begin(ctx, opSetImportance)
	err := checkImportance(importance)
	if err == nil {
		err = s.change(&op, id, func(it *Item) (changed bool) {
			changed, it.Importance = it.Importance != importance, importance
			return changed
		})
	}
	op.end(err)
	return err
}

// change applies a function to an item. The function reports whether it changed the
// item.
func (s *Store) change(op *operation, id string, change func(*Item) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.advance(op.now)
	h := s.items.kept.Find(id)
	if h == slab.None {
		return &memory.NotFoundError{ID: id}
	}
	it := s.items.kept.At(h)
	if change(it) {
		s.version++
	}
	op.record.ItemID, op.record.Items, op.record.Tokens = it.ID, 1, it.Tokens
	return nil
}

// Sweep evicts the items that are older than a TTL, including deleted ones, and returns
// them, oldest first.
func (s *Store) Sweep(ctx context.Context) []Evicted {
	op := s.begin(ctx, opSweep)
	op.evicted = s.sweep(op.now)
	for _, e := range op.evicted {
		op.record.Items++
		op.record.Tokens += e.Item.Tokens
	}
	op.end(nil)
	return op.evicted
}

func (s *Store) sweep(now moment) []Evicted {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.advance(now)
	var swept []Evicted
	position := 0
	for h, it := range s.items.all() {
		if reason := s.policy.expiry(it, s.items.now); reason != "" {
			swept = append(swept, s.items.evict(h, position, reason))
		} else {
			position++
		}
	}
	if len(swept) > 0 {
		s.items.kept.Compact()
		s.version++
	}
	return swept
}
