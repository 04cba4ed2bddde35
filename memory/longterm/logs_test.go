package longterm_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

var errQuoting = errors.New("cannot read: secret")

// quoting fails in all ways with what it was given in the error.
type quoting struct{ panics bool }

func (q quoting) fail() error {
	if q.panics {
		panic(errQuoting)
	}
	return errQuoting
}

func (q quoting) Generate(context.Context, string, int) (string, error) { return "", q.fail() }

func (q quoting) Embed(context.Context, []string) ([][]float32, error) { return nil, q.fail() }

func (q quoting) Model() string { return "quoting" }

func (q quoting) Extract(context.Context, sessiondriver.ExtractRequest) ([]longterm.Record, error) {
	return nil, q.fail()
}

func TestLogsDoNotQuoteWhatFailed(t *testing.T) {
	t.Parallel()
	for _, q := range []quoting{{false}, {true}} {
		for name, opts := range map[string]longterm.PromoterOptions{
			"model":           {Model: q, Strategy: by("discrete")},
			"strategy":        {Strategies: map[string]longterm.Strategy{"own": q}, Strategy: by("own")},
			"entities":        {Strategies: map[string]longterm.Strategy{"entities": q}, Entities: true},
			"refused answer":  {Model: scripted.Answers(`I'm sorry, "secret" I cannot say.`), Strategy: by("discrete")},
			"no such answer":  {Model: scripted.Answers(`{"memories": [{"type": "secret", "text": "secret"}]}`), Strategy: by("discrete")},
			"embedder":        {Messages: true},
			"broken template": {Strategy: nil},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var log bytes.Buffer
				logger := slog.New(slog.NewTextHandler(&log, nil))
				embedder := longterm.Embedder(nil)
				if name == "embedder" {
					embedder = q
				}
				memories, err := longterm.New(memindex.New(nil), &longterm.Options{Embedder: embedder, Logger: logger})
				require.NoError(t, err)
				opts.Logger = logger
				p, err := longterm.NewPromoter(memories, &opts)
				require.NoError(t, err)
				m, err := session.NewManager(memstore.New(nil), &session.Options{
					LongTerm: p, Logger: logger, Promotions: promotion.Options{Off: true}, Summaries: summary.Options{Mode: summary.Off},
				})
				require.NoError(t, err)
				_, err = m.Update(t.Context(), annas, func(s *session.Session) error {
					s.Messages = append(s.Messages, session.Message{Role: "user", Content: "secret"})
					if name == "broken template" {
						s.Strategy = &session.StrategyConfig{Name: "custom", Config: map[string]any{"custom_prompt": "secret"}}
					}
					return s.Entities.Add(memory.Entity{Type: "order", ID: "secret"})
				}, nil)
				require.NoError(t, err, "writes go on")
				outcome, err := m.Promote(t.Context(), annas)
				if name != "broken template" {
					require.Error(t, err)
					assert.NotZero(t, outcome.Again)
				}
				_, err = memories.Search(t.Context(), longterm.Of("shop", "anna"), longterm.Query{Text: "secret"})
				require.NoError(t, err, "it is searched by keywords")
				assert.Contains(t, log.String(), "level=WARN")
				assert.NotContains(t, log.String(), "secret")
			})
		}
	}
}

// panickyIndex panics where uses are written.
type panickyIndex struct{ longtermdriver.Index }

func (panickyIndex) Touch(context.Context, []longtermdriver.RecordKey, time.Time) error {
	panic("secret")
}

func TestAnIndexThatPanicsInTheBackgroundDoesNotEndTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		m, err := longterm.New(panickyIndex{memindex.New(nil)}, &longterm.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		scope := longterm.Of("shop", "anna")
		_, err = m.Put(t.Context(), scope, []longterm.Record{{ID: "a", Text: "secret"}}, nil)
		require.NoError(t, err)
		_, err = m.Search(t.Context(), scope, longterm.Query{Text: "secret"})
		require.NoError(t, err)
		time.Sleep(2 * longterm.DefaultTouchEvery)
		synctest.Wait()
		assert.Contains(t, log.String(), memory.ErrPanic.Error())
		assert.NotContains(t, log.String(), "secret")
		_, err = m.Search(t.Context(), scope, longterm.Query{Text: "secret"})
		require.NoError(t, err)
		require.ErrorIs(t, m.Close(t.Context()), memory.ErrPanic)
	})
}
