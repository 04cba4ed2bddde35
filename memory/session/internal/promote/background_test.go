package promote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

var errModel = errors.New("model is down")

func TestWritesArePromotedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLongTerm(all)
		m := promoting(t, memstore.New(nil), l, time.Now, working, func(o *session.Options) { o.Promotions.Poll = time.Hour })
		synctest.Wait()
		start := time.Now()
		fixture.Send(t, m, fixture.Tens("a")...)
		synctest.Wait()
		remember(t, m, fact("x", "likes tea"))
		synctest.Wait()
		assert.Equal(t, []string{"of a", "x"}, l.has())
		assert.Equal(t, []string{"a"}, l.keptMessages())
		assert.Equal(t, start, time.Now())
		assert.Empty(t, due(t, m))
		require.NoError(t, m.Close(t.Context()))
	})
}

func TestPollerFindsSessionsOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, store := newLongTerm(all), memstore.New(nil)
		worker := promoting(t, store, l, time.Now, working)
		synctest.Wait()
		fixture.Send(t, promoting(t, store, l, time.Now), fixture.Tens("a")...)
		synctest.Wait()
		assert.Empty(t, l.keptMessages())
		time.Sleep(promotion.DefaultPoll)
		synctest.Wait()
		assert.Equal(t, []string{"a"}, l.keptMessages())
		require.NoError(t, worker.Close(t.Context()))
	})
}

// Entities are extracted without a model: one that is down does not keep them back.
func TestEntitiesAreExtractedWithoutTheModel(t *testing.T) {
	t.Parallel()
	for _, poison := range []string{"a", "W7"} {
		m, l, _, _ := started(t)
		l.poison = poison
		fixture.Send(t, m, fixture.Tens("a")...)
		fixture.ChangeHead(t, m, func(s *session.Session) { require.NoError(t, s.Entities.Add(fixture.Order("W7"))) })
		outcome, err := m.Promote(t.Context(), fixture.Anna)
		require.ErrorIs(t, err, errModel)
		assert.Equal(t, 1, outcome.Extracted)
		assert.Len(t, l.has(), 1)
		assert.Equal(t, []string{"a"}, l.keptMessages())
	}
}

// closing returns a LongTerm whose model answers after a second, never, or never and
// without regard to its context, and a function that ends the last.
func closing(model string) (l *longTerm, release func()) {
	l = newLongTerm(all)
	released := make(chan struct{})
	l.before = func(ctx context.Context, call string) error {
		switch {
		case call != "extract" || model == "":
			return nil
		case model == "slow":
			time.Sleep(time.Second)
			return nil
		case model == "deaf":
			<-released
			return errModel
		}
		<-ctx.Done()
		return ctx.Err()
	}
	return l, func() { close(released) }
}

func TestClosePromotesWithoutDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, _ := closing("slow")
		store := memstore.New(nil)
		delayed := func(o *session.Options) { working(o); o.Promotions.Delay = 0 }
		one, two := promoting(t, store, l, time.Now, delayed), promoting(t, store, l, time.Now, delayed)
		for i := range 5 {
			fixture.SendTo(t, one, fixture.KeyNo(i), fixture.Tens("a")...)
			fixture.SendTo(t, two, fixture.KeyNo(i), fixture.Tens("b")...)
		}
		other := promoting(t, store, l, time.Now, func(o *session.Options) { o.Promotions.Delay = 0 })
		fixture.SendTo(t, other, fixture.KeyNo(5), fixture.Tens("a")...)
		start := time.Now()
		ended := make(chan error)
		go func() { ended <- two.Close(t.Context()) }()
		require.NoError(t, one.Close(t.Context()))
		require.NoError(t, <-ended)
		assert.Less(t, time.Since(start), 6*time.Second)
		for i := range 5 {
			s := fixture.Load(t, one, fixture.KeyNo(i))
			assert.Zero(t, s.Progress.Due)
			assert.EqualValues(t, 3, s.Progress.Kept)
		}
		extracted, _ := l.asked()
		assert.Equal(t, 5, extracted, "each session once, by whichever manager leased it")
		assert.NotZero(t, fixture.Load(t, one, fixture.KeyNo(5)).Progress.Due, "another process wrote it")
		// It still notes what is due, for others.
		fixture.SendTo(t, one, fixture.KeyNo(0), fixture.Tens("c")...)
		assert.NotZero(t, fixture.Load(t, one, fixture.KeyNo(0)).Progress.Due)
		require.NoError(t, one.Close(t.Context()))
	})
}

