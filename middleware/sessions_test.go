package middleware_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

var conversation = session.Key{Namespace: "shop", UserID: "anna", SessionID: "s1"}

// faultyStore is a store with faults: each access fails with down, and waits until ready is
// closed or its context ends. lost is called after each write that took effect; its error is
// that of the acknowledgement.
type faultyStore struct {
	driver.Store
	down  atomic.Pointer[error]
	ready chan struct{}
	lost  func() error
}

func newFaultyStore() *faultyStore {
	ready := make(chan struct{})
	close(ready)
	return &faultyStore{Store: memstore.New(nil), ready: ready, lost: func() error { return nil }}
}

func (s *faultyStore) fail(err error) { s.down.Store(&err) }

func (s *faultyStore) repair() { s.down.Store(nil) }

func (s *faultyStore) fault(ctx context.Context) error {
	if err := s.down.Load(); err != nil {
		return *err
	}
	select {
	case <-s.ready:
	case <-ctx.Done():
	}
	return ctx.Err()
}

func (s *faultyStore) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	if err := s.fault(ctx); err != nil {
		return nil, err
	}
	return s.Store.Load(ctx, key, last)
}

func (s *faultyStore) Append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	if err := s.fault(ctx); err != nil {
		return driver.Position{}, 0, err
	}
	return s.Store.Append(ctx, key, a)
}

func (s *faultyStore) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	if err := s.fault(ctx); err != nil {
		return driver.Position{}, err
	}
	at, err := s.Store.Write(ctx, key, w)
	if err == nil {
		err = s.lost()
	}
	return at, err
}

func newManager(t testing.TB, store driver.Store, opts *session.Options) *session.Manager {
	t.Helper()
	m, err := session.NewManager(store, opts)
	require.NoError(t, err)
	return m
}

// newSessions returns the sessions of a store as a process of its own has them.
func newSessions(t *testing.T, store driver.Store, opts *middleware.SessionsOptions) *middleware.Sessions {
	t.Helper()
	s, err := middleware.NewSessions(newManager(t, store, nil), opts)
	require.NoError(t, err)
	return s
}

// keepingNames stores a message with the name of each tool called.
func keepingNames() *middleware.SessionsOptions {
	return &middleware.SessionsOptions{Messages: func(_ context.Context, _ session.Key, call middleware.ToolCall) []session.Message {
		return said(call.Name)
	}}
}

func said(text string) []session.Message {
	return []session.Message{{Role: session.RoleAssistant, Content: text}}
}

// contents returns the texts of the stored messages.
func contents(t *testing.T, store driver.Store) []string {
	t.Helper()
	found, err := newManager(t, store, nil).Load(t.Context(), conversation, nil)
	require.NoError(t, err)
	var texts []string
	for _, m := range found.Messages {
		texts = append(texts, m.Content)
	}
	return texts
}

// storedBlock returns the block as another process shows it.
func storedBlock(t *testing.T, store driver.Store) string {
	t.Helper()
	block, err := newSessions(t, store, nil).Block(t.Context(), conversation)
	require.NoError(t, err)
	return block
}

// got is a call of a tool named name that returned a page.
func got(name, id string) middleware.ToolCall {
	return middleware.ToolCall{Name: name, Result: fmt.Sprintf(`{"page":{"id":%q,"title":%q}}`, id, name)}
}

func TestProcessesShareASession(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	assert.Empty(t, storedBlock(t, store), "there is no session yet")
	found, err := newSessions(t, store, nil).Record(t.Context(), conversation, got("Home", "page-0001"))
	require.NoError(t, err)
	require.Len(t, found.Found.Entities, 1)
	assert.Contains(t, storedBlock(t, store), `"Home" (page-0001)`)
	other, err := newSessions(t, store, nil).Block(t.Context(), session.Key{SessionID: "s1"})
	require.NoError(t, err)
	assert.Empty(t, other, "another session")

	a, b := newSessions(t, store, nil).Recorder(conversation), newSessions(t, store, nil).Recorder(conversation)
	require.NoError(t, a.Refresh(t.Context()))
	require.NoError(t, b.Record(t.Context(), got("About", "page-0002")))
	assert.Contains(t, b.Block(), "page-0001", "a record sees all that is there")
	assert.NotContains(t, a.Block(), "page-0002")
	require.NoError(t, a.Refresh(t.Context()))
	assert.Equal(t, b.Block(), a.Block())

	require.NoError(t, b.Record(t.Context(), middleware.ToolCall{
		Name: "delete_page", Arguments: `{"id":"page-0001"}`, Result: `{"success":true,"id":"page-0001"}`,
	}))
	assert.NotContains(t, storedBlock(t, store), "page-0001")
	require.NoError(t, b.Clear(t.Context()))
	assert.Empty(t, b.Block())
	require.NoError(t, a.Refresh(t.Context()))
	assert.Empty(t, a.Block())
}

