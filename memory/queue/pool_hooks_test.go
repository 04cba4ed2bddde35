package queue_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

type itemHooks = []*queue.Hook[queue.ContextItem]

// itemHook is hook for items, of which it notes the ids.
func (s *script) itemHook(name string, err error) *queue.Hook[queue.ContextItem] {
	return queue.NewHook(name, func(_ context.Context, e queue.HookEvent[queue.ContextItem]) error {
		ids := func(items []queue.ContextItem) string {
			var list []string
			for _, item := range items {
				list = append(list, item.ID)
			}
			return strings.Join(list, " ")
		}
		s.calls = append(s.calls, fmt.Sprintf("%s: %s | %s", name, ids(e.Items), ids(e.Subject)))
		clear(e.Items)
		clear(e.Subject)
		return err
	})
}

// allHooks has two hooks at each point; the first of that which is named fails.
func (s *script) allHooks(fails string) queue.PoolHooks {
	two := func(point string) itemHooks {
		var err error
		if point == fails {
			err = errHook
		}
		return itemHooks{s.itemHook(point+" 1", err), s.itemHook(point+" 2", nil)}
	}
	return queue.PoolHooks{
		BeforeAdd: two("before add"), AfterAdd: two("after add"),
		BeforeRemove: two("before remove"), AfterRemove: two("after remove"),
		BeforeClear: two("before clear"), AfterClear: two("after clear"),
		OnEvict: two("evict"),
	}
}

func TestPoolHooks(t *testing.T) {
	t.Parallel()
	add := func(id string) func(context.Context, *queue.Pool) error {
		return func(ctx context.Context, p *queue.Pool) error { return p.Add(ctx, contextItem(id)) }
	}
	remove := func(id string) func(context.Context, *queue.Pool) error {
		return func(ctx context.Context, p *queue.Pool) error { return p.Remove(ctx, id) }
	}
	clearAll := func(ctx context.Context, p *queue.Pool) error { return p.Clear(ctx) }
	tests := []struct {
		name, has string
		change    func(context.Context, *queue.Pool) error
		fails     string // the point whose first hook fails
		calls     string
		left      string
	}{
		{"add", "a", add("b"), "", "before add 1: a | b, before add 2: a | b, after add 1: a b | b, after add 2: a b | b", "a b"},
		{"add where one falls out", "a b", add("c"), "", "before add 1: a b | c, before add 2: a b | c, evict 1: b c | a, evict 2: b c | a, after add 1: b c | c, after add 2: b c | c", "b c"},
		{"replace", "a b", add("a"), "", "before add 1: a b | a, before add 2: a b | a, after add 1: a b | a, after add 2: a b | a", "a b"},
		{"refused add loses nothing", "a b", add("c"), "before add", "before add 1: a b | c", "a b"},
		{"add with a failing eviction", "a b", add("c"), "evict", "before add 1: a b | c, before add 2: a b | c, evict 1: b c | a, evict 2: b c | a, after add 1: b c | c, after add 2: b c | c", "b c"},
		{"add with a failing end", "a", add("b"), "after add", "before add 1: a | b, before add 2: a | b, after add 1: a b | b, after add 2: a b | b", "a b"},
		{"remove", "a b", remove("a"), "", "before remove 1: a b | a, before remove 2: a b | a, after remove 1: b | a, after remove 2: b | a", "b"},
		{"refused remove", "a b", remove("a"), "before remove", "before remove 1: a b | a", "a b"},
		{"remove with a failing end", "a b", remove("a"), "after remove", "before remove 1: a b | a, before remove 2: a b | a, after remove 1: b | a, after remove 2: b | a", "b"},
		{"clear", "a b", clearAll, "", "before clear 1: a b | a b, before clear 2: a b | a b, after clear 1:  | a b, after clear 2:  | a b", ""},
		{"refused clear", "a b", clearAll, "before clear", "before clear 1: a b | a b", "a b"},
		{"clear with a failing end", "a b", clearAll, "after clear", "before clear 1: a b | a b, before clear 2: a b | a b, after clear 1:  | a b, after clear 2:  | a b", ""},
		{"clear of nothing", "", clearAll, "", "before clear 1:  | , before clear 2:  | , after clear 1:  | , after clear 2:  | ", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s script
			p := newPool(t, &queue.PoolOptions{Limit: 2, Hooks: s.allHooks(tt.fails)}, strings.Fields(tt.has)...)
			err := tt.change(t.Context(), p)
			if tt.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, errHook)
			}
			assert.Equal(t, tt.calls, strings.Join(s.calls, ", "))
			assert.Equal(t, tt.left, poolIDs(p))
		})
	}

	var s script
	p := newPool(t, &queue.PoolOptions{Hooks: s.allHooks("")}, "a")
	missing := new(memory.NotFoundError)
	require.ErrorAs(t, p.Remove(t.Context(), "b"), &missing)
	assert.Empty(t, s.calls, "nothing is to be removed")
}

