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

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// once lets something happen in the first call of a name.
func (l *longTerm) once(call string, happens func()) {
	var done atomic.Bool
	l.fail(func(_ context.Context, name string) error {
		if name == call && done.CompareAndSwap(false, true) {
			happens()
		}
		return nil
	})
}

func TestOnlyOnePromotes(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	m, other := promoting(t, store, l, clock.Now), promoting(t, store, l, clock.Now)
	send(t, m, tens("a")...)
	l.once("extract", func() {
		clock.Sleep(session.DefaultLease - time.Second)
		_, err := other.Promote(t.Context(), anna)
		assert.ErrorIs(t, err, session.ErrBusy)
		assert.Empty(t, due(t, other), "it is leased")
	})
	assert.Equal(t, session.PromotionOutcome{Extracted: 1, Memories: 1, Messages: 1}, promoteNow(t, m))
	assert.Zero(t, promoteNow(t, other))
}

func TestALeaseOfPromotionThatRanOutIsTakenOver(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			store, clock := clocked()
			l := newLongTerm(all)
			m, other := promoting(t, store, l, clock.Now), promoting(t, store, l, clock.Now)
			send(t, m, tens("a", "b")...)
			var taken session.PromotionOutcome
			l.once(call, func() {
				clock.Sleep(session.DefaultLease + 2*time.Second)
				assert.Len(t, due(t, other), 1)
				taken = promoteNow(t, other)
			})
			outcome, err := m.Promote(t.Context(), anna)
			require.ErrorIs(t, err, session.ErrBusy, "who was too slow")
			assert.Equal(t, 2, outcome.Extracted+taken.Extracted, "what was extracted is committed once")
			assert.Equal(t, 2, taken.Memories)
			assert.Zero(t, outcome.Memories+outcome.Messages)
			s := load(t, m, anna)
			require.Len(t, s.Memories, 2)
			assert.Equal(t, session.Progress{Kept: 3, Extracted: 3}, s.Progress)
		})
	}
}

// crashing fails its nth write, and all after it: nothing reaches the store any more.
// answered: the write that it fails with is made all the same, but nobody hears of it.
type crashing struct {
	session.Store
	left     atomic.Int64
	answered bool
}

var errCrash = errors.New("crashed")

func (c *crashing) step() error {
	if c.left.Add(-1) < 0 {
		return errCrash
	}
	return nil
}

func (c *crashing) Load(ctx context.Context, key session.Key, last int) (*session.Record, error) {
	if c.left.Load() < 0 {
		return nil, errCrash
	}
	return c.Store.Load(ctx, key, last)
}

func (c *crashing) Write(ctx context.Context, key session.Key, w session.Write) (session.Position, error) {
	if err := c.step(); err != nil {
		if c.answered && c.left.Load() == -1 {
			_, _ = c.Store.Write(ctx, key, w)
		}
		return session.Position{}, err
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
			send(t, writer, tens("a", "b", "c", "d")...)
			head(t, writer, func(s *session.Session) {
				require.NoError(t, s.Entities.Add(order("W7")))
				s.Memories = []session.Memory{fact("x", "likes tea")}
			})
			dying := &crashing{Store: store, answered: answered}
			dying.left.Store(at)
			_, err := promoting(t, dying, l, clock.Now).Promote(t.Context(), anna)
			if crashed = err != nil; crashed {
				require.ErrorIs(t, err, errCrash)
			}
			require.Less(t, at, int64(20))

			survivor := promoting(t, store, l, clock.Now)
			clock.Sleep(session.DefaultLease + 2*time.Second)
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
	s, err := m.Load(context.Background(), anna, nil)
	require.NoError(t, err)
	assert.Equal(t, messages, l.keptMessages())
	assert.Equal(t, memories, l.has())
	var held []string
	for _, memory := range s.Memories {
		held = append(held, memory.ID)
		assert.NotZero(t, memory.PersistedAt)
		assert.Equal(t, memory.Text, l.memories[anna][memory.ID].Text, "what the session has is what was kept")
	}
	assert.ElementsMatch(t, memories, held)
	assert.Equal(t, uint64(len(messages)+1), s.Progress.Kept)
	assert.Equal(t, uint64(len(messages)+1), s.Progress.Extracted)
}

func TestWhatComesDuringAPromotionIsPromotedToo(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		store, clock := clocked()
		l := newLongTerm(all)
		m := promoting(t, store, l, clock.Now)
		send(t, m, tens("a")...)
		l.once(call, func() {
			clock.Sleep(time.Second)
			send(t, m, tens("b")...)
			remember(t, m, fact("x", "likes tea"))
			send(t, m, tens("c")...)
		})
		assert.Equal(t, session.PromotionOutcome{Extracted: 3, Memories: 4, Messages: 3}, promoteNow(t, m), call)
		promotedOnce(t, m, l, []string{"a", "b", "c"}, []string{"of a", "of b", "of c", "x"})
		assert.Equal(t, clock.Now().UTC().Truncate(time.Millisecond), load(t, m, anna).LastAccessed)
	}
}

