package promote_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

func TestADeletedSessionIsNotPromoted(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		store, clock := clocked()
		l := newLongTerm(all)
		m, other := promoting(t, store, l, clock.Now), promoting(t, store, l, clock.Now)
		fixture.Send(t, m, fixture.Tens("a")...)
		l.once(call, func() { require.NoError(t, other.Delete(t.Context(), fixture.Anna)) })
		_, err := m.Promote(t.Context(), fixture.Anna)
		require.ErrorIs(t, err, session.ErrNotFound)
		assert.Empty(t, l.keptMessages(), "what was kept while it was deleted does not stay")
		_, err = m.Load(t.Context(), fixture.Anna, nil)
		require.ErrorIs(t, err, session.ErrNotFound)
	}
}

// What was kept of a session while it was deleted does not come back with the one that is
// made under its name at once.
func TestASessionThatIsMadeAgainDuringItsPromotion(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		for _, failing := range []error{nil, errModel} {
			store, clock := clocked()
			l := newLongTerm(all)
			m, other := promoting(t, store, l, clock.Now), promoting(t, store, l, clock.Now)
			fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")...)
			var done atomic.Bool
			l.fail(func(_ context.Context, name string) error {
				if name != call || done.Swap(true) {
					return nil
				}
				require.NoError(t, other.Delete(t.Context(), fixture.Anna))
				clock.Sleep(time.Second)
				fixture.Send(t, other, fixture.Tens("x")...)
				promoteNow(t, other)
				return failing
			})
			_, err := m.Promote(t.Context(), fixture.Anna)
			require.Error(t, err)
			assert.Zero(t, fixture.Load(t, m, fixture.Anna).Progress.Failures, "of the one before")
			promoteNow(t, other)
			assert.Equal(t, []string{"x"}, l.keptMessages(), call)
			assert.Equal(t, []string{"x"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))
		}
	}
}

// What tells two sessions of one name apart is when they were made. Clients may set that.
func TestTakingBackSparesTheSessionThatIsThere(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(t *testing.T, m *session.Manager, clock *conformance.Clock){
		"made again, at the same time": func(t *testing.T, m *session.Manager, _ *conformance.Clock) {
			require.NoError(t, m.Delete(t.Context(), fixture.Anna))
			fixture.Send(t, m, fixture.Tens("a")...)
			promoteNow(t, m)
		},
		"the same, with another time": func(t *testing.T, m *session.Manager, clock *conformance.Clock) {
			clock.Sleep(promotion.DefaultLease + 2*time.Second)
			promoteNow(t, m)
			fixture.ChangeHead(t, m, func(s *session.Session) { s.CreatedAt = s.CreatedAt.Add(-time.Hour) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, clock := clocked()
			l := newLongTerm(all)
			m, other := promoting(t, store, l, clock.Now), promoting(t, store, l, clock.Now)
			fixture.Send(t, m, fixture.Tens("a")...)
			l.once("promote", func() { happens(t, other, clock) })
			_, err := m.Promote(t.Context(), fixture.Anna)
			require.ErrorIs(t, err, promotion.ErrBusy)
			assert.Equal(t, []string{"a"}, l.keptMessages())
		})
	}
}

// The clock of the store is before that of the manager: what expired was not deleted.
func TestASessionThatExpiresDuringItsPromotionIsRebuilt(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	slow := func() time.Time { return clock.Now().Add(-10 * time.Second) }
	m := promoting(t, store, l, slow)
	_, err := m.Append(t.Context(), fixture.Anna, fixture.Tens("a"), &session.WriteOptions{TTL: time.Hour})
	require.NoError(t, err)
	l.once("promote", func() { clock.Sleep(time.Hour + time.Second) })
	_, err = m.Promote(t.Context(), fixture.Anna)
	require.ErrorIs(t, err, session.ErrNotFound)
	assert.Equal(t, []string{"a"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))
}
