package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/engine"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// settings returns settings with everything in memory and no model.
func settings() *config.Settings {
	return &config.Settings{Store: "memory:", Threshold: 0.7, Summarize: "sync", LongTerm: true, Encoding: config.Estimate}
}

func open(t *testing.T, s *config.Settings, hooks engine.Hooks) *engine.Engine {
	t.Helper()
	e, err := engine.Open(t.Context(), s, hooks, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close(context.WithoutCancel(t.Context())) }) // harmless if the test has closed it
	return e
}

var key = session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}

func say(t *testing.T, e *engine.Engine, n int, text string) {
	t.Helper()
	for i := range n {
		_, err := e.Sessions.Append(t.Context(), key, []session.Message{{ID: fmt.Sprint("m-", i), Role: "user", Content: text}}, nil)
		require.NoError(t, err)
	}
}

func TestHandlesAndResultsAreOptional(t *testing.T) {
	t.Parallel()
	e := open(t, settings(), engine.Hooks{})
	assert.Nil(t, e.Recording.Handles)
	assert.Nil(t, e.Recording.Results)
	s := settings()
	s.Handles, s.StoreResults = true, 500
	e = open(t, s, engine.Hooks{})
	require.NotNil(t, e.Recording.Handles)
	require.NotNil(t, e.Recording.Results)
	assert.Equal(t, 500, e.Recording.Results.Threshold)
}

func TestLongTermIsOptional(t *testing.T) {
	t.Parallel()
	s := settings()
	s.LongTerm = false
	e := open(t, s, engine.Hooks{})
	assert.Nil(t, e.Memory)
	assert.Nil(t, e.Promoter)
	assert.Nil(t, e.Views)
	e.StartWork(t.Context())
	say(t, e, 1, "hello")
	require.NoError(t, e.Close(t.Context()))
}

// Messages that exceed the window are summarised, even without a model, unless that is off.
func TestSummaries(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"sync", "background", "off"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := settings()
			s.Window, s.Summarize = 400, mode
			var done atomic.Int64
			e := open(t, s, engine.Hooks{OnSummary: func(_ session.Key, o summary.Outcome) {
				if o.Status == summary.Done {
					done.Add(1)
				}
			}})
			say(t, e, 20, strings.Repeat("The harbour is large. ", 10))
			require.NoError(t, e.Close(t.Context()), "pending summaries are done first")
			assert.Equal(t, mode != "off", done.Load() > 0)
		})
	}
}

func TestPromotion(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Store, s.IndexMessages = "sqlite:"+filepath.Join(t.TempDir(), "wmem.db"), true
	kept := make(chan int, 10)
	e := open(t, s, engine.Hooks{OnPromoted: func(_ session.Key, o promotion.Outcome) { kept <- o.Messages }})
	say(t, e, 1, "The harbour is large.")
	assert.Equal(t, 1, <-kept)
	found, err := e.Memory.Search(t.Context(), longterm.Of(key.Namespace, key.UserID), longterm.Query{Text: "harbour"})
	require.NoError(t, err)
	assert.Len(t, found.Hits, 1)
}

