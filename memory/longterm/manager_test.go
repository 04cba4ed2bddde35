package longterm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/scripted"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

var errQuoting = errors.New("cannot read: secret")

// quoting fails in every role with an error that quotes its input.
type quoting struct{ panics bool }

func (q quoting) fail() error {
	if q.panics {
		panic(errQuoting)
	}
	return errQuoting
}

func (q quoting) Generate(context.Context, string, int) (string, error) { return "", q.fail() }
func (q quoting) Embed(context.Context, []string) ([][]float32, error)  { return nil, q.fail() }
func (q quoting) Model() string                                         { return "quoting" }
func (q quoting) Extract(context.Context, driver.ExtractRequest) ([]longterm.Record, error) {
	return nil, q.fail()
}

func TestLogsDoNotQuote(t *testing.T) {
	t.Parallel()
	for _, q := range []quoting{{false}, {true}} {
		for name, opts := range map[string]longterm.PromoterOptions{
			"model":          {Model: q, Strategy: by("discrete")},
			"strategy":       {Strategies: map[string]longterm.Strategy{"own": q}, Strategy: by("own")},
			"entities":       {Strategies: map[string]longterm.Strategy{"entities": q}, Entities: true},
			"refusal":        {Model: scripted.Answers(`I'm sorry, "secret" I cannot say.`), Strategy: by("discrete")},
			"invalid answer": {Model: scripted.Answers(`{"memories": [{"type": "secret", "text": "secret"}]}`), Strategy: by("discrete")},
			"embedder":       {Messages: true},
			"template":       {Strategy: nil},
		} {
			t.Run(fmt.Sprint(name, q.panics), func(t *testing.T) {
				t.Parallel()
				var log bytes.Buffer
				logger := slog.New(slog.NewTextHandler(&log, nil))
				mopts := &longterm.Options{Logger: logger}
				if name == "embedder" {
					mopts.Embedder = q
				}
				memories, err := longterm.New(memindex.New(nil), mopts)
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
					if name == "template" {
						s.Strategy = custom("secret")
					}
					return s.Entities.Add(memory.Entity{Type: "order", ID: "secret"})
				}, nil)
				require.NoError(t, err, "writes succeed")
				outcome, err := m.Promote(t.Context(), annas)
				require.Equal(t, name == "template", err == nil)
				require.Equal(t, name == "template", outcome.Again.IsZero())
				search(t, memories, longterm.Query{Text: "secret"})
				require.Contains(t, log.String(), "level=WARN")
				require.NotContains(t, log.String(), "secret")
			})
		}
	}
}
