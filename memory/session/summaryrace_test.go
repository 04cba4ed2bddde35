package session_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// during is a model that lets something happen before it answers.
func during(t testing.TB, happens func()) *model {
	return &model{answer: func(context.Context, session.SummaryRequest) (string, error) {
		happens()
		return "summary", nil
	}}
}

func head(t testing.TB, m *session.Manager, change func(*session.Session)) {
	t.Helper()
	_, err := m.UpdateHead(context.Background(), anna, func(s *session.Session) error {
		change(s)
		return nil
	}, nil)
	require.NoError(t, err)
}

func TestWhatOthersWriteDuringASummaryIsKept(t *testing.T) {
	t.Parallel()
	store := session.NewMemoryStore(nil)
	other := summarizing(t, store, session.Summaries{Mode: session.SummarizeOff})
	m := summarizing(t, store, session.Summaries{Summarizer: during(t, func() {
		send(t, other, tens("i", "j")...)
		head(t, other, func(s *session.Session) {
			require.NoError(t, s.Entities.Add(memory.Entity{Type: "page", ID: "home"}))
			s.Data = map[string]any{"step": "2"}
		})
		send(t, other, long("k", 3))
	})})
	at := send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	assert.Equal(t, session.SummaryDone, at.Summary.Status)
	holds(t, m, "summary", "e", "f", "g", "h", "i", "j", "k")
	s := load(t, m, anna)
	assert.Equal(t, 1, s.Entities.Len())
	assert.Equal(t, map[string]any{"step": "2"}, s.Data)
}

func TestASummaryThatWasOutrunChangesNothing(t *testing.T) {
	t.Parallel()
	eight := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, tc := range []struct {
		name    string
		happens func(t *testing.T, other *session.Manager)
		context string
		left    []string
	}{
		{"the context was changed", func(t *testing.T, other *session.Manager) {
			head(t, other, func(s *session.Session) { s.Context = "by hand" })
		}, "by hand", eight},
		{"old messages left", func(t *testing.T, other *session.Manager) {
			_, err := other.Update(t.Context(), anna, func(s *session.Session) error {
				s.Messages = s.Messages[1:]
				return nil
			}, nil)
			require.NoError(t, err)
		}, "", eight[1:]},
		{"the messages were replaced", func(t *testing.T, other *session.Manager) {
			_, err := other.Update(t.Context(), anna, func(s *session.Session) error {
				s.Messages = tens("x", "y")
				return nil
			}, nil)
			require.NoError(t, err)
		}, "", []string{"x", "y"}},
		{"the session was made anew", func(t *testing.T, other *session.Manager) {
			require.NoError(t, other.Delete(t.Context(), anna))
			send(t, other, tens("x", "y")...)
		}, "", []string{"x", "y"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			store := session.NewMemoryStore(nil)
			other := summarizing(t, store, session.Summaries{Mode: session.SummarizeOff})
			m := summarizing(t, store, session.Summaries{Summarizer: during(t, func() { tc.happens(t, other) })})
			at := send(t, m, tens(eight...)...)
			assert.Equal(t, session.SummaryOutrun, at.Summary.Status)
			assert.NoError(t, at.Summary.Err)
			holds(t, m, tc.context, tc.left...)
			// The lease is back: the next write summarises.
			writer := &model{}
			next := summarizing(t, store, session.Summaries{Summarizer: writer})
			send(t, next, tens("m", "n", "o", "p", "q", "r", "s", "t")...)
			assert.Len(t, writer.asked(), 1)
		})
	}
}

func TestADeletedSessionDoesNotComeBack(t *testing.T) {
	t.Parallel()
	store := session.NewMemoryStore(nil)
	other := summarizing(t, store, session.Summaries{})
	m := summarizing(t, store, session.Summaries{Summarizer: during(t, func() { require.NoError(t, other.Delete(t.Context(), anna)) })})
	at := send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	assert.Equal(t, session.SummaryOutrun, at.Summary.Status)
	_, err := m.Load(t.Context(), anna, nil)
	require.ErrorIs(t, err, session.ErrNotFound)
}

