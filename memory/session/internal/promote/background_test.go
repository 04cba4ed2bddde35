package promote_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
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
