package promote_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

func TestASessionIsPromoted(t *testing.T) {
	t.Parallel()
	m, l, _, clock := started(t)
	_, err := m.Append(t.Context(), fixture.Anna, fixture.Tens("a", "b", "c", "d", "e"), &session.WriteOptions{TTL: 24 * time.Hour})
	require.NoError(t, err)
	fixture.ChangeHead(t, m, func(s *session.Session) {
		require.NoError(t, s.Entities.Add(fixture.Order("W7")))
		s.Memories = []driver.Record{fact("x", "likes tea")}
	})
	before := fixture.Load(t, m, fixture.Anna)
	assert.Equal(t, []session.Key{fixture.Anna}, due(t, m))
	clock.Sleep(time.Hour)

	outcome := promoteNow(t, m)
	assert.Equal(t, promotion.Outcome{Extracted: 6, Memories: 7, Messages: 5}, outcome)
	assert.Equal(t, []string{"of a", "of b", "of c", "of d", "of e", "of order W7", "x"}, l.has())
	assert.Equal(t, []string{"a", "b", "c", "d", "e"}, l.keptMessages())
	x := l.memories[fixture.Anna]["x"]
	assert.Equal(t, [3]string{"shop", "anna", "s-1"}, [3]string{x.Namespace, x.UserID, x.SessionID})
	assert.True(t, l.promotions[0].Messages[0].Extracted)
	assert.Equal(t, before.CreatedAt, l.promotions[0].CreatedAt)
	assert.EqualValues(t, 1, l.promotions[0].Messages[0].Seq)

	s := fixture.Load(t, m, fixture.Anna)
	now := clock.Now().UTC().Truncate(time.Millisecond)
	assert.Equal(t, session.Progress{Kept: 6, Extracted: 6}, s.Progress)
	for _, memory := range s.Memories {
		assert.Equal(t, now, memory.PersistedAt)
	}
	for i, message := range s.Messages {
		assert.Equal(t, now, message.PersistedAt)
		assert.True(t, message.Extracted)
		assert.EqualValues(t, i+1, message.Seq)
	}
	assert.Equal(t, before.LastAccessed, s.LastAccessed, "promoting is no access")
	assert.Equal(t, before.UpdatedAt(), s.UpdatedAt())
	assert.Equal(t, before.ExpiresAt(), s.ExpiresAt())
	assert.Empty(t, due(t, m))

	// Once is enough.
	assert.Zero(t, promoteNow(t, m))
	extracted, promoted := l.asked()
	assert.Equal(t, 3, extracted, "the entities, and messages in batches of 3")
	// What comes later is promoted alone.
	fixture.Send(t, m, fixture.Tens("f")...)
	assert.Equal(t, promotion.Outcome{Extracted: 1, Memories: 1, Messages: 1}, promoteNow(t, m))
	assert.Equal(t, []string{"f"}, fixture.IDs(l.extractions[extracted].Messages))
	assert.Nil(t, l.extractions[extracted].Entities, "they are the same")
	assert.Equal(t, []string{"f"}, fixture.IDs(l.promotions[promoted].Messages))
}

func TestWants(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wants     driver.Wants
		outcome   promotion.Outcome
		appendDue bool
	}{
		"nothing":  {driver.Wants{}, promotion.Outcome{Memories: 1}, false},
		"messages": {driver.Wants{Messages: true}, promotion.Outcome{Memories: 1, Messages: 2}, true},
		"extract":  {driver.Wants{Extract: true}, promotion.Outcome{Memories: 3, Extracted: 2}, true},
		"entities": {driver.Wants{Entities: true}, promotion.Outcome{Memories: 2, Extracted: 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, clock := clocked()
			m := promoting(t, store, newLongTerm(test.wants), clock.Now)
			fixture.Send(t, m, fixture.Tens("a", "b")...)
			assert.Equal(t, test.appendDue, len(due(t, m)) == 1)
			fixture.ChangeHead(t, m, func(s *session.Session) {
				require.NoError(t, s.Entities.Add(fixture.Order("W7")))
				s.Memories = []driver.Record{fact("x", "likes tea")}
			})
			assert.Len(t, due(t, m), 1)
			assert.Equal(t, test.outcome, promoteNow(t, m))
			assert.Empty(t, due(t, m))
		})
	}
}