// An append between the reading and the writing of a head is an access all the same.
func TestAnAppendDuringAWriteOfAPromotionIsAnAccess(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	writer := promoting(t, store, l, clock.Now)
	send(t, writer, tens("a")...)
	between := &meanwhile{Store: store}
	var done atomic.Bool
	between.happens = func() {
		if done.CompareAndSwap(false, true) {
			clock.Sleep(time.Hour)
			send(t, writer, tens("b")...)
		}
	}
	assert.Equal(t, 2, promoteNow(t, promoting(t, between, l, clock.Now)).Messages)
	assert.Equal(t, clock.Now().UTC().Truncate(time.Millisecond), load(t, writer, anna).UpdatedAt())
}

// Clients change the head between each reading and writing of it.
func TestPromotionsThatAlwaysMeetAConflict(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	writer := promoting(t, store, l, clock.Now)
	send(t, writer, tens("a", "b", "c", "d")...)
	between := &meanwhile{Store: store}
	changes := 0
	between.happens = func() {
		if changes++; changes%2 == 1 {
			head(t, writer, func(s *session.Session) { s.Data = map[string]any{"change": fmt.Sprint(changes)} })
		}
	}
	outcome := promoteNow(t, promoting(t, between, l, clock.Now))
	assert.Equal(t, session.PromotionOutcome{Extracted: 4, Memories: 4, Messages: 4}, outcome)
	promotedOnce(t, writer, l, []string{"a", "b", "c", "d"}, []string{"of a", "of b", "of c", "of d"})
}

// meanwhile lets something happen before each write.
type meanwhile struct {
	session.Store
	happens func()
}

func (m *meanwhile) Write(ctx context.Context, key session.Key, w session.Write) (session.Position, error) {
	m.happens()
	return m.Store.Write(ctx, key, w)
}

func TestPromotionsLeaveTheExpiryAsItIs(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	m := promoting(t, store, newLongTerm(session.Wants{Extract: true}), clock.Now, func(o *session.Options) { o.TTL = time.Hour })
	send(t, m, tens("a")...)
	expires := load(t, m, anna).ExpiresAt()
	clock.Sleep(time.Minute)
	promoteNow(t, m)
	assert.Equal(t, expires, load(t, m, anna).ExpiresAt())
	clock.Sleep(time.Hour)
	_, err := m.Promote(t.Context(), anna)
	require.ErrorIs(t, err, session.ErrNotFound)
}

// A client reads a session, and writes all of it back after it was promoted, with or
// without what it was told about the messages: they are not promoted again.
func TestWritingBackWhatWasReadPromotesNothingAgain(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]bool{"as it was read": false, "without the fields": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, clock := clocked()
			l := newLongTerm(all)
			m := promoting(t, store, l, clock.Now)
			send(t, m, tens("a", "b", "c")...)
			promoteNow(t, m)
			read := load(t, m, anna)
			clock.Sleep(time.Minute)
			send(t, m, tens("d")...)
			promoteNow(t, m) // the marks are of another time now
			replace := func(messages []session.Message) {
				if forget {
					for i := range messages {
						messages[i].PersistedAt, messages[i].Extracted, messages[i].Seq = time.Time{}, false, 0
					}
				}
				_, err := m.Update(t.Context(), anna, func(s *session.Session) error {
					s.Messages = append(messages, s.Messages[len(s.Messages)-1])
					s.Data = map[string]any{"step": "2"}
					return nil
				}, nil)
				require.NoError(t, err)
			}
			replace(read.Messages)
			assert.Empty(t, due(t, m))
			assert.EqualValues(t, 4, load(t, m, anna).Messages[3].Seq, "no message was rewritten")
			// One that was changed is promoted again, and those behind it are kept again,
			// but not extracted from.
			extracted, _ := l.asked()
			read = load(t, m, anna)
			read.Messages[1].Content, read.Messages[1].Extracted = "changed", false
			replace(read.Messages[:3])
			promoteNow(t, m)
			require.Len(t, l.extractions, extracted+1)
			assert.Equal(t, []string{"b"}, ids(l.extractions[extracted].Messages))
			assert.Equal(t, "changed", l.messages[anna][1].Content)
		})
	}
}

func TestADeletedSessionIsNotPromoted(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"extract", "promote"} {
		store, clock := clocked()
		l := newLongTerm(all)
		m, other := promoting(t, store, l, clock.Now), promoting(t, store, l, clock.Now)
		send(t, m, tens("a")...)
		l.once(call, func() { require.NoError(t, other.Delete(t.Context(), anna)) })
		_, err := m.Promote(t.Context(), anna)
		require.ErrorIs(t, err, session.ErrNotFound)
		assert.Empty(t, l.keptMessages(), "what was kept while it was deleted does not stay")
		_, err = m.Load(t.Context(), anna, nil)
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
			send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")...)
			var done atomic.Bool
			l.fail(func(_ context.Context, name string) error {
				if name != call || done.Swap(true) {
					return nil
				}
				require.NoError(t, other.Delete(t.Context(), anna))
				clock.Sleep(time.Second)
				send(t, other, tens("x")...)
				promoteNow(t, other)
				return failing
			})
			_, err := m.Promote(t.Context(), anna)
			require.Error(t, err)
			assert.Zero(t, load(t, m, anna).Progress.Failures, "of the one before")
			promoteNow(t, other)
			assert.Equal(t, []string{"x"}, l.keptMessages(), call)
			assert.Equal(t, []string{"x"}, ids(load(t, m, anna).Messages))
		}
	}
}

