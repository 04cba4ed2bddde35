package middleware_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// counting counts the blocks that are rendered.
type counting struct{ blocks, operations atomic.Int64 }

func (c *counting) Begin(ctx context.Context, _ middleware.Operation) (context.Context, func(middleware.Outcome)) {
	return ctx, func(middleware.Outcome) { c.operations.Add(1) }
}

func (c *counting) BlockRendered(middleware.BlockStats) { c.blocks.Add(1) }

func TestPrepare(t *testing.T) {
	t.Parallel()
	var recalled []string
	observed := new(counting)
	r, err := middleware.NewRecorder(&middleware.Options{
		Observer: observed, Block: prompt.Options{Budget: 256},
		Recall: func(_ context.Context, said string) ([]items.Item, error) {
			recalled = append(recalled, said)
			return []items.Item{{Text: "The user likes short titles."}}, nil
		},
	})
	require.NoError(t, err)
	require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-1001","title":"Home"}}`}))
	user := prompt.Message{Role: "user", Content: "Rename the home page."}
	first := r.Prepare(t.Context(), user)
	assert.Contains(t, first, "page-1001")
	assert.Contains(t, first, "short titles")
	for range 5 {
		assert.Equal(t, first, r.Prepare(t.Context(), prompt.Message{Role: "assistant"}, user, prompt.Message{Role: "tool", Content: "x"}))
		user.Content = prompt.InSystem("Rename the home page.", first) // the block in it is not what the user said
	}
	assert.EqualValues(t, 1, observed.blocks.Load(), "the same words again change nothing")
	assert.Equal(t, []string{"Rename the home page."}, recalled)
	r.Prepare(t.Context(), prompt.Message{Role: "user", Content: "And the news."})
	assert.Len(t, recalled, 2)
	assert.EqualValues(t, 2, observed.blocks.Load())
}

// What the user names is held in the session that Prepare loads.
func TestPrepareHoldsInAStoredSession(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	key := session.Key{UserID: "anna", SessionID: "s"}
	open := func() *middleware.Recorder {
		manager, err := session.NewManager(store, nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = manager.Close(context.Background()) })
		sessions, err := middleware.NewSessions(manager, nil)
		require.NoError(t, err)
		require.Same(t, sessions.Recorder(key), sessions.Recorder(key))
		return sessions.Recorder(key)
	}
	require.NoError(t, open().Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-1001","title":"Home"}}`}))
	r := open()
	held := func() bool {
		e, ok := r.Context().Get(memory.Ref{ID: "page-1001"})
		return ok && e.Held
	}
	said := prompt.Message{Role: "user", Content: "Rename page-1001."}
	r.Prepare(t.Context(), said)
	assert.True(t, held())
	require.NoError(t, open().Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-1002","title":"News"}}`}))
	r.Prepare(t.Context(), said)
	assert.True(t, held(), "in the session as it is read again")
}

// applied returns messages as Edits changes them.
func applied(messages []prompt.Message, edits []prompt.Edit) []prompt.Message {
	return prompt.Apply(messages, edits,
		func(text string) prompt.Message { return prompt.Message{Role: "system", Content: text} },
		func(m prompt.Message, block string) prompt.Message {
			m.Content = prompt.InSystem(m.Content, block)
			return m
		})
}

// A program that keeps its own messages sends, by Edits, what one sends that goes on with those
// that Place returned.
func TestEditsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, err := middleware.NewRecorder(&middleware.Options{Block: prompt.Options{Budget: rapid.SampledFrom([]int{0, 64, 512}).Draw(t, "budget")}})
		require.NoError(t, err)
		at := rapid.SampledFrom([]prompt.Placement{prompt.PlaceSystem, prompt.PlaceAfterPrefix, prompt.PlaceTail, prompt.PlaceAppend}).Draw(t, "placement")
		var own, placed []prompt.Message
		add := func(m prompt.Message) { own, placed = append(own, m), append(placed, m) }
		if rapid.Bool().Draw(t, "system prompt") {
			add(prompt.Message{Role: "system", Content: "You edit a website."})
		}
		for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"user", "call", "call", "delete"}).Draw(t, "step") {
			case "user":
				add(prompt.Message{Role: "user", Content: fmt.Sprintf("Go on %d.", i)})
			case "call":
				result := fmt.Sprintf(`{"page":{"id":"page-%d","title":"Page %d"}}`, 1000+i%5, rapid.IntRange(0, 2).Draw(t, "title"))
				add(prompt.Message{Role: "assistant", Content: ""})
				add(prompt.Message{Role: "tool", Content: result})
				require.NoError(t, r.Record(context.Background(), middleware.ToolCall{Name: "get_page", Result: result}))
			case "delete":
				r.Context().Remove(memory.Ref{Type: "page", ID: fmt.Sprintf("page-%d", 1000+i%3)})
			}
			before := slices.Clone(own)
			got := applied(own, r.Edits(own, at))
			require.Equal(t, before, own, "the messages of the program are its own")
			placed = r.Place(placed, at)
			require.Equal(t, placed, got)
			require.Equal(t, placed, applied(placed, r.Edits(placed, at)), "messages that have the blocks already")
		}
	})
}
