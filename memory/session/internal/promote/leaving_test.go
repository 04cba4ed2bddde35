package promote_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func summarizer(s summary.Options) func(*session.Options) {
	return func(o *session.Options) { o.Summaries = s }
}

// Before a summary drops messages, they are promoted, regardless of the lease.
func TestLeavingMessagesArePromoted(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	writer := &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) {
		assert.Subset(t, l.keptMessages(), []string{"a", "b", "c", "d"})
		return "summary", nil
	}}
	m := promoting(t, store, l, clock.Now, summarizer(summary.Options{Summarizer: writer}))
	at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.Equal(t, summary.Done, at.Summary.Status, "%v", at.Summary.Err)
	s := fixture.Load(t, m, fixture.Anna)
	assert.Equal(t, []string{"e", "f", "g", "h"}, fixture.IDs(s.Messages))
	assert.Len(t, s.Memories, 4)
	assert.EqualValues(t, 5, s.Progress.Kept)
	assert.EqualValues(t, 5, s.Progress.Extracted)
	assert.Empty(t, l.has(), "memories wait for the background")
	assert.Len(t, due(t, m), 1)
	assert.Equal(t, promotion.Outcome{Extracted: 4, Memories: 8, Messages: 4}, promoteNow(t, m))
	// What was promoted is not promoted again when it leaves.
	extracted, promoted := l.asked()
	fixture.Send(t, m, fixture.Tens("i", "j", "k", "l")...)
	promoteNow(t, m)
	assert.Equal(t, []string{"i", "j", "k"}, fixture.IDs(l.extractions[extracted].Messages))
	assert.Equal(t, []string{"i", "j", "k"}, fixture.IDs(l.promotions[promoted].Messages))
}

// If a worker promotes the messages that are about to leave, both keep them and one commits the
// extracted memories.
func TestASummaryDoesNotWaitForAPromotion(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		m, l, store, clock := started(t, summarizer(summary.Options{Summarizer: &fixture.Model{}}))
		worker := promoting(t, store, l, clock.Now)
		fixture.Send(t, worker, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		l.once(call, func() {
			outcome, err := m.Summarize(t.Context(), fixture.Anna)
			assert.NoError(t, err)
			assert.Equal(t, summary.Done, outcome.Status)
		})
		promoteNow(t, worker)
		s := fixture.Load(t, m, fixture.Anna)
		assert.Equal(t, []string{"e", "f", "g", "h"}, fixture.IDs(s.Messages))
		assert.Len(t, s.Memories, 8)
		assert.Len(t, l.has(), 8)
		assert.ElementsMatch(t, []string{"a", "b", "c", "d", "e", "f", "g", "h"}, l.keptMessages())
	}
}

// The LongTerm failed when a session that had expired was appended to: it is rebuilt
// before any of the new messages leaves.
func TestSummaryOfAnUnrestoredSession(t *testing.T) {
	t.Parallel()
	for name, had := range map[string][]string{"rebuilt": {"a", "b", "c", "d", "e"}, "new": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, store, l, clock := expired(t)
			if had == nil {
				require.NoError(t, m.Delete(t.Context(), fixture.Anna))
			}
			l.fail(failingAt("messages", errModel))
			fixture.Send(t, m, fixture.Tens("k", "l", "m", "n", "o", "p", "q", "r")...)
			l.fail(nil)
			other := promoting(t, store, l, clock.Now, summarizer(summary.Options{Summarizer: &fixture.Model{}}))
			outcome, err := other.Summarize(t.Context(), fixture.Anna)
			require.NoError(t, err)
			if had != nil {
				assert.Equal(t, summary.Outrun, outcome.Status)
				assert.Equal(t, had, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages[:5]))
				outcome, err = other.Summarize(t.Context(), fixture.Anna)
				require.NoError(t, err)
			}
			assert.Equal(t, summary.Done, outcome.Status)
			assert.Equal(t, []string{"o", "p", "q", "r"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))
			promoteNow(t, m)
			assert.Equal(t, append(had, "k", "l", "m", "n", "o", "p", "q", "r"), l.keptMessages())
		})
	}
}