func TestFailingStoreKeepsCalls(t *testing.T) {
	t.Parallel()
	store := newFaultyStore()
	var log bytes.Buffer
	opts := keepingNames()
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	rec := newSessions(t, store, opts).Recorder(conversation)
	store.fail(session.ErrUnavailable)
	for _, name := range []string{"first", "second"} {
		call := got(name, "page-of-"+name)
		call.Arguments = "secret"
		require.ErrorIs(t, rec.Record(t.Context(), call), session.ErrUnavailable)
	}
	require.ErrorIs(t, rec.Refresh(t.Context()), session.ErrUnavailable)
	require.ErrorIs(t, rec.Clear(t.Context()), session.ErrUnavailable)
	assert.Contains(t, log.String(), "tool=first")
	assert.NotContains(t, log.String(), "secret")
	for _, id := range []string{"page-of-first", "page-of-second"} {
		assert.Contains(t, rec.Block(), id, "this process knows it")
	}

	store.repair()
	require.NoError(t, rec.Refresh(t.Context()))
	assert.Equal(t, rec.Block(), storedBlock(t, store))
	assert.Equal(t, []string{"first", "second"}, contents(t, store), "in their order, once")
}

func TestClearDropsPendingCalls(t *testing.T) {
	t.Parallel()
	store := newFaultyStore()
	rec := newSessions(t, store, nil).Recorder(conversation)
	store.fail(session.ErrUnavailable)
	require.Error(t, rec.Record(t.Context(), got("Home", "page-0001")))
	store.repair()
	require.NoError(t, rec.Clear(t.Context()))
	assert.Empty(t, rec.Block())
	require.NoError(t, rec.Refresh(t.Context()))
	assert.Empty(t, rec.Block())
}

func TestRefusedMessagesDoNotBlockLaterCalls(t *testing.T) {
	t.Parallel()
	store := newFaultyStore()
	opts := keepingNames()
	valid := opts.Messages
	opts.Messages = func(ctx context.Context, key session.Key, call middleware.ToolCall) []session.Message {
		if call.Name == "odd" {
			return []session.Message{{Content: "without a role"}}
		}
		return valid(ctx, key, call)
	}
	rec := newSessions(t, store, opts).Recorder(conversation)
	store.fail(session.ErrUnavailable)
	for i, name := range []string{"odd", "odd", "odd", "even"} {
		require.ErrorIs(t, rec.Record(t.Context(), got(name, fmt.Sprintf("page-000%d", i))), session.ErrUnavailable)
	}
	store.repair()
	require.NoError(t, rec.Refresh(t.Context()), "the callers of Record have returned")
	assert.Equal(t, []string{"even"}, contents(t, store))
	assert.Equal(t, 4, rec.Context().Len())

	var refused *session.MessageError
	require.ErrorAs(t, rec.Record(t.Context(), got("odd", "page-0004")), &refused)
	assert.Equal(t, 5, rec.Context().Len())
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
	assert.Contains(t, storedBlock(t, store), "page-0001")
}

func TestPendingCallsAreBounded(t *testing.T) {
	t.Parallel()
	const most = 256
	store := newFaultyStore()
	rec := newSessions(t, store, keepingNames()).Recorder(conversation)
	store.fail(session.ErrUnavailable)
	for i := range most + 10 {
		require.Error(t, rec.Record(t.Context(), middleware.ToolCall{Name: fmt.Sprint(i)}))
	}
	store.repair()
	require.NoError(t, rec.Refresh(t.Context()))
	texts := contents(t, store)
	require.Len(t, texts, most)
	assert.Equal(t, []string{"10", fmt.Sprint(most + 9)}, []string{texts[0], texts[most-1]}, "the last ones")
}

