package middleware_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// slowStore is a store whose loads report their start and wait.
type slowStore struct {
	driver.Store
	began chan struct{}
	goOn  chan struct{}
}

func (s *slowStore) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	select {
	case s.began <- struct{}{}:
	default:
	}
	select {
	case <-s.goOn:
		return s.Store.Load(ctx, key, last)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestTimedOutCallIsStoredLater(t *testing.T) {
	t.Parallel()
	store := &slowStore{Store: memstore.New(nil), began: make(chan struct{}, 1), goOn: make(chan struct{})}
	rec := newSessions(t, store, &middleware.SessionsOptions{
		Grace: time.Millisecond,
		Messages: func(_ context.Context, _ session.Key, call middleware.ToolCall) []session.Message {
			return said(call.Name)
		},
	}).Recorder(conversation)
	var refreshed sync.WaitGroup
	refreshed.Go(func() { assert.NoError(t, rec.Refresh(t.Context())) })
	<-store.began

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, rec.Record(ended, got("Home", "page-0001")), context.Canceled)
	assert.Contains(t, rec.Block(), "page-0001")
	close(store.goOn)
	refreshed.Wait()
	assert.Contains(t, rec.Block(), "page-0001", "what was read did not have it")

	require.NoError(t, rec.Refresh(t.Context()))
	block, err := newSessions(t, store.Store, nil).Block(t.Context(), conversation)
	require.NoError(t, err)
	assert.Contains(t, block, "page-0001")
	assert.Equal(t, []string{"cms_get"}, contents(t, store.Store))
}

func TestClearDropsPendingCalls(t *testing.T) {
	t.Parallel()
	store := &weakStore{Store: memstore.New(nil)}
	rec := newSessions(t, store, nil).Recorder(conversation)
	store.err.Store(new(session.ErrUnavailable))
	require.Error(t, rec.Record(t.Context(), got("Home", "page-0001")))
	store.err.Store(nil)
	require.NoError(t, rec.Clear(t.Context()))
	assert.Empty(t, rec.Block())
	require.NoError(t, rec.Refresh(t.Context()))
	assert.Empty(t, rec.Block())
}

func TestRefusedMessagesDoNotBlockLaterCalls(t *testing.T) {
	t.Parallel()
	store := &weakStore{Store: memstore.New(nil)}
	rec := newSessions(t, store, &middleware.SessionsOptions{
		Messages: func(_ context.Context, _ session.Key, call middleware.ToolCall) []session.Message {
			if call.Name == "odd" {
				return []session.Message{{Content: "without a role"}}
			}
			return said(call.Name)
		},
	}).Recorder(conversation)
	store.err.Store(new(session.ErrUnavailable))
	for i := range 3 {
		odd := got("Home", fmt.Sprintf("page-000%d", i))
		odd.Name = "odd"
		require.ErrorIs(t, rec.Record(t.Context(), odd), session.ErrUnavailable)
	}
	require.ErrorIs(t, rec.Record(t.Context(), got("About", "page-0003")), session.ErrUnavailable)
	store.err.Store(nil)
	require.NoError(t, rec.Refresh(t.Context()), "it is long known that the store did not take them")
	assert.Equal(t, []string{"cms_get"}, contents(t, store))
	assert.Equal(t, 4, rec.Context().Len())
}

func TestPanicInMessagesKeepsEntities(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	rec := newSessions(t, store, &middleware.SessionsOptions{
		Messages: func(context.Context, session.Key, middleware.ToolCall) []session.Message { panic("secret") },
	}).Recorder(conversation)
	err := rec.Record(t.Context(), got("Home", "page-0001"))
	require.ErrorIs(t, err, memory.ErrPanic)
	assert.NotContains(t, err.Error(), "secret")
	block, err := newSessions(t, store, nil).Block(t.Context(), conversation)
	require.NoError(t, err)
	assert.Contains(t, block, "page-0001")
}

func TestPendingCallsAreBounded(t *testing.T) {
	t.Parallel()
	const most = 256
	store := &weakStore{Store: memstore.New(nil)}
	rec := newSessions(t, store, &middleware.SessionsOptions{
		Messages: func(_ context.Context, _ session.Key, call middleware.ToolCall) []session.Message {
			return said(call.Name)
		},
	}).Recorder(conversation)
	store.err.Store(new(session.ErrUnavailable))
	for i := range most + 10 {
		require.Error(t, rec.Record(t.Context(), middleware.ToolCall{Name: fmt.Sprint(i)}))
	}
	store.err.Store(nil)
	require.NoError(t, rec.Refresh(t.Context()))
	texts := contents(t, store)
	require.Len(t, texts, most)
	assert.Equal(t, []string{"10", fmt.Sprint(most + 9)}, []string{texts[0], texts[most-1]}, "the last ones")
}

