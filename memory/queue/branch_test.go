package queue_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/queue"
)

func branchOf(t *testing.T, q *queue.Queue[string], opts *queue.BranchOptions[string]) *queue.Queue[string] {
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
		child := branchOf(t, parent, &queue.BranchOptions[string]{Limit: new(tt.limit)})
		assert.Equal(t, tt.limit, child.Limit())
		assert.Equal(t, parent.Items()[max(0, 4-tt.limit):], child.Items(), "the newest are taken over")
		require.NoError(t, child.Append(t.Context(), "x"))
		assert.Equal(t, tt.want, child.Items())
	}
	for _, limit := range []int{0, -1, 1<<30 + 1} {
		_, err := parent.Branch(&queue.BranchOptions[string]{Limit: new(limit)})
		require.ErrorIs(t, err, queue.ErrLimit)
	}
	assert.Equal(t, []string{"b", "c", "d", "e"}, parent.Items())
}

func TestQueueBranchInheritsOrOverrides(t *testing.T) {
	t.Parallel()
	var calls []string
	compact := func(name string) queue.CompactFunc[string] {
		return func(_ context.Context, w queue.CompactionInput[string]) ([]string, error) {
			calls = append(calls, name)
			return w.Items, nil
		}
	}
	hook := func(name string) *queue.Hook[string] {
		return queue.NewHook(name, func(context.Context, queue.HookEvent[string]) error {
			calls = append(calls, name)
			return nil
		})
	}
	all := queue.Hooks[string]{
		BeforeAppend: hooks{hook("before")}, AfterAppend: hooks{hook("after")}, OnEvict: hooks{hook("evict")},
	}
	parent := newQueue(t, 1, &queue.Options[string]{Compact: compact("compact"), Hooks: all}, "a")
	tests := []struct {
		name string
		opts *queue.BranchOptions[string]
		want []string
	}{
		{"no options", nil, []string{"before", "compact", "evict", "after"}},
		{"nothing said", &queue.BranchOptions[string]{}, []string{"before", "compact", "evict", "after"}},
		{"no compaction", &queue.BranchOptions[string]{Compact: new(queue.CompactFunc[string])}, []string{"before", "evict", "after"}},
		{"another compaction", &queue.BranchOptions[string]{Compact: new(compact("other"))}, []string{"before", "other", "evict", "after"}},
		{"no hooks", &queue.BranchOptions[string]{Hooks: &queue.Hooks[string]{}}, []string{"compact"}},
		{"other hooks", &queue.BranchOptions[string]{Hooks: &queue.Hooks[string]{AfterAppend: hooks{hook("other")}}}, []string{"compact", "other"}},
		{"neither", &queue.BranchOptions[string]{Compact: new(queue.CompactFunc[string]), Hooks: &queue.Hooks[string]{}}, nil},
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
	known, other := queue.NewHook[string]("known", nil), queue.NewHook[string]("other", nil)
	state := []byte(`{"limit":2,"hooks":{"after_append":["known"]}}`)
	r, err := queue.NewHookRegistry(known)
	require.NoError(t, err)
	without := &queue.BranchOptions[string]{Hooks: &queue.Hooks[string]{OnEvict: hooks{other}}}

	registered, err := queue.New(3, &queue.Options[string]{Registry: r})
	require.NoError(t, err)
	require.NoError(t, branchOf(t, registered, nil).UnmarshalJSON(state))
	require.NoError(t, branchOf(t, registered, without).UnmarshalJSON(state), "a registry is inherited")

	made, err := queue.New(3, hooked(queue.Hooks[string]{BeforeAppend: hooks{known}}))
	require.NoError(t, err)
	require.NoError(t, branchOf(t, made, nil).UnmarshalJSON(state))
	branch := branchOf(t, made, without)
	require.Error(t, branch.UnmarshalJSON(state), "it was made with other hooks")
	require.NoError(t, branch.UnmarshalJSON([]byte(`{"limit":2,"hooks":{"after_append":["other"]}}`)))
}