func TestConcurrentCallsOnAFlakyStore(t *testing.T) {
	t.Parallel()
	const processes, goroutines, each = 2, 8, 4
	store := newFaultyStore()
	var writes atomic.Int64
	store.lost = func() error {
		if writes.Add(1)%3 == 0 {
			return session.ErrUnavailable
		}
		return nil
	}
	opts := &session.Options{Context: &memory.ContextOptions{Capacity: processes * goroutines * each}}
	var wg sync.WaitGroup
	var want []string
	for p := range processes {
		s, err := middleware.NewSessions(newManager(t, store, opts), keepingNames())
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
					_ = rec.Record(t.Context(), got(id, id)) // the store may fail
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
	store := newFaultyStore()
	rec := newSessions(t, store, keepingNames()).Recorder(conversation)
	store.lost = func() error { return session.ErrUnavailable }
	require.ErrorIs(t, rec.Record(t.Context(), got("first", "page-0001")), session.ErrUnavailable)
	store.lost = func() error { return nil }
	require.Equal(t, []string{"first"}, contents(t, store))
	_, err := newManager(t, store, nil).Update(t.Context(), conversation, func(s *session.Session) error {
		s.Messages, s.Context = said("later"), "the first was called"
		return nil
	}, nil)
	require.NoError(t, err)

	require.NoError(t, rec.Record(t.Context(), got("second", "page-0002")))
	assert.Equal(t, []string{"later", "second"}, contents(t, store))
	assert.Equal(t, 2, rec.Context().Len())
}

// A call is stored within a grace period after its context has ended, or else later.
func TestGraceOfACallWhoseContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newFaultyStore()
		opts := keepingNames()
		opts.Grace = 500 * time.Millisecond
		rec := newSessions(t, store, opts).Recorder(conversation)
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, rec.Record(canceled, got("canceled", "page-0001")))
		passed, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
		defer cancel()
		require.NoError(t, rec.Record(passed, got("late", "page-0002")), "of a tool that took its time")

		store.ready = make(chan struct{})
		var reading sync.WaitGroup
		reading.Go(func() { assert.NoError(t, rec.Refresh(t.Context())) })
		synctest.Wait()
		begun := time.Now()
		require.ErrorIs(t, rec.Record(canceled, got("no more", "page-0003")), context.Canceled)
		require.Equal(t, 500*time.Millisecond, time.Since(begun))
		soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, rec.Record(soon, got("nor", "page-0004")), context.DeadlineExceeded)
		require.Equal(t, 1010*time.Millisecond, time.Since(begun))

		close(store.ready)
		reading.Wait()
		assert.Contains(t, rec.Block(), "page-0004", "what was read does not have it")
		assert.NotContains(t, storedBlock(t, store), "page-0004")
		require.NoError(t, rec.Refresh(t.Context()))
		assert.Contains(t, storedBlock(t, store), "page-0004")
		assert.Equal(t, []string{"canceled", "late", "no more", "nor"}, contents(t, store))
	})
}

// countdown is a context that ends once it has been asked a number of times.
type countdown struct {
	context.Context
	left atomic.Int32
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// ending returns a context that ends while a large result is read.
func ending(t *testing.T) context.Context {
	ctx := &countdown{Context: t.Context()}
	ctx.left.Store(2)
	return ctx
}

// A recorder of an agent keeps a finished call whose context ends while its result is read;
// Sessions, which serves requests, records nothing of it.
func TestContextEndsWhileAResultIsRead(t *testing.T) {
	t.Parallel()
	large := got("large", "page-0002")
	large.Result = fmt.Sprintf(`{"page":{"id":"page-0002","title":"large"},"rows":[%s1]}`, strings.Repeat(`{"a":1},`, 50_000))
	store := newFaultyStore()
	var reported []error
	opts := keepingNames()
	opts.OnCall = func(_ context.Context, _ session.Key, _ middleware.ToolCall, _ extractor.Extraction, err error) {
		reported = append(reported, err)
	}
	s := newSessions(t, store, opts)
	_, err := s.Record(t.Context(), conversation, got("first", "page-0001"))
	require.NoError(t, err)

	found, err := s.Record(ending(t), conversation, large)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, found.Found)
	assert.Equal(t, []error{nil, err}, reported)
	assert.Equal(t, []string{"first"}, contents(t, store))
	assert.NotContains(t, storedBlock(t, store), "page-0002")

	require.NoError(t, s.Recorder(conversation).Record(ending(t), large))
	assert.Equal(t, []string{"first", "large"}, contents(t, store))
	assert.Contains(t, storedBlock(t, store), "page-0002")
}

func TestSessionsOnCall(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	var told []string
	s := newSessions(t, memstore.New(nil), &middleware.SessionsOptions{
		Extractor: extractor.Func(func(_ context.Context, in extractor.Input) (extractor.Extraction, error) {
			if in.Tool == "panics" {
				panic("no")
			}
			return extractor.Extraction{}, broken
		}),
		OnCall: func(_ context.Context, key session.Key, call middleware.ToolCall, _ extractor.Extraction, err error) {
			told = append(told, fmt.Sprint(key.SessionID, " ", call.Name, " ", err != nil))
		},
	})
	_, err := s.Record(t.Context(), conversation, middleware.ToolCall{Name: "fails"})
	require.ErrorIs(t, err, broken)
	_, err = s.Record(t.Context(), conversation, middleware.ToolCall{Name: "panics"})
	require.ErrorIs(t, err, middleware.ErrExtractorPanic)
	assert.Equal(t, []string{"s1 fails true", "s1 panics true"}, told)
}

