package promote_test

import (
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

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// Extracting is retried after 5 s, 10, 20, … up to 64 times as long. Messages are kept anyway.
func TestRetriesBackOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, store := newLongTerm(all), memstore.New(nil)
		var log strings.Builder
		var asked []int // seconds after the start
		start := time.Now()
		l.before = func(_ context.Context, call string) error {
			if call == "extract" {
				asked = append(asked, int(time.Since(start).Round(time.Second).Seconds()))
				return errModel
			}
			return nil
		}
		var outcomes []promotion.Outcome
		m := promoting(t, store, l, time.Now, working, func(o *session.Options) {
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
			o.Promotions.OnPromoted = func(_ session.Key, outcome promotion.Outcome) { outcomes = append(outcomes, outcome) }
		})
		fixture.Send(t, m, fixture.Long("secret", 10))
		synctest.Wait()
		assert.Equal(t, []string{"secret"}, l.keptMessages(), "keeping does not need the model")
		s := fixture.Load(t, m, fixture.Anna)
		assert.Equal(t, 1, s.Progress.Failures)
		assert.EqualValues(t, 2, s.Progress.Kept)
		assert.Zero(t, s.Progress.Extracted)
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		assert.Equal(t, []int{0, 5, 15, 35, 75, 155, 315, 635, 955}, asked[:9])
		require.ErrorIs(t, outcomes[0].Err, errModel)
		assert.Equal(t, start.Add(5*time.Second).UTC(), outcomes[0].Again)
		assert.Contains(t, log.String(), "model is down")
		assert.NotContains(t, strings.ReplaceAll(log.String(), "session=", ""), "secret")

		l.fail(nil)
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		s = fixture.Load(t, m, fixture.Anna)
		assert.Equal(t, session.Progress{Kept: 2, Extracted: 2}, s.Progress)
		assert.Equal(t, []string{"of secret"}, l.has())
		require.NoError(t, m.Close(t.Context()))
	})
}

// A session is retried before it expires, as its memories would be lost.
func TestRetryBeforeExpiry(t *testing.T) {
	t.Parallel()
	for _, ttl := range []time.Duration{4 * time.Second, time.Minute, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			l := newLongTerm(all)
			l.fail(failingAt("promote", errModel))
			m := promoting(t, memstore.New(nil), l, time.Now, working)
			_, err := m.UpdateHead(t.Context(), fixture.Anna, func(s *session.Session) error {
				s.Memories = []driver.Record{fact("x", "likes tea")}
				return nil
			}, &session.WriteOptions{TTL: ttl})
			require.NoError(t, err)
			time.Sleep(ttl * 2 / 5)
			l.fail(nil)
			time.Sleep(ttl*3/5 - 1)
			synctest.Wait()
			assert.Equal(t, []string{"x"}, l.has())
			require.NoError(t, m.Close(t.Context()))
		})
	}
}

// A message that always fails is skipped, and does not block the summary.
func TestFailingMessageIsSkipped(t *testing.T) {
	t.Parallel()
	for _, poison := range []string{"a", "b", "d"} {
		m, l, _, clock := started(t, summarizer(summary.Options{Summarizer: &fixture.Model{}}),
			func(o *session.Options) { o.Promotions.Batch = 100 })
		l.poison = poison
		at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		assert.Equal(t, summary.Failed, at.Summary.Status)
		failures := 0
		for len(due(t, m)) > 0 {
			if _, err := m.Promote(t.Context(), fixture.Anna); err != nil {
				failures++
				assert.NotContains(t, l.has(), "of h", "it is tried for long")
			}
			require.Less(t, failures, 12)
			clock.Sleep(time.Hour)
		}
		assert.Greater(t, failures, 6)
		assert.Len(t, l.has(), 7, poison)
		assert.Equal(t, session.Progress{Kept: 9, Extracted: 9}, fixture.Load(t, m, fixture.Anna).Progress)
		assert.Equal(t, summary.Done, fixture.Send(t, m, fixture.Long("i", 1)).Summary.Status)
	}
}

// A message that failed together with all others, and once more, is not skipped.
func TestRecoveredMessageIsNotSkipped(t *testing.T) {
	t.Parallel()
	m, l, _, _ := started(t)
	fixture.Send(t, m, fixture.Tens("a", "b", "c")...)
	l.fail(failingAt("extract", errModel))
	for range 8 {
		_, err := m.Promote(t.Context(), fixture.Anna)
		require.ErrorIs(t, err, errModel)
	}
	l.inCall(1, "extract", func() error { return errModel })
	promoteNow(t, m)
	assert.Equal(t, []string{"of a", "of b", "of c"}, l.has())
}

