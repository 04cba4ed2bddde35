package memory

import (
	"context"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// Restore brings back an item that was forgotten softly; any other one it leaves
// as it is. Errors: *NotFoundError.
func (s *ItemStore) Restore(ctx context.Context, id string) error {
	op := s.begin(ctx, OpRestore)
	err := s.change(&op, id, func(it *Item) (changed bool) {
		changed, it.Deleted = it.Deleted, false
		return changed
	})
	op.end(err)
	return err
}

// SetImportance changes the importance of an item, deleted or not, and with it
// when it leaves: it is how others mark an item as important. Errors:
// *NotFoundError, ErrImportance.
func (s *ItemStore) SetImportance(ctx context.Context, id string, importance float64) error {
	op := s.begin(ctx, OpSetImportance)
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

// change changes an item by a function that says whether it did.
func (s *ItemStore) change(op *operation, id string, change func(*Item) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.advance(op.now)
	h := s.items.kept.Find(id)
	if h == slab.None {
		return &NotFoundError{ID: id}
	}
	it := s.items.kept.At(h)
	if change(it) {
		s.version++
	}
	op.record.ItemID, op.record.Items, op.record.Tokens = it.ID, 1, it.Tokens
	return nil
}

// Sweep removes the items that are older than a TTL, those that were forgotten
// softly too, and returns them, oldest first.
func (s *ItemStore) Sweep(ctx context.Context) []EvictedItem {
	op := s.begin(ctx, OpSweep)
	op.evicted = s.sweep(op.now)
	for _, e := range op.evicted {
		op.record.Items++
		op.record.Tokens += e.Item.Tokens
	}
	op.end(nil)
	return op.evicted
}

func (s *ItemStore) sweep(now moment) []EvictedItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.advance(now)
	var swept []EvictedItem
	position := 0
	for h, it := range s.items.all() {
		if reason := s.policy.isExpired(it, s.items.now); reason != "" {
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