func TestDueTime(t *testing.T) {
	t.Parallel()
	const delay = time.Minute
	m, _, _, clock := started(t, func(o *session.Options) { o.Promotions.Delay = delay })
	isDue := func(at time.Time) {
		t.Helper()
		assert.Equal(t, at.UTC().Truncate(time.Millisecond), fixture.Load(t, m, fixture.Anna).Progress.Due)
	}
	addOrder := func(s *session.Session) { require.NoError(t, s.Entities.Add(fixture.Order("W7"))) }
	fixture.ChangeHead(t, m, func(s *session.Session) { s.Data = map[string]any{"step": "1"} })
	isDue(time.Time{})
	start := clock.Now()
	fixture.Send(t, m, fixture.Tens("a")...)
	isDue(start.Add(delay))
	clock.Sleep(time.Second)
	fixture.Send(t, m, fixture.Tens("b")...)
	isDue(start.Add(delay)) // it waits already
	remember(t, m, fact("x", "likes tea"))
	isDue(clock.Now()) // memories do not wait
	promoteNow(t, m)
	isDue(time.Time{})
	remember(t, m, fact("y", "likes milk"))
	isDue(clock.Now())
	promoteNow(t, m)
	fixture.ChangeHead(t, m, addOrder)
	isDue(clock.Now().Add(delay))
	promoteNow(t, m)
	fixture.ChangeHead(t, m, addOrder) // seen once more
	isDue(time.Time{})
}

// A memory hurries what waits for more messages, not who is at it, nor what is tried again
// after a failure.
func TestMemoriesWaitForLeasesAndRetries(t *testing.T) {
	t.Parallel()
	m, l, _, clock := started(t, func(o *session.Options) { o.Promotions.Delay = time.Hour })
	fixture.Send(t, m, fixture.Tens("a")...)
	written := 0
	l.before = func(context.Context, string) error {
		was := fixture.Load(t, m, fixture.Anna).Progress.Due
		written++
		remember(t, m, fact(fmt.Sprint("x", written), "likes tea"))
		require.Equal(t, was, fixture.Load(t, m, fixture.Anna).Progress.Due)
		return errModel
	}
	_, err := m.Promote(t.Context(), fixture.Anna)
	require.ErrorIs(t, err, errModel)
	l.before = nil
	again := fixture.Load(t, m, fixture.Anna).Progress.Due
	require.True(t, again.After(clock.Now()))
	remember(t, m, fact("y", "likes milk"))
	require.Equal(t, again, fixture.Load(t, m, fixture.Anna).Progress.Due)
	require.NotZero(t, written)
}

// What waits for more to come does not wait until its session has expired.
func TestDelayIsLimitedByTheTTL(t *testing.T) {
	t.Parallel()
	const ttl = time.Minute
	for name, test := range map[string]struct {
		byDefault, running, ttl time.Duration // the TTL of the manager, of an earlier write, and of the write
		entities                bool          // are written, not messages
		delay, want             time.Duration
	}{
		"a short life":            {ttl: ttl, delay: time.Hour, want: ttl / 2},
		"a short life by default": {byDefault: ttl, delay: time.Hour, want: ttl / 2},
		"a running life":          {running: ttl, entities: true, delay: time.Hour, want: ttl / 2},
		"a life without end":      {ttl: session.NoExpiry, entities: true, delay: time.Hour, want: time.Hour},
		"a long life":             {byDefault: 24 * time.Hour, delay: time.Hour, want: time.Hour},
		"the default":             {delay: 0, want: promotion.DefaultDelay},
		"no delay":                {delay: -1, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _, _, clock := started(t, func(o *session.Options) { o.TTL, o.Promotions.Delay = test.byDefault, test.delay })
			if test.running > 0 {
				_, err := m.Append(t.Context(), fixture.Anna, nil, &session.WriteOptions{TTL: test.running})
				require.NoError(t, err)
			}
			opts := &session.WriteOptions{TTL: test.ttl}
			var err error
			if test.entities {
				_, err = m.UpdateHead(t.Context(), fixture.Anna, func(s *session.Session) error { return s.Entities.Add(fixture.Order("W7")) }, opts)
			} else {
				_, err = m.Append(t.Context(), fixture.Anna, fixture.Tens("a"), opts)
			}
			require.NoError(t, err)
			assert.Equal(t, clock.Now().Add(test.want).UTC().Truncate(time.Millisecond), fixture.Load(t, m, fixture.Anna).Progress.Due)
		})
	}
}

func TestPromoteErrors(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, newLongTerm(all), clock.Now)
	_, err := m.Promote(t.Context(), session.Key{})
	require.ErrorIs(t, err, session.ErrKey)
	_, err = m.Promote(t.Context(), fixture.Anna)
	require.ErrorIs(t, err, session.ErrNotFound)
	without, err := session.NewManager(store, nil)
	require.NoError(t, err)
	_, err = without.Promote(t.Context(), fixture.Anna)
	require.ErrorIs(t, err, session.ErrNoLongTerm)
	require.NoError(t, store.Close())
	_, err = m.Promote(t.Context(), fixture.Anna)
	require.ErrorIs(t, err, session.ErrClosed)
	_, err = m.Due(t.Context(), 1)
	require.ErrorIs(t, err, session.ErrClosed)
}

