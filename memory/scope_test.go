package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

// filledScope is a scope of which each part holds something.
func filledScope(t *testing.T, opts *memory.ScopeOptions) *memory.Scope {
	t.Helper()
	s := memory.NewScope(opts)
	ctx := t.Context()
	require.NoError(t, s.Route(ctx,
		memory.ContextItem{Content: "hello"},
		memory.ContextItem{Content: "the report", Description: "what was done", ID: "r1"}))
	require.NoError(t, s.Context().Add(memory.Entity{Type: "page", ID: "4", Name: "Home"}))
	_, err := s.Items().Memorize(ctx, memory.ItemInput{ID: "goal", Text: "Ship it.", Type: memory.ItemGoal})
	require.NoError(t, err)
	return s
}

func TestScopeHasAQueueOfTenAndAnUnlimitedPool(t *testing.T) {
	t.Parallel()
	s := memory.NewScope(nil)
	assert.Equal(t, 10, s.Queue().Limit())
	assert.Zero(t, s.Pool().Limit())
	assert.Equal(t, memory.DefaultCapacity, s.Context().Capacity())
	assert.Equal(t, 64, s.Items().Capacity(t.Context()).MaxItems)
}

func TestScopeTakesGivenParts(t *testing.T) {
	t.Parallel()
	queue, err := memory.NewQueue[memory.ContextItem](3, nil)
	require.NoError(t, err)
	pool, wc := new(memory.Pool), new(memory.WorkingContext)
	items, err := memory.NewItemStore(nil)
	require.NoError(t, err)
	s := memory.NewScope(&memory.ScopeOptions{Queue: queue, Pool: pool, Context: wc, Items: items})
	assert.Same(t, queue, s.Queue())
	assert.Same(t, pool, s.Pool())
	assert.Same(t, wc, s.Context())
	assert.Same(t, items, s.Items())
}

func TestScopeRoutesItemsByTheirID(t *testing.T) {
	t.Parallel()
	s := memory.NewScope(nil)
	err := s.Route(t.Context(),
		memory.ContextItem{Content: "a"},
		memory.ContextItem{Content: "b", ID: "1", Description: "the b"},
		memory.ContextItem{Content: "c", ID: "2"},
		memory.ContextItem{Content: "d"},
		memory.ContextItem{Content: "e", ID: "3", Description: "the e"})
	require.ErrorIs(t, err, memory.ErrNoDescription)
	require.ErrorContains(t, err, "item 2")
	assert.NotContains(t, err.Error(), "c\"")
	assert.Equal(t, []memory.ContextItem{{Content: "a"}, {Content: "d"}}, s.Queue().Items())
	assert.Equal(t, "- [1] the b\n- [3] the e", s.Pool().Catalogue(), "one that is refused keeps no other from its place")
	require.NoError(t, s.Route(t.Context()))
}

func TestScopeRouteReportsHooks(t *testing.T) {
	t.Parallel()
	veto := errors.New("veto")
	queue, err := memory.NewQueue(3, &memory.QueueOptions[memory.ContextItem]{Hooks: memory.QueueHooks[memory.ContextItem]{
		BeforeAppend: []*memory.Hook[memory.ContextItem]{
			memory.NewHook("veto", func(context.Context, memory.HookEvent[memory.ContextItem]) error { return veto }),
		},
	}})
	require.NoError(t, err)
	s := memory.NewScope(&memory.ScopeOptions{Queue: queue})
	err = s.Route(t.Context(), memory.ContextItem{Content: "a"}, memory.ContextItem{Content: "b", ID: "1", Description: "the b"})
	require.ErrorIs(t, err, veto)
	assert.Zero(t, s.Queue().Len())
	assert.Equal(t, 1, s.Pool().Len())
}

