package workspace_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
)

// filled returns a workspace with an item in each part.
func filled(t *testing.T, opts *workspace.Options) *workspace.Workspace {
	t.Helper()
	w := workspace.New(opts)
	require.NoError(t, w.Route(t.Context(),
		queue.ContextItem{Content: "hello"},
		queue.ContextItem{Content: "the report", Description: "what was done", ID: "r1"}))
	require.NoError(t, w.Context().Add(memory.Entity{Type: "page", ID: "4", Name: "Home"}))
	_, err := w.Items().Memorize(t.Context(), items.ItemInput{ID: "goal", Text: "Ship it.", Type: items.TypeGoal})
	require.NoError(t, err)
	return w
}

func stateOf(t *testing.T, w *workspace.Workspace) []byte {
	t.Helper()
	state, err := json.Marshal(w)
	require.NoError(t, err)
	return state
}

func assertSameState(t *testing.T, a, b *workspace.Workspace) {
	t.Helper()
	assert.JSONEq(t, string(stateOf(t, a)), string(stateOf(t, b)))
}

func TestNew(t *testing.T) {
	t.Parallel()
	w := workspace.New(nil)
	assert.Equal(t, []int{10, 0, memory.DefaultCapacity, 64},
		[]int{w.Queue().Limit(), w.Pool().Limit(), w.Context().Capacity(), w.Items().Capacity(t.Context()).MaxItems})

	q, err := queue.New[queue.ContextItem](3, nil)
	require.NoError(t, err)
	pool, wc := new(queue.Pool), new(memory.WorkingContext)
	store, err := items.New(nil)
	require.NoError(t, err)
	w = workspace.New(&workspace.Options{Queue: q, Pool: pool, Context: wc, Items: store})
	assert.True(t, q == w.Queue() && pool == w.Pool() && wc == w.Context() && store == w.Items())
}

func TestRoute(t *testing.T) {
	t.Parallel()
	rejected := errors.New("rejected")
	reject := queue.NewHook("reject", func(_ context.Context, e queue.HookEvent[queue.ContextItem]) error {
		if len(e.Subject) == 1 {
			return rejected
		}
		return nil
	})
	q, err := queue.New(3, &queue.Options[queue.ContextItem]{Hooks: queue.Hooks[queue.ContextItem]{BeforeAppend: []*queue.Hook[queue.ContextItem]{reject}}})
	require.NoError(t, err)
	w := workspace.New(&workspace.Options{Queue: q})
	require.NoError(t, w.Route(t.Context()))
	err = w.Route(t.Context(),
		queue.ContextItem{Content: "a"},
		queue.ContextItem{Content: "b", ID: "1", Description: "the b"},
		queue.ContextItem{Content: "c", ID: "2"},
		queue.ContextItem{Content: "d"},
		queue.ContextItem{Content: "e", ID: "3", Description: "the e"})
	require.ErrorIs(t, err, queue.ErrNoDescription)
	require.EqualError(t, err, "workspace: adding item 2 to the pool: queue: no description")
	assert.Equal(t, []queue.ContextItem{{Content: "a"}, {Content: "d"}}, w.Queue().Items())
	assert.Equal(t, "- [1] the b\n- [3] the e", w.Pool().Catalogue())

	err = w.Route(t.Context(), queue.ContextItem{Content: "f"}, queue.ContextItem{ID: "4", Description: "the g"})
	require.ErrorIs(t, err, rejected)
	require.ErrorContains(t, err, "workspace: appending 1 items to the queue: ")
	assert.Equal(t, []int{2, 3}, []int{w.Queue().Len(), w.Pool().Len()})
}

