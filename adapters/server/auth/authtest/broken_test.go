package authtest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/internal/conformance"
)

// broken is a store of which some methods are others.
type broken struct {
	*auth.MemoryTokenStore
	add    func(ctx context.Context, t auth.Token) error
	get    func(ctx context.Context, id string) (auth.Token, error)
	list   func(ctx context.Context) ([]auth.Token, error)
	remove func(ctx context.Context, id string) error
	close  func() error
	// another makes another handle. nil: there is one.
	another func() *broken
}

func (b *broken) Add(ctx context.Context, t auth.Token) error {
	if b.add != nil {
		return b.add(ctx, t)
	}
	return b.MemoryTokenStore.Add(ctx, t)
}

func (b *broken) Get(ctx context.Context, id string) (auth.Token, error) {
	if b.get != nil {
		return b.get(ctx, id)
	}
	return b.MemoryTokenStore.Get(ctx, id)
}

func (b *broken) List(ctx context.Context) ([]auth.Token, error) {
	if b.list != nil {
		return b.list(ctx)
	}
	return b.MemoryTokenStore.List(ctx)
}

func (b *broken) Remove(ctx context.Context, id string) error {
	if b.remove != nil {
		return b.remove(ctx, id)
	}
	return b.MemoryTokenStore.Remove(ctx, id)
}

func (b *broken) Close() error {
	if b.close != nil {
		return b.close()
	}
	return b.MemoryTokenStore.Close()
}

// fault is a way for a store to be wrong, and the cases that must find it.
type fault struct {
	name   string
	broken func(s *auth.MemoryTokenStore) *broken
	cases  []string
}

// keeps is a store that keeps another token than it is given.
func keeps(change func(t *auth.Token)) func(s *auth.MemoryTokenStore) *broken {
	return func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, add: func(ctx context.Context, t auth.Token) error {
			if err := t.Check(); err != nil {
				return err
			}
			change(&t)
			return s.Add(ctx, t)
		}}
	}
}

// finds is a store that makes another id of what it is asked for.
func finds(change func(id string) string) func(s *auth.MemoryTokenStore) *broken {
	return func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, get: func(ctx context.Context, id string) (auth.Token, error) { return s.Get(ctx, change(id)) }}
	}
}

func allFaults() []fault { return slices.Concat(keepingFaults(), callFaults()) }

func keepingFaults() []fault {
	return []fault{
		{"forgets the hash's end", keeps(func(t *auth.Token) { t.Hash[31] = 9 }), []string{"all of a token is kept", "hashes of all sorts", "tokens at once"}},
		{"never expires", keeps(func(t *auth.Token) { t.ExpiresAt = time.Time{} }), []string{"all of a token is kept", "expired tokens are kept", "times to the millisecond"}},
		{"always expires", keeps(func(t *auth.Token) { t.ExpiresAt = created }), []string{"what is empty stays empty"}},
		{"trims", keeps(func(t *auth.Token) { t.Description = strings.TrimSpace(t.Description) }), []string{"texts of all sorts"}},
		{"folds case", keeps(func(t *auth.Token) { t.Tenant.Namespace = strings.ToLower(t.Tenant.Namespace) }), []string{"texts of all sorts"}},
		{"cuts", keeps(func(t *auth.Token) { t.Description = t.Description[:min(len(t.Description), 100)] }), []string{"texts as long as may be"}},
		{"seconds", keeps(func(t *auth.Token) { t.CreatedAt = t.CreatedAt.Truncate(time.Second) }), []string{"times to the millisecond", "the order of a list"}},
		{"0 is never", keeps(func(t *auth.Token) {
			if t.ExpiresAt.UnixMilli() == 0 {
				t.ExpiresAt = time.Time{}
			}
		}), []string{"times to the millisecond"}},
		{"keeps what it is asked for", finds(func(id string) string { return strings.ToLower(strings.TrimSpace(strings.TrimRight(id, "\x00"))) }), []string{"ids that are none"}},
		{"finds the first", finds(func(string) string { return token(1).ID }), []string{"what is not there", "what is removed is gone", "tokens at once"}},
	}
}

// callFaults are stores that do something else than they are told.
func callFaults() []fault {
	return []fault{{"replaces", func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, add: func(ctx context.Context, t auth.Token) error {
			_ = s.Remove(ctx, t.ID)
			return s.Add(ctx, t)
		}}
	}, []string{"an id is given once", "one of many adds wins"}}, {"checks nothing", func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, add: func(context.Context, auth.Token) error { return nil }}
	}, []string{"tokens that are none"}}, {"removes nothing", func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, remove: func(ctx context.Context, id string) error { _, err := s.Get(ctx, id); return err }}
	}, []string{"what is removed is gone", "one of many removals wins"}}, {"keeps ids from coming again", func(s *auth.MemoryTokenStore) *broken {
		gone := map[string]bool{}
		return &broken{MemoryTokenStore: s, add: func(ctx context.Context, t auth.Token) error {
			if gone[t.ID] {
				return auth.ErrExists
			}
			gone[t.ID] = true
			return s.Add(ctx, t)
		}}
	}, []string{"an id may come again"}}, {"lists in no order", func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, list: func(ctx context.Context) ([]auth.Token, error) {
			all, err := s.List(ctx)
			slices.Reverse(all)
			return all, err
		}}
	}, []string{"the order of a list"}}, {"lists pages", func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, list: func(ctx context.Context) ([]auth.Token, error) {
			all, err := s.List(ctx)
			return all[:min(len(all), 1000)], err
		}}
	}, []string{"many tokens"}}, {"says that none is an error", func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, list: func(context.Context) ([]auth.Token, error) { return nil, auth.ErrNotFound }}
	}, []string{"no tokens"}}, {"hands out its own list", func(s *auth.MemoryTokenStore) *broken {
		var once sync.Once
		var all []auth.Token
		return &broken{MemoryTokenStore: s, list: func(ctx context.Context) (_ []auth.Token, err error) {
			once.Do(func() { all, err = s.List(ctx) })
			return all, err
		}}
	}, []string{"what is returned is the caller's"}}, {"heeds no context", func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, list: func(ctx context.Context) ([]auth.Token, error) { return s.List(context.WithoutCancel(ctx)) }}
	}, []string{"contexts that have ended"}}, {"stays open", func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, close: func() error { return nil }}
	}, []string{"closed"}}, {"handles of their own", func(s *auth.MemoryTokenStore) *broken {
		return &broken{MemoryTokenStore: s, another: func() *broken { return &broken{MemoryTokenStore: auth.NewMemoryTokenStore()} }}
	}, []string{"other handles see it"}}}
}

// harness returns a harness of stores that work but for a fault.
func harness(f fault) func(testing.TB) Harness {
	return func(testing.TB) Harness {
		store := f.broken(auth.NewMemoryTokenStore())
		return Harness{Shared: store.another != nil, Open: func(testing.TB) auth.TokenStore {
			if store.another != nil {
				return store.another()
			}
			return store
		}}
	}
}

func TestSuite(t *testing.T) {
	t.Parallel()
	works := fault{broken: func(s *auth.MemoryTokenStore) *broken { return &broken{MemoryTokenStore: s} }}
	var faults []conformance.Fault[*env]
	for _, f := range allFaults() {
		faults = append(faults, conformance.Fault[*env]{Name: f.name, Open: newEnv(harness(f)), Cases: f.cases})
	}
	conformance.Verify(t, allCases(), newEnv(harness(works)), faults)
}