func TestScopeBranchesAllPartsTogether(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	agent := filledScope(t, nil)
	turn, err := agent.Branch(nil)
	require.NoError(t, err)
	tool, err := turn.Branch(&memory.ScopeBranchOptions{
		Queue: &memory.QueueBranchOptions[memory.ContextItem]{Limit: new(1)},
		Pool:  &memory.PoolBranchOptions{Limit: new(1)},
	})
	require.NoError(t, err)
	assertSameState(t, agent, turn)

	for i, s := range []*memory.Scope{agent, turn, tool} {
		require.NoError(t, s.Route(ctx,
			memory.ContextItem{Content: []string{"agent", "turn", "tool"}[i]},
			memory.ContextItem{Content: "x", ID: []string{"agent", "turn", "tool"}[i], Description: "x"}))
		require.NoError(t, s.Context().Add(memory.Entity{Type: "order", ID: []string{"1", "2", "3"}[i]}))
		_, err := s.Items().Memorize(ctx, memory.ItemInput{Text: "step"})
		require.NoError(t, err)
	}
	assert.Equal(t, []memory.ContextItem{{Content: "hello"}, {Content: "agent"}}, agent.Queue().Items())
	assert.Equal(t, []memory.ContextItem{{Content: "hello"}, {Content: "turn"}}, turn.Queue().Items())
	assert.Equal(t, []memory.ContextItem{{Content: "tool"}}, tool.Queue().Items())
	assert.Equal(t, "- [r1] what was done\n- [agent] x", agent.Pool().Catalogue())
	assert.Equal(t, "- [tool] x", tool.Pool().Catalogue())
	for i, s := range []*memory.Scope{agent, turn, tool} {
		assert.Equal(t, 2, s.Context().Len())
		_, ok := s.Context().Get(memory.Ref{Type: "order", ID: []string{"1", "2", "3"}[i]})
		assert.True(t, ok)
		assert.Equal(t, 2, s.Items().Len())
	}

	_, err = agent.Branch(&memory.ScopeBranchOptions{Queue: &memory.QueueBranchOptions[memory.ContextItem]{Limit: new(0)}})
	require.ErrorIs(t, err, memory.ErrLimit)
	_, err = agent.Branch(&memory.ScopeBranchOptions{Pool: &memory.PoolBranchOptions{Limit: new(-1)}})
	require.ErrorIs(t, err, memory.ErrLimit)
}

func TestScopeStateRestoresAllParts(t *testing.T) {
	t.Parallel()
	s := filledScope(t, nil)
	var restored memory.Scope
	require.NoError(t, json.Unmarshal(stateOf(t, s), &restored))
	assertSameState(t, s, &restored)

	// A scope whose parts are in use is restored in place.
	busy := filledScope(t, nil)
	queue := busy.Queue()
	require.NoError(t, json.Unmarshal([]byte(`{"queue": {"limit": 2, "items": [{"content": "new"}]}, "unknown": 1}`), busy))
	assert.Equal(t, []memory.ContextItem{{Content: "new"}}, queue.Items())
	assert.Equal(t, 1, busy.Pool().Len(), "a part that is missing stays as it was")
	before := stateOf(t, busy)
	require.NoError(t, json.Unmarshal([]byte(`null`), busy))
	assert.JSONEq(t, string(before), string(stateOf(t, busy)))
}

func TestDamageInOnePartOfAScopeChangesNone(t *testing.T) {
	t.Parallel()
	for _, damaged := range []string{
		`[]`, `{"queue": []}`,
		`{"queue": {"limit": 0}}`,
		`{"queue": {"limit": 5, "items": []}, "pool": {"items": [{"id": "1"}]}}`,
		`{"queue": {"limit": 5}, "pool": {"items": []}, "context": {"entities": [{"name": "x"}]}}`,
		`{"queue": {"limit": 5}, "items": {"items": [{"id": "1"}]}}`,
		`{"queue": {"limit": 5, "hooks": {"before_append": ["unknown"]}}}`,
	} {
		s := filledScope(t, nil)
		before := stateOf(t, s)
		require.Error(t, json.Unmarshal([]byte(damaged), s), damaged)
		assert.JSONEq(t, string(before), string(stateOf(t, s)), damaged)
	}
}

