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

// Store is a bounded collection of items that are evicted by importance. The limits of
// items and of tokens hold after every operation. A new item gets its room from the
// other items, which are evicted in this order of EvictionClass:
//
//  1. items that were forgotten softly,
//  2. items older than a TTL, whatever their importance,
//  3. items of low importance, then items of normal importance,
//  4. protected items, if no others are left.
//
// Within a class, recent items are evicted last, and older items before newer ones. No
// item is evicted unless room is needed.
//
// A Store is safe for concurrent use; readers never see a partial operation. Evictions
// are deterministic. Operations take time proportional to the number of items: evicting
// one of 64 takes 1 µs, one of 1,000 about 15 µs. A Store must not be copied; see Branch.
//
// Operations take a context for WithOrigin and for callbacks. They proceed even if it
// has ended.
type Store struct {
	policy     *itemPolicy
	operations *atomic.Uint64 // shared with branches

	mu      sync.Mutex
	items   itemList
	version uint64
}

// New returns an empty store. If opts is nil, the defaults are used. It returns an error
// if HighImportance is out of range or below LowImportance.
func New(opts *Options) (*Store, error) {
	policy, err := newItemPolicy(opts)
	if err != nil {
		return nil, err
	}
	return &Store{policy: policy, operations: new(atomic.Uint64), items: itemList{policy: policy}}, nil
}

// Memorized is the result of Memorize.
type Memorized struct {
	// ID and Position are those of the new item, which is the last.
	ID       string
	Position int
	// Evicted are the evicted items, in the order of eviction.
	Evicted []Evicted
	// Size and Tokens are the number of items and tokens in the store afterwards.
	Size, Tokens int
}

// Memorize adds an item as the newest. If it fails, nothing is changed. Errors:
// ErrNoText, ErrItemType, ErrImportance, ErrDuplicateID, ErrCapacity, *InputError,
// *TooLargeError.
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
	s.items.complete(&it, in.StepIndex)
	s.items.push(it)
	s.items.kept.Compact()
	s.version++
	m.ID, m.Position = it.ID, s.items.len()-1
	m.Size, m.Tokens = s.items.len(), s.items.tokens
	return m, it.Tokens, nil
}

// Get returns an item, even if it is deleted. Errors: *memory.NotFoundError.
func (s *Store) Get(id string) (Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.items.kept.Find(id)
	if h == slab.None {
		return Item{}, &memory.NotFoundError{ID: id}
	}
	return s.items.copy(h), nil
}

// All iterates over a snapshot, oldest first, including deleted items. The snapshot is
// taken when a loop starts; the loop may change the store.
func (s *Store) All() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for _, it := range s.snapshot(everything) {
			if !yield(it.copy()) {
				return
			}
		}
	}
}

func everything(*Item) bool { return true }

// snapshot returns the items for which keep returns true, oldest first. They must be
// copied before they are given to a caller.
func (s *Store) snapshot(keep func(*Item) bool) []Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(s.items.filtered(keep))
}

// Len returns the number of items, including deleted ones.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items.len()
}

// Tokens returns the tokens of all items, including deleted ones.
func (s *Store) Tokens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items.tokens
}

// Step returns the current step.
func (s *Store) Step() int { return s.advance(0) }

// AdvanceStep increments the store's step counter and returns the step. If Options.Step
// is set, it is the same as Step.
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

// Version returns a number that changes with every change of the items and never
// repeats: equal versions mean equal items. An operation counts once, and not at all if
// it has no effect; neither do steps and the passing of time. Callers that cache content
// must read the version before the content. Versions of different stores, including
// branches, are unrelated.
func (s *Store) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Clear removes all items and releases their memory. The step is kept.
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
