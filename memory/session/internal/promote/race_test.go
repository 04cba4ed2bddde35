package promote_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// once calls a function in the first call of a name.
func (l *longTerm) once(call string, happens func()) {
	l.inCall(1, call, func() error {
		happens()
		return nil
	})
}

// inCall calls a function in the nth call of a name, whose error it returns.
func (l *longTerm) inCall(n int64, call string, happens func() error) {
	var calls atomic.Int64
	l.fail(func(_ context.Context, name string) error {
		if name == call && calls.Add(1) == n {
			return happens()
		}
		return nil
	})
}

// A client that writes back a session that was promoted, with or without its marks, does
// not cause another promotion.
func TestWritingBackASessionPromotesNothingAgain(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]bool{"as it was read": false, "without the fields": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, l, _, clock := started(t)
			fixture.Send(t, m, fixture.Tens("a", "b", "c")...)
			promoteNow(t, m)
			read := fixture.Load(t, m, fixture.Anna)
			clock.Sleep(time.Minute)
			fixture.Send(t, m, fixture.Tens("d")...)
			promoteNow(t, m) // the marks are of another time now
			replace := func(messages []session.Message) {
				if forget {
					for i := range messages {
						messages[i].PersistedAt, messages[i].Extracted, messages[i].Seq = time.Time{}, false, 0
					}
				}
				_, err := m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
					s.Messages = append(messages, s.Messages[len(s.Messages)-1])
					s.Data = map[string]any{"step": "2"}
					return nil
				}, nil)
				require.NoError(t, err)
			}
			replace(read.Messages)
			assert.Empty(t, due(t, m))
			assert.EqualValues(t, 4, fixture.Load(t, m, fixture.Anna).Messages[3].Seq, "no message was rewritten")
			// One that was changed is promoted again, and those behind it are kept again,
			// but not extracted from.
			extracted, _ := l.asked()
			read = fixture.Load(t, m, fixture.Anna)
			read.Messages[1].Content, read.Messages[1].Extracted = "changed", false
			replace(read.Messages[:3])
			promoteNow(t, m)
			require.Len(t, l.extractions, extracted+1)
			assert.Equal(t, []string{"b"}, fixture.IDs(l.extractions[extracted].Messages))
			assert.Equal(t, "changed", l.messages[fixture.Anna][1].Content)
		})
	}
}

// Managers promote, summarise, append to and change one session concurrently. Every message is
// kept, and extracted from once.
func TestManyWritersWithPromotions(t *testing.T) {
	t.Parallel()
	writers, appends := 4, soak.Times(10, 30)
	store, l := memstore.New(nil), newLongTerm(all)
	var mu sync.Mutex
	extracted := 0
	var managers []*session.Manager
	for range 2 {
		managers = append(managers, promoting(t, store, l, time.Now, working, func(o *session.Options) {
			o.Summaries = summary.Options{Summarizer: &fixture.Model{}}
			o.Promotions.RetryAfter, o.Promotions.Poll = 5*time.Millisecond, 5*time.Millisecond
			o.Promotions.OnPromoted = func(_ session.Key, o promotion.Outcome) {
				mu.Lock()
				defer mu.Unlock()
				extracted += o.Extracted
			}
		}))
	}
	var wg sync.WaitGroup
	for w := range writers {
		m := managers[w%2]
		wg.Go(func() {
			for i := range appends {
				id := string(rune('a'+w)) + string(rune('0'+i/10)) + string(rune('0'+i%10))
				fixture.Send(t, m, fixture.Long(id, 10))
				if i%10 == 0 {
					remember(t, m, fact("fact "+id, "likes tea"))
				}
			}
		})
	}
	wg.Wait()
	assert.Eventually(t, func() bool {
		s, err := managers[0].Load(context.Background(), fixture.Anna, nil)
		return err == nil && s.Progress.Due.IsZero()
	}, 30*time.Second, 10*time.Millisecond)
	for _, m := range managers {
		require.NoError(t, m.Close(t.Context()))
	}
	assert.Len(t, l.keptMessages(), writers*appends)
	assert.Len(t, l.has(), writers*appends+writers*appends/10)
	assert.Equal(t, writers*appends, extracted)
}

func TestExpiredLeaseIsTakenOver(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			m, l, store, clock := started(t)
			other := promoting(t, store, l, clock.Now)
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
			require.ErrorIs(t, err, promotion.ErrBusy, "too slow")
			assert.Equal(t, 2, outcome.Extracted+taken.Extracted, "what was extracted is committed once")
			assert.Equal(t, 2, taken.Memories)
			assert.Zero(t, outcome.Memories+outcome.Messages)
			s := fixture.Load(t, m, fixture.Anna)
			require.Len(t, s.Memories, 2)
			assert.Equal(t, session.Progress{Kept: 3, Extracted: 3}, s.Progress)
		})
	}
}

// A process dies at each of its writes, before or after the store has it. Another one completes the
// work after the lease, and does nothing twice.
func TestCrashAtAnyWrite(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{false, true} {
		for at, crashed := int64(1), true; crashed; at++ {
			store, clock := clocked()
			l := newLongTerm(all)
			writer := promoting(t, store, l, clock.Now)
			fixture.Send(t, writer, fixture.Tens("a", "b", "c", "d")...)
			fixture.ChangeHead(t, writer, func(s *session.Session) {
				require.NoError(t, s.Entities.Add(fixture.Order("W7")))
				s.Memories = []driver.Record{fact("x", "likes tea")}
			})
			dying := &lossy{Store: store, dies: true}
			dying.made.Store(answered)
			dying.lose.Store(at)
			_, err := promoting(t, dying, l, clock.Now).Promote(t.Context(), fixture.Anna)
			if crashed = err != nil; crashed {
				require.ErrorIs(t, err, session.ErrUnavailable)
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
