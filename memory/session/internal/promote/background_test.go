package promote_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
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

var errModel = errors.New("model is down")

func TestWhatIsWrittenIsPromotedAtOnce(t *testing.T) {
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

func TestThePollerFindsWhatOthersLeft(t *testing.T) {
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

func TestNewMessagesWaitForMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLongTerm(all)
		m := promoting(t, memstore.New(nil), l, time.Now, working, func(o *session.Options) { o.Promotions.Delay = 10 * time.Second })
		fixture.Send(t, m, fixture.Tens("a")...)
		time.Sleep(9 * time.Second)
		fixture.Send(t, m, fixture.Tens("b")...)
		synctest.Wait()
		extracted, _ := l.asked()
		assert.Zero(t, extracted)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		extracted, _ = l.asked()
		require.Equal(t, 1, extracted)
		assert.Equal(t, []string{"a", "b"}, fixture.IDs(l.extractions[0].Messages))
		require.NoError(t, m.Close(t.Context()))
	})
}

// A long-term memory that fails is asked after 5 s, 10, 20, … up to 64 times as long,
// and what else there is to do is done meanwhile.
func TestFailuresAreRetriedLaterAndLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, store := newLongTerm(all), memstore.New(nil)
		var log strings.Builder
		var asked []time.Duration
		start := time.Now()
		l.before = func(_ context.Context, call string) error {
			if call == "extract" {
				asked = append(asked, time.Since(start).Round(time.Second))
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
		seconds := func(n ...int) (d []time.Duration) {
			for _, n := range n {
				d = append(d, time.Duration(n)*time.Second)
			}
			return d
		}
		assert.Equal(t, seconds(0, 5, 15, 35, 75, 155, 315, 635, 955), asked[:9])
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

// A session that expires is not left alone until it has: its memories would be lost.
func TestASessionIsTriedAgainBeforeItExpires(t *testing.T) {
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

// Entities are extracted without a model: one that is down does not keep them back.
func TestEntitiesAreExtractedWithoutTheModel(t *testing.T) {
	t.Parallel()
	for _, poison := range []string{"a", "W7"} {
		store, clock := clocked()
		l := newLongTerm(all)
		m := promoting(t, store, choosy{l, poison}, clock.Now)
		fixture.Send(t, m, fixture.Tens("a")...)
		fixture.ChangeHead(t, m, func(s *session.Session) { require.NoError(t, s.Entities.Add(fixture.Order("W7"))) })
		outcome, err := m.Promote(t.Context(), fixture.Anna)
		require.ErrorIs(t, err, errModel)
		assert.Equal(t, 1, outcome.Extracted)
		assert.Len(t, l.has(), 1)
		assert.Equal(t, []string{"a"}, l.keptMessages())
	}
}

// A message from which nothing can be extracted does not keep others back for ever, nor
// the summary.
func TestAMessageThatCannotBeExtractedFromIsPassedOver(t *testing.T) {
	t.Parallel()
	for _, poison := range []string{"a", "b", "d"} {
		store, clock := clocked()
		l := newLongTerm(all)
		m := promoting(t, store, choosy{l, poison}, clock.Now, summarizer(summary.Options{Summarizer: &fixture.Model{}}),
			func(o *session.Options) { o.Promotions.Batch = 100 })
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

// One that failed with everything else, and now once more, is not passed over.
func TestAMessageThatCanBeExtractedFromIsNotPassedOver(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	m := promoting(t, store, l, clock.Now)
	fixture.Send(t, m, fixture.Tens("a", "b", "c")...)
	l.fail(failingAt("extract", errModel))
	for range 8 {
		_, err := m.Promote(t.Context(), fixture.Anna)
		require.ErrorIs(t, err, errModel)
	}
	var failed atomic.Bool
	l.fail(func(_ context.Context, call string) error {
		if call == "extract" && !failed.Swap(true) {
			return errModel
		}
		return nil
	})
	promoteNow(t, m)
	assert.Equal(t, []string{"of a", "of b", "of c"}, l.has())
}

// A model that is down is not asked more than once each time, and afterwards no more often
// than it must.
func TestAModelThatWasDownForLong(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	calls := 0
	l.fail(func(_ context.Context, call string) error {
		if call == "extract" {
			calls++
			return errModel
		}
		return nil
	})
	m := promoting(t, store, l, clock.Now, func(o *session.Options) { o.Promotions.Batch = 16 })
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

// choosy fails to extract from a message or an entity.
type choosy struct {
	*longTerm
	poison string
}

func (c choosy) Extract(ctx context.Context, e driver.ExtractRequest) ([]driver.Record, error) {
	for i := range e.Messages {
		if e.Messages[i].ID == c.poison {
			return nil, errModel
		}
	}
	for i := range e.Entities {
		if e.Entities[i].ID == c.poison {
			return nil, errModel
		}
	}
	return c.longTerm.Extract(ctx, e)
}

func TestOneSessionThatFailsDoesNotStopOthers(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func(ctx context.Context) error{
		"error":   func(context.Context) error { return errModel },
		"panic":   func(context.Context) error { panic("SECRET") },
		"forever": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLongTerm(all)
				var failing atomic.Bool
				l.before = func(ctx context.Context, call string) error {
					if call == "promote" && failing.CompareAndSwap(false, true) {
						return fails(ctx)
					}
					return nil
				}
				var mu sync.Mutex
				var failed []error
				m := promoting(t, memstore.New(nil), l, time.Now, working, func(o *session.Options) {
					o.Promotions.OnPromoted = func(_ session.Key, o promotion.Outcome) {
						mu.Lock()
						defer mu.Unlock()
						if o.Err != nil {
							failed = append(failed, o.Err)
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
				require.Len(t, failed, 1)
				assert.NotContains(t, failed[0].Error(), "SECRET")
				require.NoError(t, m.Close(t.Context()))
			})
		})
	}
}

func TestALongTermMemoryThatDoesNothingIsAFailure(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, lazy{newLongTerm(all)}, clock.Now)
	remember(t, m, fact("x", "likes tea"))
	_, err := m.Promote(t.Context(), fixture.Anna)
	require.ErrorContains(t, err, "kept nothing")
	assert.Equal(t, 1, fixture.Load(t, m, fixture.Anna).Progress.Failures)
}

// lazy says nothing of what it gets, but that it kept messages that it never got.
type lazy struct{ *longTerm }

func (lazy) Promote(_ context.Context, p driver.PromoteRequest) (driver.PromoteResult, error) {
	if len(p.Messages) > 0 {
		return driver.PromoteResult{Messages: 1 << 40}, nil
	}
	return driver.PromoteResult{Messages: -1}, nil
}

func TestMoreMessagesThanWereGivenAreNotKept(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, lazy{newLongTerm(driver.Wants{Messages: true})}, clock.Now)
	fixture.Send(t, m, fixture.Tens("a", "b", "c", "d")...)
	assert.Equal(t, 4, promoteNow(t, m).Messages)
	assert.EqualValues(t, 5, fixture.Load(t, m, fixture.Anna).Progress.Kept)
}

// Damaged sessions stay due: they are left alone for a while, and take no room.
func TestDamagedSessionsDoNotStopOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, l := memstore.New(nil), newLongTerm(all)
		var outcomes int
		const damaged = 1500 // more than wait at once
		for i := range damaged {
			_, _, err := store.Append(t.Context(), session.Key{SessionID: fmt.Sprint("damaged", i)},
				driver.Append{Head: []byte(`{"no":"head"}`), Format: 1, Due: time.Now(), Now: time.Now()})
			require.NoError(t, err)
		}
		var mu sync.Mutex
		time.Sleep(time.Second)
		fixture.Send(t, promoting(t, store, l, time.Now), fixture.Tens("a")...)
		m := promoting(t, store, l, time.Now, working, func(o *session.Options) {
			o.Promotions.OnPromoted = func(_ session.Key, o promotion.Outcome) {
				mu.Lock()
				defer mu.Unlock()
				if o.Err != nil {
					outcomes++
				}
			}
		})
		time.Sleep(4 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"a"}, l.keptMessages())
		mu.Lock()
		assert.GreaterOrEqual(t, outcomes, 1024)
		assert.Less(t, outcomes, 4*damaged)
		mu.Unlock()
		require.NoError(t, m.Close(t.Context()))
	})
}