// What tells two sessions of one name apart is when they were made. Clients may set that.
func TestTakingBackSparesTheSessionThatIsThere(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(t *testing.T, m *session.Manager, clock *clock){
		"made again, at the same time": func(t *testing.T, m *session.Manager, _ *clock) {
			require.NoError(t, m.Delete(t.Context(), anna))
			send(t, m, tens("a")...)
			promoteNow(t, m)
		},
		"the same, with another time": func(t *testing.T, m *session.Manager, clock *clock) {
			clock.Sleep(session.DefaultLease + 2*time.Second)
			promoteNow(t, m)
			head(t, m, func(s *session.Session) { s.CreatedAt = s.CreatedAt.Add(-time.Hour) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, clock := clocked()
			l := newLongTerm(all)
			m, other := promoting(t, store, l, clock.Now), promoting(t, store, l, clock.Now)
			send(t, m, tens("a")...)
			l.once("promote", func() { happens(t, other, clock) })
			_, err := m.Promote(t.Context(), anna)
			require.ErrorIs(t, err, session.ErrBusy)
			assert.Equal(t, []string{"a"}, l.keptMessages())
		})
	}
}

// Messages are appended before any of the writes of a promotion, which succeeds or fails:
// they are promoted, or the session is due, and they were an access.
func TestAnAppendBeforeAnyWriteOfAPromotion(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"none", "extract", "promote"} {
		for at, came := 0, true; came; at++ {
			store, clock := clocked()
			l := newLongTerm(all)
			writer := promoting(t, store, l, clock.Now)
			send(t, writer, tens("a")...)
			l.fail(failingAt(call, errModel))
			between, writes := &meanwhile{Store: store}, 0
			var appended time.Time
			between.happens = func() {
				if writes == at {
					clock.Sleep(time.Second)
					appended = clock.Now().UTC().Truncate(time.Millisecond)
					send(t, writer, tens("b")...)
				}
				writes++
			}
			_, _ = promoting(t, between, l, clock.Now).Promote(t.Context(), anna)
			if came = !appended.IsZero(); !came {
				break
			}
			require.Less(t, at, 20)
			s := load(t, writer, anna)
			assert.Equal(t, appended, s.UpdatedAt(), "%s, write %d", call, at)
			if s.Progress.Due.IsZero() {
				assert.Equal(t, []string{"a", "b"}, l.keptMessages(), "%s, write %d", call, at)
				assert.Equal(t, []string{"of a", "of b"}, l.has(), "%s, write %d", call, at)
			}
		}
	}
}

// The clock of the store is before that of the manager: what expired was not deleted.
func TestASessionThatExpiresDuringItsPromotionIsRebuilt(t *testing.T) {
	t.Parallel()
	store, clock := clocked()
	l := newLongTerm(all)
	slow := func() time.Time { return clock.Now().Add(-10 * time.Second) }
	m := promoting(t, store, l, slow)
	_, err := m.Append(t.Context(), anna, tens("a"), &session.WriteOptions{TTL: time.Hour})
	require.NoError(t, err)
	l.once("promote", func() { clock.Sleep(time.Hour + time.Second) })
	_, err = m.Promote(t.Context(), anna)
	require.ErrorIs(t, err, session.ErrNotFound)
	assert.Equal(t, []string{"a"}, ids(load(t, m, anna).Messages))
}

// Several managers promote, summarise, append and change one session at once. All that
// was ever appended is kept and was extracted from, as committed, once.
func TestManyWritersWithPromotions(t *testing.T) {
	t.Parallel()
	const writers, appends = 4, 30
	store, l := session.NewMemoryStore(nil), newLongTerm(all)
	var mu sync.Mutex
	extracted := 0
	var managers []*session.Manager
	for range 2 {
		managers = append(managers, promoting(t, store, l, time.Now, working, func(o *session.Options) {
			o.Summaries = session.Summaries{Summarizer: &model{}}
			o.Promotions.RetryAfter, o.Promotions.Poll = 5*time.Millisecond, 5*time.Millisecond
			o.Promotions.OnPromoted = func(_ session.Key, o session.PromotionOutcome) {
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
				send(t, m, long(id, 10))
				if i%10 == 0 {
					remember(t, m, fact("fact "+id, "likes tea"))
				}
			}
		})
	}
	wg.Wait()
	assert.Eventually(t, func() bool {
		s, err := managers[0].Load(context.Background(), anna, nil)
		return err == nil && s.Progress.Due.IsZero()
	}, 20*time.Second, 10*time.Millisecond)
	for _, m := range managers {
		require.NoError(t, m.Close(t.Context()))
	}
	assert.Len(t, l.keptMessages(), writers*appends)
	assert.Len(t, l.has(), writers*appends+writers*appends/10)
	assert.Equal(t, writers*appends, extracted)
}
