package summarize_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func TestConcurrentWritesDuringASummaryAreKept(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	other := fixture.Summarizing(t, store, summary.Options{Mode: summary.Off})
	m := fixture.Summarizing(t, store, summary.Options{Summarizer: fixture.During(t, func() {
		fixture.Send(t, other, fixture.Tens("i", "j")...)
		fixture.ChangeHead(t, other, func(s *session.Session) {
			require.NoError(t, s.Entities.Add(memory.Entity{Type: "page", ID: "home"}))
			s.Data = map[string]any{"step": "2"}
		})
		fixture.Send(t, other, fixture.Long("k", 3))
	})})
	at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	assert.Equal(t, summary.Done, at.Summary.Status)
	fixture.Holds(t, m, "summary", "e", "f", "g", "h", "i", "j", "k")
	s := fixture.Load(t, m, fixture.Anna)
	assert.Equal(t, 1, s.Entities.Len())
	assert.Equal(t, map[string]any{"step": "2"}, s.Data)
}

func TestOutrunSummaryChangesNothing(t *testing.T) {
	t.Parallel()
	eight := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, tc := range []struct {
		name    string
		happens func(t *testing.T, other *session.Manager)
		context string
		left    []string
	}{
		{"the context was changed", func(t *testing.T, other *session.Manager) {
			fixture.ChangeHead(t, other, func(s *session.Session) { s.Context = "by hand" })
		}, "by hand", eight},
		{"old messages left", func(t *testing.T, other *session.Manager) {
			_, err := other.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
				s.Messages = s.Messages[1:]
				return nil
			}, nil)
			require.NoError(t, err)
		}, "", eight[1:]},
		{"the messages were replaced", func(t *testing.T, other *session.Manager) {
			_, err := other.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
				s.Messages = fixture.Tens("x", "y")
				return nil
			}, nil)
			require.NoError(t, err)
		}, "", []string{"x", "y"}},
		{"the session was made anew", func(t *testing.T, other *session.Manager) {
			require.NoError(t, other.Delete(t.Context(), fixture.Anna))
			fixture.Send(t, other, fixture.Tens("x", "y")...)
		}, "", []string{"x", "y"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			store := memstore.New(nil)
			other := fixture.Summarizing(t, store, summary.Options{Mode: summary.Off})
			m := fixture.Summarizing(t, store, summary.Options{Summarizer: fixture.During(t, func() { tc.happens(t, other) })})
			at := fixture.Send(t, m, fixture.Tens(eight...)...)
			assert.Equal(t, summary.Outrun, at.Summary.Status)
			assert.NoError(t, at.Summary.Err)
			fixture.Holds(t, m, tc.context, tc.left...)
			// The lease is back: the next write summarises.
			writer := &fixture.Model{}
			next := fixture.Summarizing(t, store, summary.Options{Summarizer: writer})
			fixture.Send(t, next, fixture.Tens("m", "n", "o", "p", "q", "r", "s", "t")...)
			assert.Len(t, writer.Asked(), 1)
		})
	}
}

func TestExpiredLeaseIsTakenOver(t *testing.T) {
	t.Parallel()
	clock := fixture.NewClock()
	store := memstore.New(nil)
	manager := func(writer summary.Summarizer) *session.Manager {
		return fixture.SummarizingAt(t, store, summary.Options{Summarizer: writer, Timeout: time.Minute}, clock.Now)
	}
	quick := &fixture.Model{}
	other := manager(quick)
	at := fixture.Send(t, manager(fixture.During(t, func() {
		clock.Sleep(time.Minute)
		assert.Equal(t, summary.Leased, fixture.Send(t, other, fixture.Long("i", 2)).Summary.Status)
		clock.Sleep(time.Minute)
		assert.Equal(t, summary.Done, fixture.Send(t, other, fixture.Long("j", 2)).Summary.Status)
	})), fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	assert.Equal(t, summary.Outrun, at.Summary.Status, "who was too slow")
	fixture.Holds(t, other, "summary 1", "f", "g", "h", "i", "j")
}

// Writers append while summaries are written, at once and in the background. Each message is in
// the session or left for one summary.
func TestManyWritersWithSummaries(t *testing.T) {
	t.Parallel()
	const writers, appends = 6, 40
	store := memstore.New(nil)
	var mu sync.Mutex
	left := 0
	var managers []*session.Manager
	for i := range 2 {
		managers = append(managers, fixture.Summarizing(t, store, summary.Options{
			Mode: summary.Mode(i), Summarizer: &fixture.Model{}, Workers: 1,
			OnSummary: func(_ session.Key, o summary.Outcome) {
				mu.Lock()
				defer mu.Unlock()
				left += o.Messages
				assert.NoError(t, o.Err)
			},
		}))
	}
	var wg sync.WaitGroup
	for w := range writers {
		m := managers[w%2]
		wg.Go(func() {
			for i := range appends {
				fixture.Send(t, m, fixture.Long(fmt.Sprintf("w%d-%d", w, i), 10))
			}
		})
	}
	wg.Wait()
	for _, m := range managers {
		require.NoError(t, m.Close(t.Context()))
	}
	_, err := managers[0].Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	s := fixture.Load(t, managers[0], fixture.Anna)
	assert.Equal(t, writers*appends, left+len(s.Messages))
	assert.LessOrEqual(t, s.Tokens(), 40)
}

// Where messages that came during a summary are too many again, they are summarised
// as well, by the same write.
func TestMessagesAppendedDuringASummary(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	other := fixture.Summarizing(t, store, summary.Options{Mode: summary.Off})
	first := true
	writer := fixture.During(t, func() {
		if first {
			first = false
			fixture.Send(t, other, fixture.Tens("i", "j", "k", "l")...)
		}
	})
	at := fixture.Send(t, fixture.Summarizing(t, store, summary.Options{Summarizer: writer}), fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	assert.Equal(t, summary.Done, at.Summary.Status)
	assert.Equal(t, 8, at.Summary.Messages)
	assert.Equal(t, fixture.Load(t, other, fixture.Anna).Version(), at.Version())
	fixture.Holds(t, other, "summary", "i", "j", "k", "l")
}
