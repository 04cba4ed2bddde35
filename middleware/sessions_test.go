package middleware_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
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

// weakStore is a store that can fail: with err, or until the context ends.
type weakStore struct {
	driver.Store
	err   atomic.Pointer[error]
	hangs atomic.Bool
	wrote atomic.Int64
}

func (s *weakStore) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	if err := s.err.Load(); err != nil {
		return nil, *err
	}
	if s.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Store.Load(ctx, key, last)
}

func (s *weakStore) Append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	if err := s.err.Load(); err != nil {
		return driver.Position{}, 0, *err
	}
	return s.Store.Append(ctx, key, a)
}

func (s *weakStore) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	s.wrote.Add(1)
	if err := ctx.Err(); err != nil {
		return driver.Position{}, err
	}
	return s.Store.Write(ctx, key, w)
}

func newManager(t *testing.T, store driver.Store, opts *session.Options) *session.Manager {
	t.Helper()
	m, err := session.NewManager(store, opts)
	require.NoError(t, err)
	return m
}

// newSessions makes one "process" of a store.
func newSessions(t *testing.T, store driver.Store, opts *middleware.SessionsOptions) *middleware.Sessions {
	t.Helper()
	s, err := middleware.NewSessions(newManager(t, store, nil), opts)
	require.NoError(t, err)
	return s
}

func got(name, id string) middleware.ToolCall {
	return middleware.ToolCall{Name: "cms_get", Arguments: `{"slug":"` + name + `"}`, Result: fmt.Sprintf(`{"page":{"id":%q,"title":%q}}`, id, name)}
}

func TestSessionsShareAStore(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	first, second := newSessions(t, store, nil), newSessions(t, store, nil)

	block, err := first.Block(t.Context(), conversation)
	require.NoError(t, err)
	assert.Empty(t, block, "there is no session yet")

	found, err := first.Record(t.Context(), conversation, got("Home", "page-0001"))
	require.NoError(t, err)
	require.Len(t, found.Entities, 1)
	assert.Equal(t, "page-0001", found.Entities[0].ID)

	block, err = second.Block(t.Context(), conversation)
	require.NoError(t, err)
	assert.Contains(t, block, `"Home" (page-0001)`)

	found, err = second.Record(t.Context(), conversation, middleware.ToolCall{
		Name: "cms_deletePage", Arguments: `{"id":"page-0001"}`, Result: `{"success":true,"id":"page-0001"}`,
	})
	require.NoError(t, err)
	assert.NotEmpty(t, found.Removed)
	block, err = first.Block(t.Context(), conversation)
	require.NoError(t, err)
	assert.Empty(t, block)
	other, err := first.Block(t.Context(), session.Key{SessionID: "s1"})
	require.NoError(t, err)
	assert.Empty(t, other, "another session")
}

func TestRecorderOfASessionMergesWhatOthersRecorded(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	a := newSessions(t, store, nil).Recorder(conversation)
	b := newSessions(t, store, nil).Recorder(conversation)
	require.NoError(t, a.Record(t.Context(), got("Home", "page-0001")))
	require.NoError(t, b.Record(t.Context(), got("About", "page-0002")))
	assert.Contains(t, b.Block(), "page-0001", "a record sees all that is there")
	assert.NotContains(t, a.Block(), "page-0002")
	require.NoError(t, a.Refresh(t.Context()))
	assert.Contains(t, a.Block(), "page-0002")
	assert.Equal(t, b.Block(), a.Block())

	require.NoError(t, b.Clear(t.Context()))
	assert.Empty(t, b.Block())
	require.NoError(t, a.Refresh(t.Context()))
	assert.Empty(t, a.Block())
}

func TestFailingStoreKeepsCalls(t *testing.T) {
	t.Parallel()
	store := &weakStore{Store: memstore.New(nil)}
	var log bytes.Buffer
	rec := newSessions(t, store, &middleware.SessionsOptions{
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Messages: func(_ context.Context, _ session.Key, call middleware.ToolCall) []session.Message {
			return said(call.Name)
		},
	}).Recorder(conversation)
	call := middleware.Chain(func(_ context.Context, c middleware.ToolCall) (any, error) {
		return got("Secret", c.Name).Result, nil
	}, middleware.RecordCalls(rec))

	store.err.Store(new(session.ErrUnavailable))
	for _, id := range []string{"page-0001", "page-0002"} {
		result, err := call(t.Context(), middleware.ToolCall{Name: id})
		require.NoError(t, err)
		assert.Contains(t, result, id)
	}
	require.ErrorIs(t, rec.Record(t.Context(), got("More", "page-0003")), session.ErrUnavailable)
	require.ErrorIs(t, rec.Refresh(t.Context()), session.ErrUnavailable)
	require.ErrorIs(t, rec.Clear(t.Context()), session.ErrUnavailable)
	assert.Contains(t, log.String(), "page-0001", "by the name of the tool")
	assert.NotContains(t, log.String(), "Secret")
	for _, id := range []string{"page-0001", "page-0002", "page-0003"} {
		assert.Contains(t, rec.Block(), id, "this process knows it")
	}

	store.err.Store(nil)
	require.NoError(t, rec.Refresh(t.Context()))
	other := newSessions(t, store.Store, nil)
	block, err := other.Block(t.Context(), conversation)
	require.NoError(t, err)
	assert.Equal(t, rec.Block(), block)
	assert.Equal(t, []string{"page-0001", "page-0002", "cms_get"}, contents(t, store.Store), "in their order, once")
}

func said(text string) []session.Message {
	return []session.Message{{Role: session.RoleAssistant, Content: text}}
}

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

func TestCanceledCallIsStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &weakStore{Store: memstore.New(nil)}
		s := newSessions(t, store, &middleware.SessionsOptions{Grace: 20 * time.Millisecond})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Record(ctx, conversation, got("Home", "page-0001"))
		require.NoError(t, err)
		block, err := s.Block(t.Context(), conversation)
		require.NoError(t, err)
		assert.Contains(t, block, "page-0001")

		store.hangs.Store(true)
		_, err = s.Record(ctx, conversation, got("Home", "page-0002"))
		require.ErrorIs(t, err, context.Canceled, "but not for ever")
	})
}

func TestSessionsOnCall(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	var told []string
	s := newSessions(t, memstore.New(nil), &middleware.SessionsOptions{
		Extractor: extractorFunc(func(in extractor.Input) (extractor.Extraction, error) {
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
	_, err = s.Record(t.Context(), session.Key{}, got("Home", "page-0001"))
	require.Error(t, err)
}

type extractorFunc func(in extractor.Input) (extractor.Extraction, error)

func (f extractorFunc) Extract(_ context.Context, in extractor.Input) (extractor.Extraction, error) {
	return f(in)
}

func TestCallsThatFindNothingWriteNothing(t *testing.T) {
	t.Parallel()
	store := &weakStore{Store: memstore.New(nil)}
	s := newSessions(t, store, nil)
	_, err := s.Record(t.Context(), conversation, middleware.ToolCall{Name: "ping", Result: "pong"})
	require.NoError(t, err)
	assert.Zero(t, store.wrote.Load())
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
	block, err = s.Block(t.Context(), conversation, prompt.Message{Role: "user", Content: "What of page-0025?"})
	require.NoError(t, err)
	assert.Contains(t, block, "page-0025", "what is spoken of counts as newer")
	assert.LessOrEqual(t, strings.Count(block, "\n"), 40)
}
