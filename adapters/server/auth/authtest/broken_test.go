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

type store = auth.MemoryTokenStore

// Each fault is a store that overrides one method.
type (
	addStore struct {
		*store
		add func(ctx context.Context, s *store, t auth.Token) error
	}
	getStore struct {
		*store
		change func(id string) string
	}
	listStore struct {
		*store
		list func(ctx context.Context, s *store) ([]auth.Token, error)
	}
	removeNothing struct{ *store }
	closeNothing  struct{ *store }
)

func (b addStore) Add(ctx context.Context, t auth.Token) error { return b.add(ctx, b.store, t) }
func (b getStore) Get(ctx context.Context, id string) (auth.Token, error) {
	return b.store.Get(ctx, b.change(id))
}
func (b listStore) List(ctx context.Context) ([]auth.Token, error) { return b.list(ctx, b.store) }
func (b removeNothing) Remove(ctx context.Context, id string) error {
	_, err := b.Get(ctx, id)
	return err
}
func (closeNothing) Close() error { return nil }

// changes returns a store that changes valid tokens before it stores them.
func changes(change func(t *auth.Token)) func(s *store) auth.TokenStore {
	return func(s *store) auth.TokenStore {
		return addStore{s, func(ctx context.Context, s *store, t auth.Token) error {
			if err := t.Check(); err != nil {
				return err
			}
			change(&t)
			return s.Add(ctx, t)
		}}
	}
}

func adds(add func(ctx context.Context, s *store, t auth.Token) error) func(s *store) auth.TokenStore {
	return func(s *store) auth.TokenStore { return addStore{s, add} }
}

func lists(list func(ctx context.Context, s *store) ([]auth.Token, error)) func(s *store) auth.TokenStore {
	return func(s *store) auth.TokenStore { return listStore{s, list} }
}

func finds(change func(id string) string) func(s *store) auth.TokenStore {
	return func(s *store) auth.TokenStore { return getStore{s, change} }
}

func TestSuite(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	removed := map[*store]map[string]bool{}
	first := map[*store][]auth.Token{}
	var faults []conformance.Fault[*env]
	for _, f := range []struct {
		name  string
		open  func(s *store) auth.TokenStore
		cases []string
	}{
		{"changes the hash", changes(func(t *auth.Token) { t.Hash[31] = 9 }), []string{"all fields are stored", "unusual hashes", "concurrent calls"}},
		{"drops the expiry", changes(func(t *auth.Token) { t.ExpiresAt = time.Time{} }), []string{"all fields are stored", "expired tokens stay", "millisecond times"}},
		{"adds an expiry", changes(func(t *auth.Token) { t.ExpiresAt = created }), []string{"empty fields stay empty"}},
		{"trims", changes(func(t *auth.Token) { t.Description = strings.TrimSpace(t.Description) }), []string{"unusual texts"}},
		{"folds case", changes(func(t *auth.Token) { t.Tenant.Namespace = strings.ToLower(t.Tenant.Namespace) }), []string{"unusual texts"}},
		{"truncates", changes(func(t *auth.Token) { t.Description = t.Description[:min(len(t.Description), 100)] }), []string{"longest texts"}},
		{"stores seconds", changes(func(t *auth.Token) { t.CreatedAt = t.CreatedAt.Truncate(time.Second) }), []string{"millisecond times", "list order"}},
		{"takes 1970 for never", changes(func(t *auth.Token) {
			if t.ExpiresAt.UnixMilli() == 0 {
				t.ExpiresAt = time.Time{}
			}
		}), []string{"millisecond times"}},
		{"normalises ids", finds(func(id string) string { return strings.ToLower(strings.TrimSpace(strings.TrimRight(id, "\x00"))) }), []string{"malformed ids"}},
		{"finds the first", finds(func(string) string { return token(1).ID }), []string{"missing token", "removal", "concurrent calls"}},
		{"replaces", adds(func(ctx context.Context, s *store, t auth.Token) error { _ = s.Remove(ctx, t.ID); return s.Add(ctx, t) }), []string{"unique ids", "concurrent adds of one id"}},
		{"checks nothing", adds(func(context.Context, *store, auth.Token) error { return nil }), []string{"malformed tokens"}},
		{"keeps ids taken", adds(func(ctx context.Context, s *store, t auth.Token) error {
			mu.Lock()
			defer mu.Unlock()
			if removed[s] == nil {
				removed[s] = map[string]bool{}
			}
			if removed[s][t.ID] {
				return auth.ErrExists
			}
			removed[s][t.ID] = true
			return s.Add(ctx, t)
		}), []string{"reused id"}},
		{"removes nothing", func(s *store) auth.TokenStore { return removeNothing{s} }, []string{"removal", "concurrent removals of one token"}},
		{"lists in reverse", lists(func(ctx context.Context, s *store) ([]auth.Token, error) {
			all, err := s.List(ctx)
			slices.Reverse(all)
			return all, err
		}), []string{"list order"}},
		{"lists one page", lists(func(ctx context.Context, s *store) ([]auth.Token, error) {
			all, err := s.List(ctx)
			return all[:min(len(all), 1000)], err
		}), []string{"many tokens"}},
		{"fails when empty", lists(func(context.Context, *store) ([]auth.Token, error) { return nil, auth.ErrNotFound }), []string{"no tokens"}},
		{"returns its own list", lists(func(ctx context.Context, s *store) (_ []auth.Token, err error) {
			mu.Lock()
			defer mu.Unlock()
			if first[s] == nil {
				first[s], err = s.List(ctx)
			}
			return first[s], err
		}), []string{"results belong to the caller"}},
		{"ignores contexts", lists(func(ctx context.Context, s *store) ([]auth.Token, error) { return s.List(context.WithoutCancel(ctx)) }), []string{"ended contexts"}},
		{"stays open", func(s *store) auth.TokenStore { return closeNothing{s} }, []string{"closed"}},
	} {
		faults = append(faults, conformance.Fault[*env]{Name: f.name, Open: newEnv(harness(f.open)), Cases: f.cases})
	}
	faults = append(faults, conformance.Fault[*env]{Name: "does not share", Open: newEnv(func(testing.TB) Harness {
		return Harness{Shared: true, Open: func(testing.TB) auth.TokenStore { return new(store) }}
	}), Cases: []string{"shared handles"}})
	conformance.Verify(t, allCases(), newEnv(harness(func(s *store) auth.TokenStore { return s })), faults)
}

// harness returns a harness with one handle.
func harness(open func(s *store) auth.TokenStore) func(testing.TB) Harness {
	return func(testing.TB) Harness {
		s := open(auth.NewMemoryTokenStore())
		return Harness{Open: func(testing.TB) auth.TokenStore { return s }}
	}
}
