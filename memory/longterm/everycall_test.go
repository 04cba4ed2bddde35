package longterm_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/scripted"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// trap fails one of all calls that a promotion makes.
type trap struct {
	how    string
	cancel context.CancelFunc

	mu    sync.Mutex
	after int // calls until the trap springs; negative afterwards
}

var errTrap = errors.New("trapped")

// call makes a call, unless the trap springs.
func (x *trap) call(f func() error) error {
	x.mu.Lock()
	x.after--
	now := x.after == 0
	x.mu.Unlock()
	if !now {
		return f()
	}
	switch x.how {
	case "before":
		return errTrap
	case "after":
		if err := f(); err != nil {
			return err
		}
		return errTrap
	case "panic":
		panic("trapped")
	case "cancelled":
		x.cancel()
	case "cancelled after":
		defer x.cancel()
	}
	return f()
}

func (x *trap) sprung() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.after <= 0
}

// trapped makes a call that returns a value.
func trapped[T any](x *trap, f func() (T, error)) (v T, err error) {
	err = x.call(func() error { v, err = f(); return err })
	return v, err
}

func (x *trap) Generate(ctx context.Context, asked string, _ int) (string, error) {
	return trapped(x, func() (string, error) {
		answer, err := scripted.EchoMessages(0, asked)
		return answer, errors.Join(err, ctx.Err())
	})
}

func (x *trap) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return trapped(x, func() ([][]float32, error) { return (&compass{}).Embed(ctx, texts) })
}

func (x *trap) Model() string { return "trap" }

// trappedIndex is an index with a trap.
type trappedIndex struct {
	longtermdriver.Index
	*trap
}

func (x trappedIndex) Lookup(ctx context.Context, l longtermdriver.Lookup) ([]longtermdriver.Entry, error) {
	return trapped(x.trap, func() ([]longtermdriver.Entry, error) { return x.Index.Lookup(ctx, l) })
}

func (x trappedIndex) Write(ctx context.Context, changes []longtermdriver.RecordChange) error {
	return x.call(func() error { return x.Index.Write(ctx, changes) })
}

func (x trappedIndex) Search(ctx context.Context, s longtermdriver.Search) (longtermdriver.HitPage, error) {
	return trapped(x.trap, func() (longtermdriver.HitPage, error) { return x.Index.Search(ctx, s) })
}

// trappedStore is a store with a trap.
type trappedStore struct {
	sessiondriver.Store
	*trap
}

func (x trappedStore) Load(ctx context.Context, key session.Key, last int) (*sessiondriver.StoredSession, error) {
	return trapped(x.trap, func() (*sessiondriver.StoredSession, error) { return x.Store.Load(ctx, key, last) })
}

func (x trappedStore) Write(ctx context.Context, key session.Key, w sessiondriver.Write) (sessiondriver.Position, error) {
	return trapped(x.trap, func() (sessiondriver.Position, error) { return x.Store.Write(ctx, key, w) })
}

// Any call of a promotion may fail before or after its effect, panic, or be cancelled: a later
// promotion completes the work, and does nothing twice.
func TestFailureOfEachCallOfAPromotion(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"before", "after", "panic", "cancelled", "cancelled after"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			calls := 0
			for n := 1; ; n++ {
				require.Less(t, n, 200)
				ctx, cancel := context.WithCancel(t.Context())
				x := &trap{how: how, cancel: cancel, after: 1 << 30}
				sprang := promoteWith(t, ctx, x, n)
				cancel()
				if !sprang {
					break
				}
				calls = n
			}
			assert.Greater(t, calls, 20, "every call is trapped once")
		})
	}
}

// promoteWith promotes a session with a trap at the n-th call, and reports whether it sprang.
func promoteWith(t *testing.T, ctx context.Context, x *trap, n int) (sprang bool) {
	c := conformance.NewClock(monday)
	memories, err := longterm.New(trappedIndex{memindex.New(nil), x}, &longterm.Options{Embedder: x, MergeDistance: -1, Now: c.Now})
	require.NoError(t, err)
	p, err := longterm.NewPromoter(memories, &longterm.PromoterOptions{Model: x, Strategy: by("discrete"), Messages: true, Entities: true})
	require.NoError(t, err)
	inner := memstore.New(&memstore.Options{Now: c.Now})
	manager := func(store sessiondriver.Store) *session.Manager {
		m, err := session.NewManager(store, &session.Options{
			LongTerm: p, Now: c.Now, Promotions: promotion.Options{Off: true, Batch: 3}, Summaries: summary.Options{Mode: summary.Off},
		})
		require.NoError(t, err)
		return m
	}
	m := manager(inner)
	defer m.Close(context.Background())
	say(t, m, annas, 0, 5)
	_, err = m.Update(t.Context(), annas, func(s *session.Session) error {
		s.Memories = append(s.Memories, session.Record{ID: "given", Text: "Anna was here first."})
		return s.Entities.Add(memory.Entity{Type: "order", ID: "W1", Name: "Shoes"})
	}, nil)
	require.NoError(t, err)

	broken := manager(trappedStore{inner, x})
	x.after = n
	func() {
		defer func() {
			if caught := recover(); caught != nil {
				require.Equal(t, "trapped", caught, "a panic of the store reaches its caller")
			}
		}()
		_, _ = broken.Promote(ctx, annas)
	}()
	sprang = x.sprung()
	x.after = 1 << 30
	require.NoError(t, broken.Close(context.Background()))

	say(t, m, annas, 5, 1) // writes go on
	c.Sleep(time.Hour)
	settle(t, m, c, annas)
	texts := make(map[string]int)
	for _, r := range facts(t, memories) {
		texts[r.Text]++
	}
	want := map[string]int{"Anna was here first.": 1, `order "Shoes" (W1)`: 1}
	for i := range 6 {
		want[fmt.Sprint("heard I know thing ", i)] = 1
	}
	require.Equal(t, want, texts, "call %d", n)
	kept, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	require.Len(t, kept, 6, "call %d", n)
	return sprang
}
