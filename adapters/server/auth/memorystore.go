package auth

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
)

var _ TokenStore = (*MemoryTokenStore)(nil)

// MemoryTokenStore keeps tokens in the process, for tests and for programs that make their
// tokens when they start. It is safe for concurrent use. The zero value is an empty store.
type MemoryTokenStore struct {
	mu     sync.Mutex
	tokens map[string]Token // nil if empty
	closed bool
}

// NewMemoryTokenStore returns an empty store.
func NewMemoryTokenStore() *MemoryTokenStore { return &MemoryTokenStore{} }

// Close closes the store. Every later call returns ErrClosed. Close may be called twice.
func (s *MemoryTokenStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.tokens = true, nil
	return nil
}

// withLock calls f with the lock held, unless the store is closed or ctx has ended.
func (s *MemoryTokenStore) withLock(ctx context.Context, f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

// Add implements TokenStore.
func (s *MemoryTokenStore) Add(ctx context.Context, t Token) error {
	return s.withLock(ctx, func() error {
		if err := t.Check(); err != nil {
			return err
		}
		if _, exists := s.tokens[t.ID]; exists {
			return ErrExists
		}
		t.CreatedAt = truncateMillis(t.CreatedAt)
		if !t.ExpiresAt.IsZero() {
			t.ExpiresAt = truncateMillis(t.ExpiresAt)
		}
		if s.tokens == nil {
			s.tokens = map[string]Token{}
		}
		s.tokens[t.ID] = t
		return nil
	})
}

// Get implements TokenStore.
func (s *MemoryTokenStore) Get(ctx context.Context, id string) (t Token, err error) {
	err = s.withLock(ctx, func() (err error) {
		t, err = s.get(id)
		return err
	})
	return t, err
}

func (s *MemoryTokenStore) get(id string) (Token, error) {
	t, exists := s.tokens[id]
	if !exists {
		return Token{}, ErrNotFound
	}
	return t, nil
}

// List implements TokenStore.
func (s *MemoryTokenStore) List(ctx context.Context) (all []Token, err error) {
	err = s.withLock(ctx, func() error {
		all = slices.SortedFunc(maps.Values(s.tokens), func(a, b Token) int {
			return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
		})
		return nil
	})
	return all, err
}

// Remove implements TokenStore.
func (s *MemoryTokenStore) Remove(ctx context.Context, id string) error {
	return s.withLock(ctx, func() error {
		if _, err := s.get(id); err != nil {
			return err
		}
		delete(s.tokens, id)
		return nil
	})
}
