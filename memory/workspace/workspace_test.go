package workspace_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
)

// filledScope is a workspace of which each part holds something.
func filledScope(t *testing.T, opts *workspace.Options) *workspace.Workspace {
	t.Helper()
	s := workspace.New(opts)
	ctx := t.Context()
	require.NoError(t, s.Route(ctx,
		queue.ContextItem{Content: "hello"},
		queue.ContextItem{Content: "the report", Description: "what was done", ID: "r1"}))
	require.NoError(t, s.Context().Add(memory.Entity{Type: "page", ID: "4", Name: "Home"}))
	_, err := s.Items().Memorize(ctx, items.ItemInput{ID: "goal", Text: "Ship it.", Type: items.TypeGoal})
	require.NoError(t, err)
	return s
}

func TestWorkspaceHasAQueueOfTenAndAnUnlimitedPool(t *testing.T) {
	t.Parallel()
	s := workspace.New(nil)
	assert.Equal(t, 10, s.Queue().Limit())
	assert.Zero(t, s.Pool().Limit())
	assert.Equal(t, memory.DefaultCapacity, s.Context().Capacity())
	assert.Equal(t, 64, s.Items().Capacity(t.Context()).MaxItems)
}

func TestWorkspaceTakesGivenParts(t *testing.T) {
	t.Parallel()
	q, err := queue.New[queue.ContextItem](3, nil)
	require.NoError(t, err)
	pool, wc := new(queue.Pool), new(memory.WorkingContext)
	items, err := items.New(nil)
	require.NoError(t, err)
	s := workspace.New(&workspace.Options{Queue: q, Pool: pool, Context: wc, Items: items})
	assert.Same(t, q, s.Queue())
	assert.Same(t, pool, s.Pool())
	assert.Same(t, wc, s.Context())
	assert.Same(t, items, s.Items())
}

func TestWorkspaceRoutesItemsByTheirID(t *testing.T) {
	t.Parallel()
	s := workspace.New(nil)
	err := s.Route(t.Context(),
		queue.ContextItem{Content: "a"},
		queue.ContextItem{Content: "b", ID: "1", Description: "the b"},
		queue.ContextItem{Content: "c", ID: "2"},
		queue.ContextItem{Content: "d"},
		queue.ContextItem{Content: "e", ID: "3", Description: "the e"})
	require.ErrorIs(t, err, queue.ErrNoDescription)
	require.ErrorContains(t, err, "item 2")
	assert.NotContains(t, err.Error(), "c\"")
	assert.Equal(t, []queue.ContextItem{{Content: "a"}, {Content: "d"}}, s.Queue().Items())
	assert.Equal(t, "- [1] the b\n- [3] the e", s.Pool().Catalogue(), "one that is refused keeps no other from its place")
	require.NoError(t, s.Route(t.Context()))
}

func TestWorkspaceRouteReportsHooks(t *testing.T) {
	t.Parallel()
	veto := errors.New("veto")
	q, err := queue.New(3, &queue.Options[queue.ContextItem]{Hooks: queue.Hooks[queue.ContextItem]{
		BeforeAppend: []*queue.Hook[queue.ContextItem]{
			queue.NewHook("veto", func(context.Context, queue.HookEvent[queue.ContextItem]) error { return veto }),
		},
	}})
	require.NoError(t, err)
	s := workspace.New(&workspace.Options{Queue: q})
	err = s.Route(t.Context(), queue.ContextItem{Content: "a"}, queue.ContextItem{Content: "b", ID: "1", Description: "the b"})
	require.ErrorIs(t, err, veto)
	assert.Zero(t, s.Queue().Len())
	assert.Equal(t, 1, s.Pool().Len())
}

func TestWorkspaceBranchesAllPartsTogether(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	agent := filledScope(t, nil)
	turn, err := agent.Branch(nil)
	require.NoError(t, err)
	tool, err := turn.Branch(&workspace.BranchOptions{
		Queue: &queue.BranchOptions[queue.ContextItem]{Limit: new(1)},
		Pool:  &queue.PoolBranchOptions{Limit: new(1)},
	})
	require.NoError(t, err)
	assertSameState(t, agent, turn)

	for i, s := range []*workspace.Workspace{agent, turn, tool} {
		require.NoError(t, s.Route(ctx,
			queue.ContextItem{Content: []string{"agent", "turn", "tool"}[i]},
			queue.ContextItem{Content: "x", ID: []string{"agent", "turn", "tool"}[i], Description: "x"}))
		require.NoError(t, s.Context().Add(memory.Entity{Type: "order", ID: []string{"1", "2", "3"}[i]}))
		_, err := s.Items().Memorize(ctx, items.ItemInput{Text: "step"})
		require.NoError(t, err)
	}
	assert.Equal(t, []queue.ContextItem{{Content: "hello"}, {Content: "agent"}}, agent.Queue().Items())
	assert.Equal(t, []queue.ContextItem{{Content: "hello"}, {Content: "turn"}}, turn.Queue().Items())
	assert.Equal(t, []queue.ContextItem{{Content: "tool"}}, tool.Queue().Items())
	assert.Equal(t, "- [r1] what was done\n- [agent] x", agent.Pool().Catalogue())
	assert.Equal(t, "- [tool] x", tool.Pool().Catalogue())
	for i, s := range []*workspace.Workspace{agent, turn, tool} {
		assert.Equal(t, 2, s.Context().Len())
		_, ok := s.Context().Get(memory.Ref{Type: "order", ID: []string{"1", "2", "3"}[i]})
		assert.True(t, ok)
		assert.Equal(t, 2, s.Items().Len())
	}

	_, err = agent.Branch(&workspace.BranchOptions{Queue: &queue.BranchOptions[queue.ContextItem]{Limit: new(0)}})
	require.ErrorIs(t, err, queue.ErrLimit)
	_, err = agent.Branch(&workspace.BranchOptions{Pool: &queue.PoolBranchOptions{Limit: new(-1)}})
	require.ErrorIs(t, err, queue.ErrLimit)
}

