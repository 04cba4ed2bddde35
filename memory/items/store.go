package items

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Store is a bounded collection of items in which importance decides what
// stays. Both limits, of items and of tokens, hold after every operation: what
// arrives gets its room from the other items, which leave in this order
// (EvictionClass):
//
//  1. those that were forgotten softly,
//  2. those older than a TTL, whatever their importance,
//  3. those of low importance, then those of normal importance,
//  4. protected ones, where nothing else is left.
//
// Among those of one class the recent ones leave last, and of these and of the
// others the oldest leaves first. Nothing leaves merely because it is old.
//
// A Store is safe for concurrent use; readers never see a half-done
// operation. Same inputs lead to the same evictions. Operations take time in
// proportion to the number of items: to evict one from 64 takes 1 µs, from 1,000
// about 15 µs. It must not be copied; see Branch.
//
// Its operations take a context for who asks (WithOrigin); they are done also
// where it has ended.
type Store struct {
	policy     *itemPolicy
	operations *atomic.Uint64 // of the branches too

	mu      sync.Mutex
	items   itemList
	version uint64
}

// New makes an empty store. nil options mean the defaults. It fails
// where LowImportance and HighImportance contradict each other or 0 to 1.
func New(opts *Options) (*Store, error) {
	policy, err := newItemPolicy(opts)
	if err != nil {
		return nil, err
	}
	return &Store{policy: policy, operations: new(atomic.Uint64), items: itemList{policy: policy}}, nil
}

// Memorized is what became of an item, and what left for it.
type Memorized struct {
	// ID is the item's, Position its place: it is the newest.
	ID       string
	Position int
	// Evicted are the items that made room, in the order in which they left.
	Evicted []Evicted
	// Size and Tokens are what the store holds now.
	Size, Tokens int
}

// Memorize adds an item as the newest. Where it fails nothing has changed.
// Errors: ErrNoText, ErrItemType, ErrImportance, ErrDuplicateID, ErrCapacity,
// *InputError, *TooLargeError.
func (s *Store) Memorize(ctx context.Context, in ItemInput) (Memorized, error) {
	op := s.begin(ctx, opMemorize)
	op.record.AgentID = cmp.Or(op.record.AgentID, in.AgentID)
	m, tokens, err := s.memorize(op.now, &in)
	if err == nil {
		op.record.ItemID, op.record.Items, op.record.Tokens = m.ID, 1, tokens
		op.evicted = m.Evicted
	}
	op.end(err)
	return m, err
}

func (s *Store) memorize(now moment, in *ItemInput) (m Memorized, tokens int, err error) {
	if in.ID == "" {
		in.ID = s.policy.NewID()
	}
	if err := in.check(); err != nil {
		return m, 0, err
	}
	it := in.item(s.policy.Counter)
	if it.Tokens > s.policy.MaxTokens {
		return m, 0, &TooLargeError{Tokens: it.Tokens, MaxTokens: s.policy.MaxTokens}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.advance(now)
	switch {
	case s.items.kept.Find(it.ID) != slab.None:
		return m, 0, ErrDuplicateID
	case s.policy.KeepProtected && !s.items.canMakeRoom(it.Tokens):
		return m, 0, ErrCapacity
	}
	m.Evicted = s.items.makeRoom(1, it.Tokens)
	s.items.date(&it, in.StepIndex)
	s.items.push(it)
	s.items.kept.Compact()
	s.version++
	m.ID, m.Position = it.ID, s.items.len()-1
	m.Size, m.Tokens = s.items.len(), s.items.tokens
	return m, it.Tokens, nil
}

// Get returns an item, deleted or not. Errors: *memory.NotFoundError.
func (s *Store) Get(id string) (Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.items.kept.Find(id)
	if h == slab.None {
		return Item{}, &memory.NotFoundError{ID: id}
	}
	return s.items.copy(h), nil
}

// All iterates over a snapshot, oldest first, deleted items included. Each loop
// takes its own when it starts, and may change the store.
func (s *Store) All() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for _, it := range s.snapshot(everything) {
			if !yield(it.copy()) {
				return
			}
		}
	}
}

// everything is the filter that keeps all items.
func everything(*Item) bool { return true }

// snapshot returns the items that a filter keeps, oldest first. They must be
// copied before they leave the package.
func (s *Store) snapshot(keep func(*Item) bool) []Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(s.items.filtered(keep))
}

// Len returns the number of items, deleted ones included.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items.len()
}

// Tokens returns the tokens of all items, deleted ones included.
func (s *Store) Tokens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items.tokens
}

// Step returns the current step.
func (s *Store) Step() int { return s.advance(0) }

// AdvanceStep moves the store's own counter on by one and returns it. With
// Options.Step it is the same as Step.
func (s *Store) AdvanceStep() int { return s.advance(1) }

func (s *Store) advance(steps int) int {
	now := s.policy.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.policy.Step == nil {
		now.step = clampStep(s.items.now.step + steps)
	}
	s.items.advance(now)
	return s.items.now.step
}

// Version changes with every change of the items, and never repeats in the
// store's lifetime: equal versions mean equal items. An operation counts once,
// and one that leaves everything as it was not at all; nor do steps and time
// that pass. Read it before the content it is to stand for. Versions of different
// stores, of a store and its branch too, have nothing to do with each other.
func (s *Store) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Clear removes all items, and releases their memory. The step stays.
func (s *Store) Clear(ctx context.Context) {
	op := s.begin(ctx, opClear)
	op.record.Items, op.record.Tokens = s.clear(op.now)
	op.end(nil)
}

func (s *Store) clear(now moment) (items, tokens int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.advance(now)
	items, tokens = s.items.len(), s.items.tokens
	if items > 0 {
		s.items = itemList{policy: s.policy, now: s.items.now}
		s.version++
	}
	return items, tokens
}

// Branch returns an independent copy with the same options, in time
// proportional to its length.
func (s *Store) Branch() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Store{policy: s.policy, operations: s.operations, items: s.items.clone(), version: s.version}
}