func TestADamagedMessageDoesNotKeepMemoriesBack(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	m := promoting(t, store, l, clock.Now)
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

func TestCloseWaitsForPromotions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLongTerm(all)
		l.before = func(context.Context, string) error { time.Sleep(time.Second); return nil }
		m := promoting(t, memstore.New(nil), l, time.Now, working)
		for i := range 5 {
			l.fail(nil) // appends look for what is to be rebuilt
			fixture.SendTo(t, m, fixture.KeyNo(i), fixture.Tens("a")...)
			l.fail(func(context.Context, string) error { time.Sleep(time.Second); return nil })
		}
		require.NoError(t, m.Close(t.Context()))
		for i := range 5 {
			assert.EqualValues(t, 2, fixture.Load(t, m, fixture.KeyNo(i)).Progress.Kept)
		}
		// It still notes what is due, for others.
		fixture.SendTo(t, m, fixture.KeyNo(0), fixture.Tens("b")...)
		assert.Len(t, due(t, m), 1)
		require.NoError(t, m.Close(t.Context()))
	})
}

func TestCloseCancelsPromotions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, store := newLongTerm(all), memstore.New(nil)
		m := promoting(t, store, l, time.Now, working)
		l.before = func(ctx context.Context, call string) error {
			if call == "messages" {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		fixture.Send(t, m, fixture.Tens("a")...)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, m.Close(ctx), context.DeadlineExceeded)
		s := fixture.Load(t, m, fixture.Anna)
		assert.Zero(t, s.Progress.Failures, "it did not fail")
		assert.Equal(t, []session.Key{fixture.Anna}, due(t, m), "the lease is back")
		l.fail(nil)
		assert.Equal(t, 1, promoteNow(t, promoting(t, store, l, time.Now)).Messages)
	})
}

func TestPromotionsOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLongTerm(all)
		m := promoting(t, memstore.New(nil), l, time.Now)
		fixture.Send(t, m, fixture.Tens("a")...)
		time.Sleep(time.Hour)
		_, promoted := l.asked()
		assert.Zero(t, promoted)
		assert.Len(t, due(t, m), 1)
		promoteNow(t, m)
		assert.Len(t, l.promotions, 1)
	})
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
	store, clock := clocked()
	l := newLongTerm(all)
	l.before = failingAt("promote", errModel)
	m := promoting(t, store, l, clock.Now, func(o *session.Options) {
		o.Promotions.RetryAfter, o.Promotions.Lease, o.Promotions.Delay = 1<<63-1, 1<<63-1, 1<<63-1
	})
	fixture.Send(t, m, fixture.Tens("a")...)
	for range 10 {
		outcome, err := m.Promote(t.Context(), fixture.Anna)
		require.ErrorIs(t, err, errModel)
		assert.Greater(t, outcome.Again.Year(), 2300)
	}
}
