package promote_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// lossy is a store that now and then does not answer a write: it was made, or not. Others act
// before a write. If it dies, it answers nothing from then on.
type lossy struct {
	driver.Store
	others func() // may be nil
	dies   bool
	dead   atomic.Bool
	lose   atomic.Int64 // the write that is lost, counted down; 0: none
	made   atomic.Bool
}

func (l *lossy) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	if l.others != nil {
		l.others()
	}
	if l.dead.Load() {
		return driver.Position{}, session.ErrUnavailable
	}
	if l.lose.Load() > 0 && l.lose.Add(-1) == 0 {
		l.dead.Store(l.dies)
		if l.made.Load() {
			_, _ = l.Store.Write(ctx, key, w)
		}
		return driver.Position{}, session.ErrUnavailable
	}
	return l.Store.Write(ctx, key, w)
}

func (l *lossy) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	if l.dead.Load() {
		return nil, session.ErrUnavailable
	}
	return l.Store.Load(ctx, key, last)
}

// Whatever clients write, and promotions, failures and crashes in whatever order on two
// managers: in the end every memory was promoted and says so, every message was kept,
// and memories were extracted from each message exactly once as committed.
func TestPromotionsAgainstAModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		store, clock := clocked()
		l := newLongTerm(all)
		l.numbered = true
		others := func() {}
		stores := []*lossy{{Store: store, others: func() { others() }}, {Store: store, others: func() { others() }}}
		summaries := summary.Options{Mode: summary.Mode(rapid.SampledFrom([]int{0, 2}).Draw(rt, "summaries")), Summarizer: &fixture.Model{}, RetryAfter: 1}
		var managers []*session.Manager
		for _, s := range stores {
			managers = append(managers, promoting(t, s, l, clock.Now, func(o *session.Options) {
				o.Summaries = summaries
				o.Promotions.Batch = rapid.IntRange(1, 4).Draw(rt, "batch")
			}))
		}
		var messages, memories []string
		facts, perhaps := 0, map[string]bool{} // those of writes that were not answered
		manager := func() *session.Manager { return managers[rapid.IntRange(0, 1).Draw(rt, "manager")] }
		write := func() {
			m := manager()
			switch rapid.IntRange(0, 3).Draw(rt, "write") {
			case 0, 1:
				n := rapid.IntRange(1, 6).Draw(rt, "messages")
				var batch []session.Message
				for range n {
					id := fmt.Sprint("m", len(messages))
					messages = append(messages, id)
					batch = append(batch, fixture.Long(id, 10))
				}
				_, err := m.Append(t.Context(), fixture.Anna, batch, nil)
				require.NoError(rt, err)
			case 2:
				facts++
				id := fmt.Sprint("f", facts)
				_, err := m.UpdateHead(t.Context(), fixture.Anna, func(s *session.Session) error {
					s.Memories = append(s.Memories, fact(id, "x"))
					return nil
				}, nil)
				if err == nil {
					memories = append(memories, id)
				} else {
					perhaps[id] = true
				}
			case 3: // a client puts back what it read, and knows nothing of long-term memory
				_, _ = m.Update(t.Context(), fixture.Anna, func(s *session.Session) error {
					for i := range s.Messages {
						s.Messages[i].PersistedAt, s.Messages[i].Extracted = time.Time{}, false
					}
					for i := range s.Memories {
						if s.Memories[i].ExtractionStrategy == "" && rapid.Bool().Draw(rt, "changed") {
							s.Memories[i].Text += "x"
							s.Memories[i].PersistedAt = time.Time{}
						}
					}
					return nil
				}, nil)
			}
		}
		depth := 0
		lose := func() {
			s := stores[rapid.IntRange(0, 1).Draw(rt, "store")]
			s.made.Store(rapid.Bool().Draw(rt, "made"))
			s.lose.Store(rapid.Int64Range(1, 4).Draw(rt, "at"))
		}
		step := func() {
			depth++
			defer func() { depth-- }()
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0, 1:
				write()
			case 2, 3:
				if depth < 3 {
					_, _ = manager().Promote(t.Context(), fixture.Anna)
				}
			case 4:
				lose()
			case 5:
				clock.Sleep(time.Duration(rapid.IntRange(1, 90).Draw(rt, "seconds")) * time.Second)
			}
		}
		l.before = func(_ context.Context, call string) error {
			if call == "messages" || depth == 0 {
				return nil
			}
			switch rapid.IntRange(0, 4).Draw(rt, call) {
			case 0:
				const patience = 7 // what fails more often is passed over
				if s, err := managers[0].Load(t.Context(), fixture.Anna, &session.LoadOptions{Last: -1}); err == nil && s.Progress.Failures < patience {
					return errModel
				}
			case 1:
				step() // meanwhile
			}
			return nil
		}
		others = func() {
			if depth > 0 && depth < 3 && rapid.IntRange(0, 7).Draw(rt, "before a write") == 0 {
				step()
			}
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			step()
		}
		for _, s := range stores {
			s.lose.Store(0)
		}
		l.before, others = nil, func() {}
		for range 3 {
			clock.Sleep(time.Hour)
			keys, err := managers[0].Due(t.Context(), 10)
			require.NoError(rt, err)
			if len(keys) > 0 {
				_, err = managers[0].Promote(t.Context(), fixture.Anna)
				require.NoError(rt, err)
			}
		}
		keys, err := managers[0].Due(t.Context(), 10)
		require.NoError(rt, err)
		require.Empty(rt, keys)
		if len(messages)+len(memories) == 0 {
			return // nothing was written, or nobody knows whether
		}
		for _, id := range messages {
			memories = append(memories, "of "+id)
		}
		kept := l.keptMessages()
		slices.Sort(kept)
		slices.Sort(messages)
		require.Equal(rt, messages, kept)
		s, err := managers[0].Load(t.Context(), fixture.Anna, nil)
		require.NoError(rt, err)
		var held, all []string
		for _, memory := range s.Memories {
			require.NotZero(rt, memory.PersistedAt, memory.ID)
			require.Equal(rt, memory.Text, l.memories[fixture.Anna][memory.ID].Text, "what was committed is what was kept")
			id, _, _ := strings.Cut(memory.ID, " by ")
			held, all = append(held, id), append(all, memory.ID)
			if perhaps[memory.ID] {
				memories = append(memories, memory.ID)
			}
		}
		slices.Sort(held)
		slices.Sort(memories)
		require.Equal(rt, memories, held)
		require.ElementsMatch(rt, all, l.has())
	})
}
