package memory_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

func branchOf(t *testing.T, q *memory.Queue[string], opts *memory.QueueBranchOptions[string]) *memory.Queue[string] {
	t.Helper()
	branch, err := q.Branch(opts)
	require.NoError(t, err)
	return branch
}

func TestQueueBranchesDiverge(t *testing.T) {
	t.Parallel()
	parent := newQueue(t, 3, nil, "a", "b", "c", "d") // something fell out before
	child := branchOf(t, parent, nil)
	grandchild := branchOf(t, child, nil)
	assert.Equal(t, parent.Items(), grandchild.Items())
	assert.Equal(t, 3, grandchild.Limit())

	require.NoError(t, parent.Append(t.Context(), "parent"))
	require.NoError(t, child.Append(t.Context(), "child"))
	require.NoError(t, grandchild.Append(t.Context(), "grand", "child"))
	assert.Equal(t, []string{"c", "d", "parent"}, parent.Items())
	assert.Equal(t, []string{"c", "d", "child"}, child.Items())
	assert.Equal(t, []string{"d", "grand", "child"}, grandchild.Items())
	require.NoError(t, parent.Clear(t.Context()))
	assert.Equal(t, 3, child.Len())
}

func TestQueueBranchLimit(t *testing.T) {
	t.Parallel()
	parent := newQueue(t, 4, nil, "a", "b", "c", "d", "e")
	tests := []struct {
		limit int
		want  []string
	}{
		{1, []string{"x"}},
		{2, []string{"e", "x"}},
		{4, []string{"c", "d", "e", "x"}},
		{5, []string{"b", "c", "d", "e", "x"}},
		{1 << 30, []string{"b", "c", "d", "e", "x"}},
	}
	for _, tt := range tests {
		child := branchOf(t, parent, &memory.QueueBranchOptions[string]{Limit: new(tt.limit)})
		assert.Equal(t, tt.limit, child.Limit())
		assert.Equal(t, parent.Items()[max(0, 4-tt.limit):], child.Items(), "the newest are taken over")
		require.NoError(t, child.Append(t.Context(), "x"))
		assert.Equal(t, tt.want, child.Items())
	}
	for _, limit := range []int{0, -1, 1<<30 + 1} {
		_, err := parent.Branch(&memory.QueueBranchOptions[string]{Limit: new(limit)})
		require.ErrorIs(t, err, memory.ErrLimit)
	}
	assert.Equal(t, []string{"b", "c", "d", "e"}, parent.Items())
}

func TestQueueBranchInheritsOrOverrides(t *testing.T) {
	t.Parallel()
	var calls []string
	compact := func(name string) memory.CompactFunc[string] {
		return func(_ context.Context, w memory.Window[string]) ([]string, error) {
			calls = append(calls, name)
			return w.Items, nil
		}
	}
	hook := func(name string) *memory.Hook[string] {
		return memory.NewHook(name, func(context.Context, memory.HookEvent[string]) error {
			calls = append(calls, name)
			return nil
		})
	}
	all := memory.QueueHooks[string]{
		BeforeAppend: hooks{hook("before")}, AfterAppend: hooks{hook("after")}, OnEvict: hooks{hook("evict")},
	}
	parent := newQueue(t, 1, &memory.QueueOptions[string]{Compact: compact("compact"), Hooks: all}, "a")
	tests := []struct {
		name string
		opts *memory.QueueBranchOptions[string]
		want []string
	}{
		{"no options", nil, []string{"before", "compact", "evict", "after"}},
		{"nothing said", &memory.QueueBranchOptions[string]{}, []string{"before", "compact", "evict", "after"}},
		{"no compaction", &memory.QueueBranchOptions[string]{Compact: new(memory.CompactFunc[string])}, []string{"before", "evict", "after"}},
		{"another compaction", &memory.QueueBranchOptions[string]{Compact: new(compact("other"))}, []string{"before", "other", "evict", "after"}},
		{"no hooks", &memory.QueueBranchOptions[string]{Hooks: &memory.QueueHooks[string]{}}, []string{"compact"}},
		{"other hooks", &memory.QueueBranchOptions[string]{Hooks: &memory.QueueHooks[string]{AfterAppend: hooks{hook("other")}}}, []string{"compact", "other"}},
		{"neither", &memory.QueueBranchOptions[string]{Compact: new(memory.CompactFunc[string]), Hooks: &memory.QueueHooks[string]{}}, nil},
	}
	for _, tt := range tests {
		for _, level := range []string{"child", "grandchild"} {
			t.Run(tt.name+"/"+level, func(t *testing.T) {
				child := branchOf(t, parent, tt.opts)
				if level == "grandchild" {
					child = branchOf(t, child, nil)
				}
				calls = nil
				require.NoError(t, child.Append(t.Context(), "b"))
				assert.Equal(t, tt.want, calls)
			})
		}
	}
	calls = nil
	require.NoError(t, parent.Append(t.Context(), "b"))
	assert.Equal(t, []string{"before", "compact", "evict", "after"}, calls, "the parent is as it was")
}

func TestQueueBranchInheritsRegistry(t *testing.T) {
	t.Parallel()
	known, other := memory.NewHook[string]("known", nil), memory.NewHook[string]("other", nil)
	state := []byte(`{"limit":2,"hooks":{"after_append":["known"]}}`)
	r, err := memory.NewHookRegistry(known)
	require.NoError(t, err)
	without := &memory.QueueBranchOptions[string]{Hooks: &memory.QueueHooks[string]{OnEvict: hooks{other}}}

	registered, err := memory.NewQueue(3, &memory.QueueOptions[string]{Registry: r})
	require.NoError(t, err)
	require.NoError(t, branchOf(t, registered, nil).UnmarshalJSON(state))
	require.NoError(t, branchOf(t, registered, without).UnmarshalJSON(state), "a registry is inherited")

	made, err := memory.NewQueue(3, hooked(memory.QueueHooks[string]{BeforeAppend: hooks{known}}))
	require.NoError(t, err)
	require.NoError(t, branchOf(t, made, nil).UnmarshalJSON(state))
	branch := branchOf(t, made, without)
	require.Error(t, branch.UnmarshalJSON(state), "it was made with other hooks")
	require.NoError(t, branch.UnmarshalJSON([]byte(`{"limit":2,"hooks":{"after_append":["other"]}}`)))
}