func TestCallsThatFindNothingWriteNothing(t *testing.T) {
	t.Parallel()
	store := newFaultyStore()
	s := newSessions(t, store, nil)
	store.fail(session.ErrUnavailable)
	_, err := s.Record(t.Context(), conversation, middleware.ToolCall{Name: "ping", Result: "pong"})
	require.NoError(t, err)
	store.repair()
	_, err = s.Record(t.Context(), session.Key{}, got("Home", "page-0001"))
	require.ErrorIs(t, err, session.ErrKey)
}

func TestBudgetedBlocksOfSessions(t *testing.T) {
	t.Parallel()
	opts := &middleware.SessionsOptions{Block: prompt.Options{Budget: 60}}
	_, err := middleware.NewSessions(newManager(t, memstore.New(nil), nil), opts)
	require.ErrorIs(t, err, middleware.ErrContextCapacity)
	_, err = middleware.NewSessions(nil, nil)
	require.Error(t, err)

	m := newManager(t, memstore.New(nil), &session.Options{Context: &memory.ContextOptions{Capacity: middleware.BudgetCapacity}})
	s, err := middleware.NewSessions(m, opts)
	require.NoError(t, err)
	for i := range 40 {
		_, err := s.Record(t.Context(), conversation, got(fmt.Sprint("Page ", i), fmt.Sprintf("page-%04d", i)))
		require.NoError(t, err)
	}
	block, err := s.Block(t.Context(), conversation)
	require.NoError(t, err)
	assert.NotContains(t, block, "page-0025")
	block, err = s.Block(t.Context(), conversation, user("What of page-0025?"))
	require.NoError(t, err)
	assert.Contains(t, block, "page-0025", "what is spoken of counts as newer")
}

// pages is a call that found pages.
func pages(from, n int) middleware.ToolCall {
	var es []memory.Entity
	for i := range n {
		es = append(es, memory.Entity{Type: "page", ID: fmt.Sprintf("p%d", from+i), Path: fmt.Sprintf("$.pages[%d]", i)})
	}
	return middleware.ToolCall{Name: "list_pages", Result: found(es...)}
}

func TestWhyOfAStoredSession(t *testing.T) {
	t.Parallel()
	store := newFaultyStore()
	log := middleware.NewDecisionLog(nil)
	rec := newSessions(t, store, &middleware.SessionsOptions{
		Extractor: scripted,
		Decisions: func(key session.Key) *middleware.DecisionLog {
			assert.Equal(t, conversation, key)
			return log
		},
	}).Recorder(conversation)
	store.fail(session.ErrUnavailable)
	require.Error(t, rec.Record(t.Context(), pages(1, 2)))
	assert.Empty(t, story(log, "p1"), "it is not stored")
	store.repair()
	for _, call := range []middleware.ToolCall{
		pages(2, 1),
		{Name: "delete_page", Result: extractor.Extraction{Removed: []memory.Ref{{Type: "page", ID: "p1"}}}},
		pages(10, memory.DefaultCapacity),
	} {
		require.NoError(t, rec.Record(t.Context(), call))
	}
	assert.Equal(t, []string{
		"call 1 (list_pages): page p1 seen at $.pages[0]",
		"call 3 (delete_page): page p1 removed",
	}, story(log, "p1"))
	assert.Equal(t, []string{
		"call 1 (list_pages): page p2 seen at $.pages[1]",
		"call 2 (list_pages): page p2 repeated at $.pages[0]",
		"call 4 (list_pages): page p2 evicted by page p10",
	}, story(log, "p2"))
}

func TestSessionLogsKeepTheLastUsed(t *testing.T) {
	t.Parallel()
	logs := middleware.NewSessionLogs(&middleware.SessionLogsOptions{Sessions: 2, Decisions: 3})
	sessions := newSessions(t, memstore.New(nil), &middleware.SessionsOptions{Extractor: scripted, Decisions: logs.Log})
	a, b, c := session.Key{SessionID: "a"}, session.Key{SessionID: "b"}, session.Key{SessionID: "c"}
	for _, key := range []session.Key{a, b, a, c} {
		_, err := sessions.Record(t.Context(), key, pages(1, 4))
		require.NoError(t, err)
	}
	assert.Equal(t, 5, logs.Log(a).Forgotten(), "of two calls with four decisions each, three are kept")
	assert.NotEmpty(t, story(logs.Log(c), "p4"))
	assert.Empty(t, story(logs.Log(b), "p4"), "its log gave way")
}
