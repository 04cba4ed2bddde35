package promote_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

func TestALeaseOfPromotionThatRanOutIsTakenOver(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			store, clock := clocked()
			l := newLongTerm(all)
			m, other := promoting(t, store, l, clock.Now), promoting(t, store, l, clock.Now)
			fixture.Send(t, m, fixture.Tens("a", "b")...)
			var taken promotion.Outcome
			l.once(call, func() {
				clock.Sleep(promotion.DefaultLease - time.Second)
				_, err := other.Promote(t.Context(), fixture.Anna)
				assert.ErrorIs(t, err, promotion.ErrBusy)
				assert.Empty(t, due(t, other), "it is leased")
				clock.Sleep(3 * time.Second)
				assert.Len(t, due(t, other), 1)
				taken = promoteNow(t, other)
			})
			outcome, err := m.Promote(t.Context(), fixture.Anna)
			require.ErrorIs(t, err, promotion.ErrBusy, "who was too slow")
			assert.Equal(t, 2, outcome.Extracted+taken.Extracted, "what was extracted is committed once")
			assert.Equal(t, 2, taken.Memories)
			assert.Zero(t, outcome.Memories+outcome.Messages)
			s := fixture.Load(t, m, fixture.Anna)
			require.Len(t, s.Memories, 2)
			assert.Equal(t, session.Progress{Kept: 3, Extracted: 3}, s.Progress)
		})
	}
}

// crashing fails its nth write, and all after it: nothing reaches the store any more.
// answered: the write that it fails with is made all the same, but nobody hears of it.
type crashing struct {
	driver.Store
	left     atomic.Int64
	answered bool
}

func (c *crashing) step() error {
	if c.left.Add(-1) < 0 {
		return errCrash
	}
	return nil
}

func (c *crashing) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	if c.left.Load() < 0 {
		return nil, errCrash
	}
	return c.Store.Load(ctx, key, last)
}

func (c *crashing) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	if err := c.step(); err != nil {
		if c.answered && c.left.Load() == -1 {
			_, _ = c.Store.Write(ctx, key, w)
		}
		return driver.Position{}, err
	}
	return c.Store.Write(ctx, key, w)
}

// A process dies at each of its writes, before the store has it or after. Whoever takes
// over after the lease does the rest, and nothing twice.
func TestACrashBetweenAnyTwoSteps(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{false, true} {
		for at, crashed := int64(0), true; crashed; at++ {
			store, clock := clocked()
			l := newLongTerm(all)
			writer := promoting(t, store, l, clock.Now)
			fixture.Send(t, writer, fixture.Tens("a", "b", "c", "d")...)
			fixture.ChangeHead(t, writer, func(s *session.Session) {
				require.NoError(t, s.Entities.Add(fixture.Order("W7")))
				s.Memories = []driver.Record{fact("x", "likes tea")}
			})
			dying := &crashing{Store: store, answered: answered}
			dying.left.Store(at)
			_, err := promoting(t, dying, l, clock.Now).Promote(t.Context(), fixture.Anna)
			if crashed = err != nil; crashed {
				require.ErrorIs(t, err, errCrash)
			}
			require.Less(t, at, int64(20))

			survivor := promoting(t, store, l, clock.Now)
			clock.Sleep(promotion.DefaultLease + 2*time.Second)
			for range 3 {
				if len(due(t, survivor)) > 0 {
					promoteNow(t, survivor)
				}
			}
			promotedOnce(t, survivor, l, []string{"a", "b", "c", "d"}, []string{"of a", "of b", "of c", "of d", "of order W7", "x"})
		}
	}
}

// promotedOnce checks that all is promoted, and extracted once as committed.
func promotedOnce(t testing.TB, m *session.Manager, l *longTerm, messages, memories []string) {
	t.Helper()
	assert.Empty(t, due(t, m))
	s, err := m.Load(context.Background(), fixture.Anna, nil)
	require.NoError(t, err)
	assert.Equal(t, messages, l.keptMessages())
	assert.Equal(t, memories, l.has())
	var held []string
	for _, memory := range s.Memories {
		held = append(held, memory.ID)
		assert.NotZero(t, memory.PersistedAt)
		assert.Equal(t, memory.Text, l.memories[fixture.Anna][memory.ID].Text, "what the session has is what was kept")
	}
	assert.ElementsMatch(t, memories, held)
	assert.Equal(t, uint64(len(messages)+1), s.Progress.Kept)
	assert.Equal(t, uint64(len(messages)+1), s.Progress.Extracted)
}

var errCrash = errors.New("crashed")