// A task of a summary view that one run leaves, before or while it is worked on, is done by the next.
func TestSummaryViews(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a disconnect only after reading the body
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(endpoint.Close)
	s := settings()
	s.Store = "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")
	tenant, ctx := summaryview.Tenant{Namespace: "shop"}, t.Context()
	first := open(t, s, engine.Hooks{})
	_, err := first.Memory.Put(ctx, longterm.Of("shop", "anna"), []longterm.Record{{ID: "1", Text: "Anna drinks tea."}}, nil)
	require.NoError(t, err)
	view, err := first.Views.Create(ctx, tenant, summaryview.Definition{GroupBy: []string{"user_id"}})
	require.NoError(t, err)
	_, err = first.Views.Run(ctx, tenant, view.ID, "t-1")
	require.NoError(t, err)
	require.NoError(t, first.Close(ctx))

	s.Model, s.BaseURL = "m", endpoint.URL
	second := open(t, s, engine.Hooks{})
	second.StartWork(ctx)
	<-asked
	require.NoError(t, second.Close(ctx))

	s.Model = ""
	third := open(t, s, engine.Hooks{})
	task, err := third.Views.Task(ctx, tenant, "t-1")
	require.NoError(t, err)
	require.Equal(t, summaryview.TaskPending, task.Status)
	third.StartWork(ctx)
	require.Eventually(t, func() bool {
		task, err := third.Views.Task(ctx, tenant, "t-1")
		return err == nil && task.Status == summaryview.TaskSuccess
	}, time.Minute, time.Millisecond)
	partitions, err := third.Views.Partitions(ctx, tenant, view.ID, nil)
	require.NoError(t, err)
	require.Len(t, partitions, 1)
	assert.Equal(t, "Anna drinks tea.", partitions[0].Summary)
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*config.Settings){
		"a way to summarise": func(s *config.Settings) { s.Summarize = "sometimes" },
		"an encoding":        func(s *config.Settings) { s.Encoding = "klingon" },
		"a threshold":        func(s *config.Settings) { s.Threshold = 2 },
	} {
		s := settings()
		change(s)
		_, err := engine.Open(t.Context(), s, engine.Hooks{}, slog.New(slog.DiscardHandler))
		assert.Error(t, err, name)
	}
	s := settings()
	s.Store = "mysql://u:hunter2@h/"
	_, err := engine.Open(t.Context(), s, engine.Hooks{}, slog.New(slog.DiscardHandler))
	require.ErrorIs(t, err, backend.ErrURL)
	assert.NotContains(t, err.Error(), "hunter2")
}

// A failing model costs a summary, but no message.
func TestFailingModel(t *testing.T) {
	t.Parallel()
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }))
	t.Cleanup(endpoint.Close)
	s := settings()
	s.Window, s.Model, s.BaseURL = 400, "m", endpoint.URL
	var calls, summaries atomic.Int64
	e := open(t, s, engine.Hooks{
		OnModel: func(kind string, _ time.Duration, err error) {
			if kind == "chat" && err != nil {
				calls.Add(1)
			}
		},
		OnSummary: func(_ session.Key, o summary.Outcome) {
			if o.Status == summary.Failed {
				summaries.Add(1)
			}
		},
	})
	say(t, e, 20, strings.Repeat("The harbour is large. ", 10))
	assert.Positive(t, calls.Load())
	assert.Positive(t, summaries.Load())
	loaded, err := e.Sessions.Load(t.Context(), key, nil)
	require.NoError(t, err)
	assert.Len(t, loaded.Messages, 20)
}

// Close abandons a call of a model when its context ends.
func TestCloseEndsWithContext(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 10)
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a disconnect only after reading the body
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(endpoint.Close)
	s := settings()
	s.Model, s.BaseURL = "m", endpoint.URL
	e := open(t, s, engine.Hooks{})
	say(t, e, 1, "The harbour is large.")
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := e.Close(ctx); err != nil {
		assert.True(t, errors.Is(err, context.DeadlineExceeded), "%v", err)
	}
}

// Without a model, memories are found by meaning, unless that is turned off.
func TestDefaultEmbedder(t *testing.T) {
	t.Parallel()
	for model, found := range map[string]int{config.WordVectors: 1, config.NoEmbedder: 0} {
		s := settings()
		s.EmbeddingModel = model
		e := open(t, s, engine.Hooks{})
		_, err := e.Memory.Put(t.Context(), longterm.Of("shop", "anna"), []longterm.Record{{ID: "1", Text: "The car is being repaired."}}, nil)
		require.NoError(t, err)
		results, err := e.Memory.Search(t.Context(), longterm.Of("shop", "anna"), longterm.Query{Text: "automobile"})
		require.NoError(t, err)
		assert.Len(t, results.Hits, found, model)
	}
}
