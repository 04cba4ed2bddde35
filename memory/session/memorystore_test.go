package session_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/sessiontest"
)

// clock is a clock that goes on when it is told to.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock {
	return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestMemoryStoreConforms(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(testing.TB) sessiontest.Harness {
		c := newClock()
		store := session.NewMemoryStore(&session.MemoryStoreOptions{Now: c.Now})
		return sessiontest.Harness{
			Open:  func(testing.TB) session.Store { return store },
			Sleep: c.Sleep,
		}
	})
}

func TestMemoryStoreConformsOnTheRealClock(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(testing.TB) sessiontest.Harness {
		store := session.NewMemoryStore(nil)
		return sessiontest.Harness{Open: func(testing.TB) session.Store { return store }}
	})
}

// closingContext closes a store when it is asked whether it has ended.
type closingContext struct {
	context.Context
	store *session.MemoryStore
}

func (c closingContext) Err() error { return c.store.Close() }

// A store that is closed in the middle of a call does not answer as if it were empty.
func TestMemoryStoreClosedMeanwhile(t *testing.T) {
	t.Parallel()
	key := session.Key{SessionID: "s"}
	for name, call := range map[string]func(ctx context.Context, s session.Store) error{
		"Load": func(ctx context.Context, s session.Store) error { _, err := s.Load(ctx, key, -1); return err },
		"Append": func(ctx context.Context, s session.Store) error {
			_, _, err := s.Append(ctx, key, session.Append{})
			return err
		},
		"Write": func(ctx context.Context, s session.Store) error {
			_, err := s.Write(ctx, key, session.Write{})
			return err
		},
		"Delete": func(ctx context.Context, s session.Store) error { return s.Delete(ctx, key, nil) },
		"List": func(ctx context.Context, s session.Store) error {
			_, err := s.List(ctx, session.Filter{Limit: -1})
			return err
		},
		"Due": func(ctx context.Context, s session.Store) error {
			_, err := s.Due(ctx, time.Now(), 1)
			return err
		},
	} {
		store := session.NewMemoryStore(nil)
		_, _, err := store.Append(t.Context(), key, session.Append{})
		require.NoError(t, err)
		require.ErrorIs(t, call(closingContext{t.Context(), store}, store), session.ErrClosed, name)
	}
}

// What sessiontest.RunWriters asks of stores that processes share.
func TestManyWritersInProcess(t *testing.T) {
	t.Parallel()
	m, err := session.NewManager(session.NewMemoryStore(nil), &session.Options{Summaries: session.Summaries{Mode: session.SummarizeOff}})
	require.NoError(t, err)
	const writers, each = 32, 1000
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for n := range each {
				_, err := m.Append(t.Context(), anna, []session.Message{{Role: session.RoleUser, Name: strconv.Itoa(w), Content: strconv.Itoa(n)}}, nil)
				assert.NoError(t, err)
			}
		})
	}
	group.Wait()
	s := load(t, m, anna)
	require.Len(t, s.Messages, writers*each)
	next := map[string]int{}
	for _, message := range s.Messages {
		require.Equal(t, strconv.Itoa(next[message.Name]), message.Content, "writer %s", message.Name)
		next[message.Name]++
	}
	assert.Len(t, next, writers)
}