func TestCloseIsBoundedByItsContext(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"hanging", "deaf"} {
		synctest.Test(t, func(t *testing.T) {
			l, release := closing(model)
			store := memstore.New(nil)
			m := promoting(t, store, l, time.Now, working, func(o *session.Options) { o.Promotions.Delay = time.Minute })
			for i := range 5 {
				fixture.SendTo(t, m, fixture.KeyNo(i), fixture.Tens("a")...)
			}
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err := m.Close(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			var left *session.CloseError
			require.ErrorAs(t, err, &left)
			assert.Equal(t, session.CloseError{Promotions: 5, Err: context.DeadlineExceeded}, *left)
			assert.LessOrEqual(t, time.Since(start), 3*time.Second)
			release()
			synctest.Wait()
			l.fail(nil)
			next := promoting(t, store, l, time.Now)
			time.Sleep(promotion.DefaultLease)
			for i := range 5 {
				s := fixture.Load(t, next, fixture.KeyNo(i))
				assert.Zero(t, s.Progress.Failures, "it did not fail")
				outcome, err := next.Promote(t.Context(), fixture.KeyNo(i))
				require.NoError(t, err)
				assert.Equal(t, 1, outcome.Messages)
			}
		})
	}
}

// Close counts a session only if it is still to be promoted.
func TestCloseForgetsPromotedSessions(t *testing.T) {
	t.Parallel()
	for _, promote := range []func(m, other *session.Manager){
		func(m, _ *session.Manager) { promoteNow(t, m) },
		func(_, other *session.Manager) { promoteNow(t, other); time.Sleep(time.Minute) },
	} {
		synctest.Test(t, func(t *testing.T) {
			store, l := memstore.New(nil), newLongTerm(all)
			m := promoting(t, store, l, time.Now, working, func(o *session.Options) { o.Promotions.Delay = time.Second })
			fixture.Send(t, m, fixture.Tens("a")...)
			promote(m, promoting(t, store, l, time.Now))
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			require.NoError(t, m.Close(ctx))
		})
	}
}

func TestPromotionsAreValidated(t *testing.T) {
	t.Parallel()
	for _, p := range []promotion.Options{{Workers: -1}, {Poll: -1}, {Lease: -1}, {RetryAfter: -1}, {Batch: -1}} {
		_, err := session.NewManager(memstore.New(nil), &session.Options{Promotions: p})
		require.Error(t, err, "%+v", p)
	}
}

// With the longest waits nothing overflows.
func TestTheLongestWaits(t *testing.T) {
	t.Parallel()
	m, l, _, _ := started(t, func(o *session.Options) {
		o.Promotions.RetryAfter, o.Promotions.Lease, o.Promotions.Delay = 1<<63-1, 1<<63-1, 1<<63-1
	})
	l.fail(failingAt("promote", errModel))
	fixture.Send(t, m, fixture.Tens("a")...)
	for range 10 {
		outcome, err := m.Promote(t.Context(), fixture.Anna)
		require.ErrorIs(t, err, errModel)
		assert.Greater(t, outcome.Again.Year(), 2300)
	}
}

// A LongTerm may use sessions itself, and fail with what a Manager says of these.
func TestErrorsOfALongTermAreNotTakenForTheSessions(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{errModel, session.ErrNotFound, promotion.ErrBusy, session.ErrConflict} {
		for _, call := range []string{"extract", "promote"} {
			t.Run(fmt.Sprint(call, " ", cause), func(t *testing.T) {
				t.Parallel()
				theirs := fmt.Errorf("another session: %w", cause)
				m, l, _, clock := started(t)
				fixture.Send(t, m, fixture.Tens("a", "b", "c", "d")...)
				l.inCall(2, call, func() error { return theirs })
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
		}
	}
}

func TestASummaryFailsWithTheLongTermMemory(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		m, l, _, clock := started(t, summarizer(summary.Options{Summarizer: &fixture.Model{}}))
		l.fail(failingAt(call, session.ErrConflict))
		at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		assert.Equal(t, summary.Failed, at.Summary.Status)
		require.ErrorIs(t, at.Summary.Err, session.ErrConflict)
		assert.Len(t, fixture.Load(t, m, fixture.Anna).Messages, 8)
		l.fail(nil)
		clock.Sleep(summary.DefaultRetryAfter)
		assert.Equal(t, summary.Done, fixture.Send(t, m, fixture.Long("i", 1)).Summary.Status)
		promoteNow(t, m)
		assert.Len(t, l.keptMessages(), 9)
		assert.Len(t, l.has(), 9)
	}
}

// Models and hooks may quote in their errors what they were given.
func TestLogsDoNotQuoteWhatFailed(t *testing.T) {
	t.Parallel()
	quoting := errors.New("cannot read: secret")
	for name, change := range map[string]func(*session.Options){
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
			m, _, _, _ := started(t, func(o *session.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) }, change)
			fixture.Send(t, m, fixture.Says("", "user", "secret"))
			remember(t, m, fact("m", "secret"))
			_, _ = m.Promote(t.Context(), fixture.Anna)
			assert.Contains(t, log.String(), "level=WARN")
			assert.NotContains(t, log.String(), "secret")
		})
	}
}