// The head keeps only the last extracted memories.
func TestExtractedMemoriesAreBounded(t *testing.T) {
	t.Parallel()
	m, l, _, _ := started(t, func(o *session.Options) { o.Promotions.Batch = 100 })
	remember(t, m, fact("mine", "likes tea"))
	for i := range 6 {
		fixture.Send(t, m, fixture.Numbered(i*100+1, i*100+100)...)
		promoteNow(t, m)
	}
	s := fixture.Load(t, m, fixture.Anna)
	assert.Len(t, s.Memories, 1+256+100)
	assert.Equal(t, "mine", s.Memories[0].ID)
	assert.Len(t, l.has(), 601)
	assert.Equal(t, "of m600", s.Memories[len(s.Memories)-1].ID)
}

// A session is deleted, and perhaps created again with fewer messages, while messages are
// about to leave it.
func TestASessionThatIsDeletedBeforeItsSummary(t *testing.T) {
	t.Parallel()
	for i := range 4 {
		call, again := []string{"extract", "promote"}[i%2], i < 2
		m, l, store, clock := started(t)
		other := promoting(t, store, l, clock.Now, summarizer(summary.Options{Summarizer: &fixture.Model{}}))
		fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
		l.once(call, func() {
			require.NoError(t, m.Delete(t.Context(), fixture.Anna))
			if clock.Sleep(time.Second); again {
				fixture.Send(t, m, fixture.Tens("x")...)
			}
		})
		outcome, err := other.Summarize(t.Context(), fixture.Anna)
		require.NoError(t, err)
		assert.Equal(t, summary.Outrun, outcome.Status)
		if !again {
			assert.Empty(t, l.keptMessages())
			continue
		}
		assert.Equal(t, []string{"x"}, fixture.IDs(fixture.Load(t, m, fixture.Anna).Messages))
		promoteNow(t, m)
		assert.Equal(t, []string{"of x"}, l.has())
		assert.Equal(t, []string{"x"}, l.keptMessages())
	}
}

// What was kept of a session while it was deleted does not stay, nor return with a new session of
// the key.
func TestSessionDeletedDuringItsPromotion(t *testing.T) {
	t.Parallel()
	for i := range 8 {
		call, again, failing := []string{"extract", "promote"}[i%2], i/2%2 == 0, []error{nil, errModel}[i/4]
		m, l, store, clock := started(t)
		other := promoting(t, store, l, clock.Now)
		fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")...)
		l.inCall(1, call, func() error {
			require.NoError(t, other.Delete(t.Context(), fixture.Anna))
			if again {
				clock.Sleep(time.Second)
				fixture.Send(t, other, fixture.Tens("x")...)
				promoteNow(t, other)
			}
			return failing
		})
		_, err := m.Promote(t.Context(), fixture.Anna)
		require.Error(t, err)
		if !again {
			assert.Empty(t, l.keptMessages())
			_, err = m.Load(t.Context(), fixture.Anna, nil)
			require.ErrorIs(t, err, session.ErrNotFound)
			continue
		}
		s := fixture.Load(t, m, fixture.Anna)
		assert.Zero(t, s.Progress.Failures, "of the one before")
		assert.Equal(t, []string{"x"}, fixture.IDs(s.Messages))
		promoteNow(t, other)
		assert.Equal(t, []string{"x"}, l.keptMessages(), call)
	}
}

// CreatedAt distinguishes sessions of one key. Clients may set it.
func TestExistingSessionKeepsItsMessages(t *testing.T) {
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
			m, l, store, clock := started(t)
			other := promoting(t, store, l, clock.Now)
			fixture.Send(t, m, fixture.Tens("a")...)
			l.once("promote", func() { happens(t, other, clock) })
			_, err := m.Promote(t.Context(), fixture.Anna)
			require.ErrorIs(t, err, promotion.ErrBusy)
			assert.Equal(t, []string{"a"}, l.keptMessages())
		})
	}
}

// The store's clock is ahead of the manager's: the session expired and was not deleted.
func TestSessionExpiresDuringItsPromotion(t *testing.T) {
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