// A failing model is asked once per promotion, and afterwards in batches that grow again.
func TestModelThatRecovers(t *testing.T) {
	t.Parallel()
	m, l, _, clock := started(t, func(o *session.Options) { o.Promotions.Batch = 16 })
	calls := 0
	l.fail(func(_ context.Context, call string) error {
		if call == "extract" {
			calls++
			return errModel
		}
		return nil
	})
	fixture.Send(t, m, fixture.Numbered(1, 100)...)
	for range 20 {
		_, err := m.Promote(t.Context(), fixture.Anna)
		require.ErrorIs(t, err, errModel)
		clock.Sleep(time.Hour)
	}
	assert.LessOrEqual(t, calls, 2*20)
	l.fail(nil)
	assert.Equal(t, 100, promoteNow(t, m).Extracted)
	asked, _ := l.asked()
	assert.Less(t, asked, 12)
}

func TestLongTermThatKeepsNothing(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, lazy{newLongTerm(all)}, clock.Now)
	remember(t, m, fact("x", "likes tea"))
	_, err := m.Promote(t.Context(), fixture.Anna)
	require.ErrorContains(t, err, "kept nothing")
	assert.Equal(t, 1, fixture.Load(t, m, fixture.Anna).Progress.Failures)
}

// lazy keeps no memories, and claims to keep more messages than it got.
type lazy struct{ *longTerm }

func (lazy) Promote(_ context.Context, p driver.PromoteRequest) (driver.PromoteResult, error) {
	if len(p.Messages) > 0 {
		return driver.PromoteResult{Messages: 1 << 40}, nil
	}
	return driver.PromoteResult{Messages: -1}, nil
}

func TestLongTermThatClaimsTooMuch(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, lazy{newLongTerm(driver.Wants{Messages: true})}, clock.Now)
	fixture.Send(t, m, fixture.Tens("a", "b", "c", "d")...)
	assert.Equal(t, 4, promoteNow(t, m).Messages)
	assert.EqualValues(t, 5, fixture.Load(t, m, fixture.Anna).Progress.Kept)
}

func TestOneSessionThatFailsDoesNotStopOthers(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(ctx context.Context) error{
		"panic":   func(context.Context) error { panic("SECRET") },
		"forever": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLongTerm(all)
				var calls, failures atomic.Int32
				l.before = func(ctx context.Context, call string) error {
					if call == "promote" && calls.Add(1) == 1 {
						return fails(ctx)
					}
					return nil
				}
				m := promoting(t, memstore.New(nil), l, time.Now, working, func(o *session.Options) {
					o.Promotions.OnPromoted = func(_ session.Key, o promotion.Outcome) {
						if o.Err != nil {
							failures.Add(1)
							assert.NotContains(t, o.Err.Error(), "SECRET")
						}
						panic("OnPromoted too")
					}
				})
				for i := range 5 {
					fixture.SendTo(t, m, fixture.KeyNo(i), fixture.Tens("a")...)
				}
				time.Sleep(2 * promotion.DefaultLease)
				synctest.Wait()
				for i := range 5 {
					assert.EqualValues(t, 2, fixture.Load(t, m, fixture.KeyNo(i)).Progress.Kept)
				}
				assert.EqualValues(t, 1, failures.Load())
				require.NoError(t, m.Close(t.Context()))
			})
		})
	}
}

// Damaged sessions stay due, but are skipped for a while.
func TestDamagedSessionsDoNotStopOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, l := memstore.New(nil), newLongTerm(all)
		const damaged = 1500 // more than wait at once
		for i := range damaged {
			_, _, err := store.Append(t.Context(), session.Key{SessionID: fmt.Sprint("damaged", i)},
				driver.Append{Head: []byte(`{"no":"head"}`), Format: 1, Due: time.Now(), Now: time.Now()})
			require.NoError(t, err)
		}
		time.Sleep(time.Second)
		fixture.Send(t, promoting(t, store, l, time.Now), fixture.Tens("a")...)
		var failures atomic.Int32
		m := promoting(t, store, l, time.Now, working, func(o *session.Options) {
			o.Promotions.OnPromoted = func(_ session.Key, o promotion.Outcome) {
				if o.Err != nil {
					failures.Add(1)
				}
			}
		})
		time.Sleep(4 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"a"}, l.keptMessages())
		assert.GreaterOrEqual(t, failures.Load(), int32(1024))
		assert.Less(t, failures.Load(), int32(4*damaged))
		require.NoError(t, m.Close(t.Context()))
	})
}

func TestDamagedMessageDoesNotBlockMemories(t *testing.T) {
	t.Parallel()
	m, l, store, clock := started(t)
	fixture.Put(t, store, fixture.Anna, driver.Format, `{"created_at":"2026-03-01T12:00:00Z","memories":[{"id":"x","text":"likes tea"}]}`, `SECRET`)
	outcome, err := m.Promote(t.Context(), fixture.Anna)
	damaged, ok := errors.AsType[*session.DamagedError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "message 1", damaged.Part)
	assert.Equal(t, 1, outcome.Memories)
	assert.Equal(t, []string{"x"}, l.has())
	assert.Len(t, due(t, m), 0)
	clock.Sleep(promotion.DefaultRetryAfter)
	assert.Len(t, due(t, m), 1)
}