func TestBranch(t *testing.T) {
	t.Parallel()
	agent := filled(t, nil)
	turn, err := agent.Branch(nil)
	require.NoError(t, err)
	assertSameState(t, agent, turn)
	tool, err := turn.Branch(&workspace.BranchOptions{
		Queue: &queue.BranchOptions[queue.ContextItem]{Limit: new(1)},
		Pool:  &queue.PoolBranchOptions{Limit: new(1)},
	})
	require.NoError(t, err)
	for name, w := range map[string]*workspace.Workspace{"agent": agent, "turn": turn, "tool": tool} {
		require.NoError(t, w.Route(t.Context(), queue.ContextItem{Content: name}, queue.ContextItem{ID: name, Description: "x"}))
		require.NoError(t, w.Context().Add(memory.Entity{Type: "order", ID: name}))
		_, err := w.Items().Memorize(t.Context(), items.ItemInput{Text: name})
		require.NoError(t, err)
		queued, catalogue := []queue.ContextItem{{Content: "hello"}, {Content: name}}, "- [r1] what was done\n- ["+name+"] x"
		if name == "tool" {
			queued, catalogue = queued[1:], "- [tool] x"
		}
		assert.Equal(t, queued, w.Queue().Items())
		assert.Equal(t, catalogue, w.Pool().Catalogue())
		assert.Equal(t, []int{2, 2}, []int{w.Context().Len(), w.Items().Len()})
	}
	_, err = agent.Branch(&workspace.BranchOptions{Queue: &queue.BranchOptions[queue.ContextItem]{Limit: new(0)}})
	require.ErrorIs(t, err, queue.ErrLimit)
	_, err = agent.Branch(&workspace.BranchOptions{Pool: &queue.PoolBranchOptions{Limit: new(-1)}})
	require.ErrorIs(t, err, queue.ErrLimit)
}

func TestState(t *testing.T) {
	t.Parallel()
	w := filled(t, nil)
	var restored workspace.Workspace
	require.NoError(t, json.Unmarshal(stateOf(t, w), &restored))
	assertSameState(t, w, &restored)

	q := w.Queue()
	require.NoError(t, json.Unmarshal([]byte(`{"queue": {"limit": 2, "items": [{"content": "new"}]}, "unknown": 1}`), w))
	assert.Equal(t, []queue.ContextItem{{Content: "new"}}, q.Items(), "parts are restored in place")
	assert.Equal(t, 1, w.Pool().Len(), "a missing part is unchanged")
	before := stateOf(t, w)
	for state, ok := range map[string]bool{
		`null`: true,
		`[]`:   false, `{"queue": []}`: false, "\xff": false, `{"queue": {"limit": 0}}`: false,
		`{"queue": {"limit": 5, "items": []}, "pool": {"items": [{"id": "1"}]}}`:                   false,
		`{"queue": {"limit": 5}, "pool": {"items": []}, "context": {"entities": [{"name": "x"}]}}`: false,
		`{"queue": {"limit": 5}, "items": {"items": [{"id": "1"}]}}`:                               false,
		`{"queue": {"limit": 5, "hooks": {"before_append": ["unknown"]}}}`:                         false,
	} {
		require.Equal(t, ok, w.UnmarshalJSON([]byte(state)) == nil, state)
		assert.JSONEq(t, string(before), string(stateOf(t, w)), "%s changes nothing", state)
	}
	require.ErrorContains(t, w.UnmarshalJSON([]byte(`{"pool": []}`)), "workspace: reading state of pool: memory: invalid state: ")

	// Restoring an item store is audited once.
	audited := 0
	store, err := items.New(&items.Options{MaxItems: 1, Audit: func(items.AuditRecord) { audited++ }})
	require.NoError(t, err)
	w = workspace.New(&workspace.Options{Items: store})
	require.NoError(t, w.UnmarshalJSON([]byte(`{"items": {"items": [{"id": "a", "text": "a"}, {"id": "b", "text": "b"}]}}`)))
	require.Equal(t, 2, audited, "the eviction and the operation")
}

func FuzzState(f *testing.F) {
	f.Add([]byte(`{"queue": {"limit": 2, "items": [{"content": "a"}]}, "pool": {"items": [{"id": "1", "description": "d", "content": ""}]},
		"context": {"entities": [{"type": "page", "id": "4"}]}, "items": {"step": 3, "items": [{"id": "g", "text": "x"}]}}`))
	f.Add([]byte(`{"queue": null, "pool": 1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := workspace.New(nil)
		if json.Unmarshal(data, w) != nil {
			return
		}
		var again workspace.Workspace
		require.NoError(t, json.Unmarshal(stateOf(t, w), &again))
		assertSameState(t, w, &again)
	})
}