func TestWorkspaceStateRestoresAllParts(t *testing.T) {
	t.Parallel()
	s := filledScope(t, nil)
	var restored workspace.Workspace
	require.NoError(t, json.Unmarshal(stateOf(t, s), &restored))
	assertSameState(t, s, &restored)

	// A workspace whose parts are in use is restored in place.
	busy := filledScope(t, nil)
	q := busy.Queue()
	require.NoError(t, json.Unmarshal([]byte(`{"queue": {"limit": 2, "items": [{"content": "new"}]}, "unknown": 1}`), busy))
	assert.Equal(t, []queue.ContextItem{{Content: "new"}}, q.Items())
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
	restore := func(into func(*items.Store) error) (audited int) {
		store, err := items.New(&items.Options{MaxItems: 1, Audit: func(items.AuditRecord) { audited++ }})
		require.NoError(t, err)
		require.NoError(t, into(store))
		return audited
	}
	alone := restore(func(s *items.Store) error { return s.UnmarshalJSON(state) })
	require.Positive(t, alone)
	assert.Equal(t, alone, restore(func(s *items.Store) error {
		workspace := workspace.New(&workspace.Options{Items: s})
		return workspace.UnmarshalJSON([]byte(`{"items": ` + string(state) + `}`))
	}))
}

func TestWorkspaceIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	s := filledScope(t, nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				assert.NoError(t, s.Route(t.Context(), queue.ContextItem{Content: "x"}))
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

func stateOf(t *testing.T, s *workspace.Workspace) []byte {
	t.Helper()
	state, err := json.Marshal(s)
	require.NoError(t, err)
	return state
}

func assertSameState(t *testing.T, a, b *workspace.Workspace) {
	t.Helper()
	assert.JSONEq(t, string(stateOf(t, a)), string(stateOf(t, b)))
}

func FuzzScopeState(f *testing.F) {
	f.Add([]byte(`{"queue": {"limit": 2, "items": [{"content": "a"}]}, "pool": {"items": [{"id": "1", "description": "d", "content": ""}]},
		"context": {"entities": [{"type": "page", "id": "4"}]}, "items": {"step": 3, "items": [{"id": "g", "text": "x"}]}}`))
	f.Add([]byte(`{"queue": null, "pool": 1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := workspace.New(nil)
		if json.Unmarshal(data, s) != nil {
			return
		}
		var again workspace.Workspace
		if err := json.Unmarshal(stateOf(t, s), &again); err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		assertSameState(t, s, &again)
	})
}

// A hook can restore the workspace that it belongs to.
func TestHookCanRestoreItsScope(t *testing.T) {
	t.Parallel()
	state := []byte(`{"queue": {"limit": 3}, "pool": {}, "context": {}, "items": {}}`)
	for _, item := range []queue.ContextItem{{Content: "queued"}, {Content: "pooled", ID: "1", Description: "d"}} {
		var s *workspace.Workspace
		calls := 0
		hook := queue.NewHook("restore", func(context.Context, queue.HookEvent[queue.ContextItem]) error {
			calls++
			return json.Unmarshal(state, s)
		})
		q, err := queue.New(5, &queue.Options[queue.ContextItem]{
			Hooks: queue.Hooks[queue.ContextItem]{AfterAppend: []*queue.Hook[queue.ContextItem]{hook}},
		})
		require.NoError(t, err)
		pool, err := queue.NewPool(&queue.PoolOptions{Hooks: queue.PoolHooks{AfterAdd: []*queue.Hook[queue.ContextItem]{hook}}})
		require.NoError(t, err)
		s = workspace.New(&workspace.Options{Queue: q, Pool: pool})
		require.NoError(t, s.Context().Add(memory.Entity{Type: "page", ID: "4"}))
		require.NoError(t, s.Route(t.Context(), item))
		assert.Equal(t, 1, calls)
		assert.Equal(t, []int{3, 0, 0, 0}, []int{s.Queue().Limit(), s.Queue().Len(), s.Pool().Len(), s.Context().Len()})
	}
}