func TestRefusedMemoriesAreNotRetried(t *testing.T) {
	t.Parallel()
	m, l, _, _ := started(t)
	l.refuse["x"] = true
	remember(t, m, fact("x", "too large"), fact("y", "likes tea"))
	assert.Equal(t, promotion.Outcome{Memories: 1, Refused: 1}, promoteNow(t, m))
	assert.Empty(t, due(t, m))
	s := fixture.Load(t, m, fixture.Anna)
	assert.Zero(t, s.Memories[0].PersistedAt)
	assert.NotZero(t, s.Memories[1].PersistedAt)
	// With the next change it has another chance.
	fixture.ChangeHead(t, m, func(s *session.Session) { s.Memories[0].Text = "small" })
	assert.Len(t, due(t, m), 1)
	l.refuse["x"] = false
	assert.Equal(t, promotion.Outcome{Memories: 1}, promoteNow(t, m))
}

func TestLaterExtractionReplacesAMemory(t *testing.T) {
	t.Parallel()
	m, l, _, clock := started(t)
	for i, tc := range []struct {
		text, want string
		updated    time.Time
	}{
		{"first", "first", time.Time{}},
		{"not later", "first", time.Time{}},
		{"changed", "changed", clock.Now()},
		{"not later either", "changed", clock.Now()},
		{"changed again", "changed again", clock.Now().Add(1)},
	} {
		l.finds = []driver.Record{{ID: "one", Text: tc.text, ExtractionStrategy: "test", UpdatedAt: tc.updated}}
		fixture.Send(t, m, fixture.Tens(tc.text)...)
		promoteNow(t, m)
		s := fixture.Load(t, m, fixture.Anna)
		require.Len(t, s.Memories, 1)
		assert.Equal(t, tc.want, s.Memories[0].Text, "round %d", i)
		assert.NotZero(t, s.Memories[0].PersistedAt)
		assert.Equal(t, tc.want, l.memories[fixture.Anna]["one"].Text)
	}
}

func TestHeadsOfFormat1ArePromoted(t *testing.T) {
	t.Parallel()
	m, _, store, _ := started(t)
	fixture.Put(t, store, fixture.Anna, 1, `{"created_at":"2026-03-01T12:00:00Z","memories":[{"id":"x","text":"likes tea"}]}`, `{"role":"user","content":"hi"}`)
	s := fixture.Load(t, m, fixture.Anna)
	assert.Zero(t, s.Progress)
	assert.EqualValues(t, 1, s.Messages[0].Seq)
	assert.Empty(t, due(t, m), "whoever wrote it knew nothing of that")
	fixture.ChangeHead(t, m, func(s *session.Session) { s.Data = map[string]any{"step": "1"} })
	assert.Len(t, due(t, m), 1)
	assert.Equal(t, promotion.Outcome{Extracted: 1, Memories: 2, Messages: 1}, promoteNow(t, m))
	r, err := store.Load(t.Context(), fixture.Anna, 0)
	require.NoError(t, err)
	assert.Equal(t, driver.Format, r.Format)
}

func TestProgressIsReadOnly(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, newLongTerm(all), clock.Now)
	fixture.Send(t, m, fixture.Tens("a", "b")...)
	promoteNow(t, m)
	_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
		s.Progress = session.Progress{Kept: 99, Extracted: 99, Failures: 99, Due: clock.Now()}
		s.Data = map[string]any{"step": "1"}
		s.Messages[0].Seq = 99
		return nil
	}, nil)
	require.NoError(t, err)
	s := fixture.Load(t, m, fixture.Anna)
	assert.Equal(t, session.Progress{Kept: 3, Extracted: 3}, s.Progress)
	assert.EqualValues(t, 1, s.Messages[0].Seq)
}

// A manager without a LongTerm leaves what others noted as it is.
func TestManagersWithoutLongTermKeepProgress(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, newLongTerm(all), clock.Now)
	fixture.Send(t, m, fixture.Tens("a", "b")...)
	promoteNow(t, m)
	other, err := session.NewManager(store, &session.Options{Now: clock.Now})
	require.NoError(t, err)
	fixture.Send(t, other, fixture.Tens("c")...)
	fixture.ChangeHead(t, other, func(s *session.Session) { s.Memories = append(s.Memories, fact("x", "likes tea")) })
	assert.Empty(t, due(t, m))
	assert.Equal(t, session.Progress{Kept: 3, Extracted: 3}, fixture.Load(t, m, fixture.Anna).Progress)
	fixture.ChangeHead(t, m, func(s *session.Session) { s.Data = map[string]any{"step": "1"} })
	assert.Len(t, due(t, m), 1, "the next write sees what there is to do")
	assert.Equal(t, promotion.Outcome{Extracted: 1, Memories: 2, Messages: 1}, promoteNow(t, m))
}