// flakyStore is a store that fails now and then.
type flakyStore struct {
	driver.Store
	asked atomic.Int64
}

func (s *flakyStore) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	switch s.asked.Add(1) % 5 {
	case 0:
		return driver.Position{}, session.ErrUnavailable
	case 1: // it is written, but the acknowledgement is lost
		at, err := s.Store.Write(ctx, key, w)
		if err == nil {
			err = session.ErrUnavailable
		}
		return at, err
	}
	return s.Store.Write(ctx, key, w)
}

func TestConcurrentCallsOnAFlakyStore(t *testing.T) {
	t.Parallel()
	const processes, goroutines, each = 2, 8, 4
	store := &flakyStore{Store: memstore.New(nil)}
	opts := &session.Options{Context: &memory.ContextOptions{Capacity: processes * goroutines * each}}
	var wg sync.WaitGroup
	var want []string
	for p := range processes {
		s, err := middleware.NewSessions(newManager(t, store, opts), &middleware.SessionsOptions{
			Messages: func(_ context.Context, _ session.Key, call middleware.ToolCall) []session.Message {
				return said(call.Name)
			},
		})
		require.NoError(t, err)
		rec := s.Recorder(conversation)
		var recorded sync.WaitGroup
		for g := range goroutines {
			for i := range each {
				want = append(want, fmt.Sprintf("page-%d-%d-%d", p, g, i))
			}
			recorded.Go(func() {
				for i := range each {
					id := fmt.Sprintf("page-%d-%d-%d", p, g, i)
					call := got(id, id)
					call.Name = id
					_ = rec.Record(t.Context(), call) // the store may fail
					_, known := rec.Context().Get(memory.Ref{Type: "page", ID: id})
					assert.True(t, known, id)
					_ = rec.Block()
					_ = rec.Refresh(t.Context())
				}
			})
		}
		wg.Go(func() {
			recorded.Wait()
			var err error
			for range 100 { // until the store succeeds
				if err = rec.Refresh(t.Context()); err == nil {
					return
				}
			}
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	found, err := newManager(t, store.Store, opts).Load(t.Context(), conversation, nil)
	require.NoError(t, err)
	assert.Equal(t, len(want), found.Entities.Len())
	said := contents(t, store.Store)
	slices.Sort(said)
	slices.Sort(want)
	assert.Equal(t, want, said, "each once")
}

func TestEvictedMessagesAreNotStoredAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := &flakyStore{Store: memstore.New(nil)} // whose first acknowledgement is lost
	rec := newSessions(t, store, &middleware.SessionsOptions{
		Messages: func(_ context.Context, _ session.Key, call middleware.ToolCall) []session.Message {
			return said(call.Name)
		},
	}).Recorder(conversation)
	require.ErrorIs(t, rec.Record(ctx, got("Home", "page-0001")), session.ErrUnavailable)
	require.Equal(t, []string{"cms_get"}, contents(t, store.Store))
	_, err := newManager(t, store.Store, nil).Update(ctx, conversation, func(s *session.Session) error {
		s.Messages, s.Context = said("later"), "the home page was looked at"
		return nil
	}, nil)
	require.NoError(t, err)

	next := got("About", "page-0002")
	next.Name = "get_about"
	require.NoError(t, rec.Record(ctx, next))
	assert.Equal(t, []string{"later", "get_about"}, contents(t, store.Store))
	assert.Equal(t, 2, rec.Context().Len())
}

func TestGraceBeginsAtTheDeadlineOrNow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &weakStore{Store: memstore.New(nil)}
		store.hangs.Store(true)
		rec := newSessions(t, store, &middleware.SessionsOptions{Grace: 500 * time.Millisecond}).Recorder(conversation)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		begun := time.Now()
		require.ErrorIs(t, rec.Record(ctx, got("Home", "page-0001")), context.DeadlineExceeded)
		require.Equal(t, 510*time.Millisecond, time.Since(begun))

		store.hangs.Store(false)
		late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
		defer cancel()
		require.NoError(t, rec.Record(late, got("About", "page-0002")), "of a tool that took its time")
	})
}