func TestOnlyOneWritesTheSummary(t *testing.T) {
	t.Parallel()
	store := session.NewMemoryStore(nil)
	var second *session.Appended
	idle := &model{}
	other := summarizing(t, store, session.Summaries{Summarizer: idle})
	first := during(t, func() { second = send(t, other, long("i", 2)) })
	at := send(t, summarizing(t, store, session.Summaries{Summarizer: first}), tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	assert.Equal(t, session.SummaryLeased, second.Summary.Status)
	assert.Equal(t, session.SummaryDone, at.Summary.Status)
	assert.Empty(t, idle.asked())
	assert.Len(t, first.asked(), 1)
}

func TestALeaseThatRanOutIsTakenOver(t *testing.T) {
	t.Parallel()
	clock := newClock()
	store := session.NewMemoryStore(nil)
	manager := func(writer session.Summarizer) *session.Manager {
		return summarizingAt(t, store, session.Summaries{Summarizer: writer, Timeout: time.Minute}, clock.Now)
	}
	quick := &model{}
	other := manager(quick)
	at := send(t, manager(during(t, func() {
		clock.Sleep(time.Minute)
		assert.Equal(t, session.SummaryLeased, send(t, other, long("i", 2)).Summary.Status)
		clock.Sleep(time.Minute)
		assert.Equal(t, session.SummaryDone, send(t, other, long("j", 2)).Summary.Status)
	})), tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	assert.Equal(t, session.SummaryOutrun, at.Summary.Status, "who was too slow")
	holds(t, other, "summary 1", "f", "g", "h", "i", "j")
}

// dying is a store whose process dies: from then on nothing reaches it.
type dying struct {
	session.Store
	dead atomic.Bool
}

var errDead = errors.New("dead")

func (d *dying) Load(ctx context.Context, key session.Key, last int) (*session.Record, error) {
	if d.dead.Load() {
		return nil, errDead
	}
	return d.Store.Load(ctx, key, last)
}

func (d *dying) Write(ctx context.Context, key session.Key, w session.Write) (session.Position, error) {
	if d.dead.Load() {
		return session.Position{}, errDead
	}
	return d.Store.Write(ctx, key, w)
}

func TestAfterACrashAnotherSummarises(t *testing.T) {
	t.Parallel()
	clock := newClock()
	store := session.NewMemoryStore(nil)
	crashing := &dying{Store: store}
	manager := func(store session.Store, writer session.Summarizer) *session.Manager {
		return summarizingAt(t, store, session.Summaries{Summarizer: writer, Timeout: time.Minute}, clock.Now)
	}
	at := send(t, manager(crashing, during(t, func() { crashing.dead.Store(true) })), tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.ErrorIs(t, at.Summary.Err, errDead)

	survivor := manager(store, &model{})
	assert.Equal(t, session.SummaryLeased, send(t, survivor, long("i", 2)).Summary.Status, "nobody knows yet")
	clock.Sleep(2 * time.Minute)
	assert.Equal(t, session.SummaryDone, send(t, survivor, long("j", 2)).Summary.Status)
	holds(t, survivor, "summary 1", "f", "g", "h", "i", "j")
}

// Writers append and record while summaries are written, at once and in the
// background. As many messages are in the session as did not leave for a summary,
// and none left that was not seen before.
func TestManyWritersWithSummaries(t *testing.T) {
	t.Parallel()
	const writers, appends = 6, 40
	store := session.NewMemoryStore(nil)
	var mu sync.Mutex
	left, seen := 0, map[string]bool{}
	var managers []*session.Manager
	for i := range 2 {
		managers = append(managers, summarizing(t, store, session.Summaries{
			Mode: session.SummaryMode(i), Summarizer: &model{}, Workers: 1,
			Before: func(_ context.Context, _ session.Key, messages []session.Message) error {
				mu.Lock()
				defer mu.Unlock()
				for _, id := range ids(messages) {
					seen[id] = true
				}
				return nil
			},
			OnSummary: func(_ session.Key, o session.SummaryOutcome) {
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
				send(t, m, long(fmt.Sprintf("w%d-%d", w, i), 10))
				if i%10 == 0 {
					head(t, m, func(s *session.Session) {
						assert.NoError(t, s.Entities.Add(memory.Entity{Type: "page", ID: fmt.Sprint("page", w)}))
					})
				}
			}
		})
	}
	wg.Wait()
	for _, m := range managers {
		require.NoError(t, m.Close(t.Context()))
	}
	_, err := managers[0].Summarize(t.Context(), anna)
	require.NoError(t, err)
	s := load(t, managers[0], anna)
	assert.Equal(t, writers*appends, left+len(s.Messages))
	for _, id := range ids(s.Messages) {
		seen[id] = true
	}
	assert.Len(t, seen, writers*appends)
	assert.Equal(t, writers, s.Entities.Len())
	assert.LessOrEqual(t, s.Tokens(), 40)
}

// Where messages that came during a summary are too many again, they are summarised
// as well, by the same write.
func TestWhatComesDuringASummaryIsSummarisedToo(t *testing.T) {
	t.Parallel()
	store := session.NewMemoryStore(nil)
	other := summarizing(t, store, session.Summaries{Mode: session.SummarizeOff})
	first := true
	writer := during(t, func() {
		if first {
			first = false
			send(t, other, tens("i", "j", "k", "l")...)
		}
	})
	at := send(t, summarizing(t, store, session.Summaries{Summarizer: writer}), tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	assert.Equal(t, session.SummaryDone, at.Summary.Status)
	assert.Equal(t, 8, at.Summary.Messages)
	assert.Equal(t, load(t, other, anna).Version(), at.Version())
	holds(t, other, "summary", "i", "j", "k", "l")
}