func TestPanickingPoolHookLosesNothing(t *testing.T) {
	t.Parallel()
	panics := queue.NewHook("panics", func(context.Context, queue.HookEvent[queue.ContextItem]) error { panic(42) })
	p := newPool(t, &queue.PoolOptions{Limit: 1, Hooks: queue.PoolHooks{
		BeforeAdd: itemHooks{panics}, BeforeRemove: itemHooks{panics}, BeforeClear: itemHooks{panics},
	}}, "a")
	require.ErrorIs(t, p.Add(t.Context(), contextItem("b")), memory.ErrPanic)
	require.ErrorIs(t, p.Remove(t.Context(), "a"), memory.ErrPanic)
	require.ErrorIs(t, p.Clear(t.Context()), memory.ErrPanic)
	assert.Equal(t, "a", poolIDs(p))
	assert.EqualError(t, p.Clear(t.Context()), `queue: before_clear hook "panics": memory: callback panicked: int`)
}

func TestPoolHooksAreChecked(t *testing.T) {
	t.Parallel()
	for _, bad := range []queue.PoolHooks{{BeforeAdd: itemHooks{nil}}, {OnEvict: itemHooks{nil}}, {AfterClear: itemHooks{nil}}} {
		_, err := queue.NewPool(&queue.PoolOptions{Hooks: bad})
		require.ErrorIs(t, err, queue.ErrHookName)
		_, err = new(queue.Pool).Branch(&queue.PoolBranchOptions{Hooks: &bad})
		require.ErrorIs(t, err, queue.ErrHookName)
	}
	var s script
	_, err := queue.NewPool(&queue.PoolOptions{Hooks: queue.PoolHooks{
		BeforeAdd: itemHooks{s.itemHook("a", nil)}, AfterRemove: itemHooks{s.itemHook("a", nil)},
	}})
	require.ErrorIs(t, err, queue.ErrHookTaken)
}

func TestPoolBranchInheritsOrOverridesHooks(t *testing.T) {
	t.Parallel()
	var s script
	parent := newPool(t, &queue.PoolOptions{Hooks: queue.PoolHooks{AfterAdd: itemHooks{s.itemHook("parent", nil)}}})
	tests := []struct {
		name string
		opts *queue.PoolBranchOptions
		want []string
	}{
		{"inherits", nil, []string{"parent: x | x"}},
		{"none", &queue.PoolBranchOptions{Hooks: &queue.PoolHooks{}}, nil},
		{"others", &queue.PoolBranchOptions{Hooks: &queue.PoolHooks{BeforeAdd: itemHooks{s.itemHook("child", nil)}}}, []string{"child:  | x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.calls = nil
			child, err := parent.Branch(tt.opts)
			require.NoError(t, err)
			require.NoError(t, child.Add(t.Context(), contextItem("x")))
			assert.Equal(t, tt.want, s.calls)
		})
	}
}
