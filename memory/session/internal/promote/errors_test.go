package promote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// A LongTerm may use sessions itself, and fail with what a Manager says of these.
func TestWhatALongTermFailsWithIsNotTakenForTheSessions(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{errModel, session.ErrNotFound, promotion.ErrBusy, session.ErrConflict} {
		for _, call := range []string{"extract", "promote"} {
			t.Run(fmt.Sprint(call, " ", cause), func(t *testing.T) {
				t.Parallel()
				theirs := fmt.Errorf("another session: %w", cause)
				store, clock := clocked()
				l := newLongTerm(all)
				m := promoting(t, store, l, clock.Now)
				fixture.Send(t, m, fixture.Tens("a", "b", "c", "d")...)
				calls := 0
				l.fail(func(_ context.Context, name string) error {
					if name != call {
						return nil
					}
					if calls++; calls == 2 {
						return theirs
					}
					return nil
				})
				outcome, err := m.Promote(t.Context(), fixture.Anna)
				require.ErrorIs(t, err, cause)
				assert.NotZero(t, outcome.Again)
				assert.Equal(t, 1, fixture.Load(t, m, fixture.Anna).Progress.Failures)
				assert.Subset(t, l.keptMessages(), []string{"a", "b", "c"})
				assert.Empty(t, l.deleted)
				clock.Sleep(time.Hour)
				promoteNow(t, m)
				assert.Equal(t, []string{"a", "b", "c", "d"}, l.keptMessages())
			})
			t.Run(fmt.Sprint("a summary, ", call, " ", cause), func(t *testing.T) {
				t.Parallel()
				store, clock := clocked()
				l := newLongTerm(all)
				l.fail(failingAt(call, cause))
				m := promoting(t, store, l, clock.Now, summarizer(summary.Options{Summarizer: &fixture.Model{}}))
				at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
				assert.Equal(t, summary.Failed, at.Summary.Status)
				require.ErrorIs(t, at.Summary.Err, cause)
				assert.Len(t, fixture.Load(t, m, fixture.Anna).Messages, 8)
				l.fail(nil)
				clock.Sleep(summary.DefaultRetryAfter)
				assert.Equal(t, summary.Done, fixture.Send(t, m, fixture.Long("i", 1)).Summary.Status)
				promoteNow(t, m)
				assert.Len(t, l.keptMessages(), 9)
				assert.Len(t, l.has(), 9)
			})
		}
	}
}

// Models and hooks may quote in their errors what they were given. A LongTerm may not.
func TestLogsDoNotQuoteWhatFailed(t *testing.T) {
	t.Parallel()
	quoting := errors.New("cannot read: secret")
	for name, change := range map[string]func(*session.Options){
		"summarizer fails": func(o *session.Options) {
			o.Summaries.Summarizer = &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) { return "", quoting }}
		},
		"summarizer panics": func(o *session.Options) {
			o.Summaries.Summarizer = &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) { panic(quoting) }}
		},
		"before fails": func(o *session.Options) {
			o.Summaries.Before = func(context.Context, session.Key, []session.Message) error { return quoting }
		},
		"before panics": func(o *session.Options) {
			o.Summaries.Before = func(context.Context, session.Key, []session.Message) error { panic(quoting) }
		},
		"OnSummary panics": func(o *session.Options) {
			o.Summaries.OnSummary = func(session.Key, summary.Outcome) { panic(quoting) }
		},
		"OnPromoted panics": func(o *session.Options) {
			o.Promotions.OnPromoted = func(session.Key, promotion.Outcome) { panic(quoting) }
		},
		"long-term memory panics": func(o *session.Options) {
			o.LongTerm.(*longTerm).fail(func(context.Context, string) error { panic(quoting) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			store, clock := clocked()
			m := promoting(t, store, newLongTerm(all), clock.Now, func(o *session.Options) {
				o.Logger, o.Summaries.Mode = slog.New(slog.NewTextHandler(&log, nil)), summary.Sync
				change(o)
			})
			fixture.Send(t, m, fixture.Says("", "user", strings.Repeat("secret ", 60)), fixture.Says("", "user", strings.Repeat("secret ", 60)))
			fixture.ChangeHead(t, m, func(s *session.Session) {
				s.Memories = append(s.Memories, fact("m", "secret"))
				require.NoError(t, s.Entities.Add(memory.Entity{Type: "order", ID: "secret"}))
			})
			_, _ = m.Promote(t.Context(), fixture.Anna)
			assert.Contains(t, log.String(), "level=WARN")
			assert.NotContains(t, log.String(), "secret")
		})
	}
}
