package longterm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/scripted"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// managed is a manager whose sessions are promoted by hand.
func managed(t *testing.T, p *longterm.Promoter) (*session.Manager, *conformance.Clock) {
	t.Helper()
	c := conformance.NewClock(monday)
	store := memstore.New(&memstore.Options{Now: c.Now})
	m, err := session.NewManager(store, &session.Options{
		LongTerm: p, Now: c.Now, Promotions: promotion.Options{Off: true, Batch: 20}, Summaries: summary.Options{Mode: summary.Off},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m, c
}

// settle promotes a session until nothing is to be done, and returns how often that failed.
func settle(t *testing.T, m *session.Manager, c *conformance.Clock, key session.Key) (failures int) {
	t.Helper()
	for range 100 {
		outcome, err := m.Promote(t.Context(), key)
		if err == nil && outcome.Again.IsZero() {
			return failures
		}
		failures++
		c.Sleep(time.Hour)
	}
	require.FailNow(t, "the session is not settled")
	return failures
}

func say(t *testing.T, m *session.Manager, key session.Key, from, n int) {
	t.Helper()
	for i := range n {
		_, err := m.Append(t.Context(), key, []session.Message{{ID: fmt.Sprint("m", from+i), Role: "user", Content: fmt.Sprint("I know thing ", from+i)}}, nil)
		require.NoError(t, err, "writes go on")
	}
}

func TestNothingIsLostOrDoubledWhateverFails(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		model, embed  int // how often they fail
		before, after int // how often writes of the index fail
	}{
		{"nothing", 0, 0, 0, 0},
		{"the model", 5, 0, 0, 0},
		{"the embedder", 0, 5, 0, 0},
		{"the index before", 0, 0, 5, 0},
		{"the index after", 0, 0, 0, 5},
		{"all of them", 3, 3, 3, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			model := &scripted.Model{Answer: func(call int, asked string) (string, error) {
				switch {
				case call > tc.model:
					return scripted.EchoMessages(call, asked)
				case call%2 == 0:
					return "I'm sorry, but I can't help with that.", nil
				default:
					return "", errors.New("no connection")
				}
			}}
			index := &brokenIndex{Index: memindex.New(nil), before: tc.before, after: tc.after}
			memories, err := longterm.New(index, &longterm.Options{Embedder: &brokenEmbedder{failures: tc.embed}, MergeDistance: -1})
			require.NoError(t, err)
			p, err := longterm.NewPromoter(memories, &longterm.PromoterOptions{Model: model, Strategy: by("discrete"), Messages: true, Entities: true})
			require.NoError(t, err)
			m, c := managed(t, p)
			say(t, m, annas, 0, 30)
			_, err = m.Update(t.Context(), annas, func(s *session.Session) error {
				s.Memories = append(s.Memories, session.Record{ID: "given", Text: "Anna was here first."})
				return s.Entities.Add(memory.Entity{Type: "order", ID: "W1", Name: "Shoes"})
			}, nil)
			require.NoError(t, err)
			_, _ = m.Promote(t.Context(), annas)
			say(t, m, annas, 30, 25)
			failed := settle(t, m, c, annas)
			assert.Equal(t, tc.model+tc.embed+tc.before+tc.after > 0, failed > 0)

			texts := make(map[string]int)
			for _, r := range all(t, memories, annas) {
				texts[r.Text]++
			}
			want := map[string]int{"Anna was here first.": 1, `order "Shoes" (W1)`: 1}
			for i := range 55 {
				want[fmt.Sprint("heard I know thing ", i)] = 1
			}
			assert.Equal(t, want, texts)
			kept, err := p.Messages(t.Context(), annas)
			require.NoError(t, err)
			require.Len(t, kept, 55)
			for i := range kept {
				assert.Equal(t, fmt.Sprint("m", i), kept[i].ID)
			}
			s, err := m.Load(t.Context(), annas, nil)
			require.NoError(t, err)
			for _, memory := range s.Memories {
				assert.NotZero(t, memory.PersistedAt, memory.ID)
			}
		})
	}
}

func TestAChangedEntityReplacesWhatWasKnownOfIt(t *testing.T) {
	t.Parallel()
	p, memories := newPromoter(t, &longterm.PromoterOptions{Strategy: by("entities")})
	m, c := managed(t, p)
	for _, description := range []string{"pending", "shipped", "delivered"} {
		_, err := m.Update(t.Context(), annas, func(s *session.Session) error {
			return s.Entities.Add(memory.Entity{Type: "order", ID: "W1", Name: "Shoes", Description: description})
		}, nil)
		require.NoError(t, err)
		settle(t, m, c, annas)
		records := all(t, memories, annas)
		require.Len(t, records, 1)
		assert.Equal(t, `order "Shoes" (W1): `+description, records[0].Text)
		c.Sleep(time.Minute)
	}
}

func TestASessionWhoseStrategyCannotBeUsedKeepsNobodyBusyAndLosesNothing(t *testing.T) {
	t.Parallel()
	p, memories := newPromoter(t, &longterm.PromoterOptions{Model: &scripted.Model{Answer: scripted.EchoMessages}})
	m, c := managed(t, p)
	say(t, m, annas, 0, 3)
	set := func(name string) {
		_, err := m.Update(t.Context(), annas, func(s *session.Session) error {
			s.Strategy = by(name)
			return nil
		}, nil)
		require.NoError(t, err)
	}
	set("telepathy")
	settle(t, m, c, annas)
	due, err := m.Due(t.Context(), 10)
	require.NoError(t, err)
	assert.Empty(t, due)
	assert.Empty(t, all(t, memories, annas))

	set("discrete")
	settle(t, m, c, annas)
	assert.Len(t, all(t, memories, annas), 3)
}

func TestAnExpiredSessionIsRebuiltOfItsMessages(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	m, c := managed(t, p)
	var said []session.Message
	for i := range 45 {
		said = append(said, session.Message{
			ID: fmt.Sprint("m", i), Role: "user", Content: "again", Name: "Anna", Reasoning: "because\x00", CreatedAt: monday.Add(time.Duration(i)),
			ToolCalls: []session.ToolCall{{ID: "c", Name: "f", Arguments: `{"a": 1}`}},
		})
	}
	_, err := m.Append(t.Context(), annas, said, &session.WriteOptions{TTL: time.Hour})
	require.NoError(t, err)
	settle(t, m, c, annas)
	live, err := m.Load(t.Context(), annas, nil)
	require.NoError(t, err)
	c.Sleep(2 * time.Hour)
	rebuilt, err := m.Load(t.Context(), annas, nil)
	require.NoError(t, err)
	require.Len(t, rebuilt.Messages, len(said))
	for i, got := range rebuilt.Messages {
		want := live.Messages[i]
		got.PersistedAt, want.PersistedAt = time.Time{}, time.Time{} // to the millisecond
		assert.Equal(t, want, got)
	}
	require.NoError(t, m.Delete(t.Context(), annas))
	_, err = m.Load(t.Context(), annas, nil)
	require.ErrorIs(t, err, session.ErrNotFound)
}