// An item store is restored once, so that its audit is told once.
func TestRestoringAScopeIsAuditedOnce(t *testing.T) {
	t.Parallel()
	state := []byte(`{"items": [{"id": "a", "text": "a"}, {"id": "b", "text": "b"}]}`)
	restore := func(into func(*memory.ItemStore) error) (audited int) {
		store, err := memory.NewItemStore(&memory.ItemStoreOptions{MaxItems: 1, Audit: func(memory.AuditRecord) { audited++ }})
		require.NoError(t, err)
		require.NoError(t, into(store))
		return audited
	}
	alone := restore(func(s *memory.ItemStore) error { return s.UnmarshalJSON(state) })
	require.Positive(t, alone)
	assert.Equal(t, alone, restore(func(s *memory.ItemStore) error {
		scope := memory.NewScope(&memory.ScopeOptions{Items: s})
		return scope.UnmarshalJSON([]byte(`{"items": ` + string(state) + `}`))
	}))
}

func TestScopeIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	s := filledScope(t, nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				assert.NoError(t, s.Route(t.Context(), memory.ContextItem{Content: "x"}))
				branch, err := s.Branch(nil)
				assert.NoError(t, err)
				_, err = json.Marshal(branch)
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 10, s.Queue().Len())
}

func stateOf(t *testing.T, s *memory.Scope) []byte {
	t.Helper()
	state, err := json.Marshal(s)
	require.NoError(t, err)
	return state
}

func assertSameState(t *testing.T, a, b *memory.Scope) {
	t.Helper()
	assert.JSONEq(t, string(stateOf(t, a)), string(stateOf(t, b)))
}

func FuzzScopeState(f *testing.F) {
	f.Add([]byte(`{"queue": {"limit": 2, "items": [{"content": "a"}]}, "pool": {"items": [{"id": "1", "description": "d", "content": ""}]},
		"context": {"entities": [{"type": "page", "id": "4"}]}, "items": {"step": 3, "items": [{"id": "g", "text": "x"}]}}`))
	f.Add([]byte(`{"queue": null, "pool": 1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := memory.NewScope(nil)
		if json.Unmarshal(data, s) != nil {
			return
		}
		var again memory.Scope
		if err := json.Unmarshal(stateOf(t, s), &again); err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		assertSameState(t, s, &again)
	})
}

// A hook can restore the scope that it belongs to.
func TestHookCanRestoreItsScope(t *testing.T) {
	t.Parallel()
	state := []byte(`{"queue": {"limit": 3}, "pool": {}, "context": {}, "items": {}}`)
	for _, item := range []memory.ContextItem{{Content: "queued"}, {Content: "pooled", ID: "1", Description: "d"}} {
		var s *memory.Scope
		calls := 0
		hook := memory.NewHook("restore", func(context.Context, memory.HookEvent[memory.ContextItem]) error {
			calls++
			return json.Unmarshal(state, s)
		})
		queue, err := memory.NewQueue(5, &memory.QueueOptions[memory.ContextItem]{
			Hooks: memory.QueueHooks[memory.ContextItem]{AfterAppend: []*memory.Hook[memory.ContextItem]{hook}},
		})
		require.NoError(t, err)
		pool, err := memory.NewPool(&memory.PoolOptions{Hooks: memory.PoolHooks{AfterAdd: []*memory.Hook[memory.ContextItem]{hook}}})
		require.NoError(t, err)
		s = memory.NewScope(&memory.ScopeOptions{Queue: queue, Pool: pool})
		require.NoError(t, s.Context().Add(memory.Entity{Type: "page", ID: "4"}))
		require.NoError(t, s.Route(t.Context(), item))
		assert.Equal(t, 1, calls)
		assert.Equal(t, []int{3, 0, 0, 0}, []int{s.Queue().Limit(), s.Queue().Len(), s.Pool().Len(), s.Context().Len()})
	}
}
