package queue_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// TestQueueHooks checks the calls of Append. Two hooks are at each point; the first one
// at the named point fails.
func TestQueueHooks(t *testing.T) {
	t.Parallel()
	const before, compact, evict, after = "before 1: a b | c d, before 2: a b | c d", "compact: a b", "evict 1: b c d | a, evict 2: b c d | a", "after 1: b c d | c d, after 2: b c d | c d"
	for fails, want := range map[string][]string{
		"":        {before, compact, evict, after},
		"before":  {"before 1: a b | c d"},
		"compact": {before, compact},
		"evict":   {before, compact, evict, after},
		"after":   {before, compact, evict, after},
	} {
		var s script
		two := func(point string) hooks {
			return hooks{s.hook(point+" 1", failAt(fails, point)), s.hook(point+" 2", nil)}
		}
		given := []string{"c", "d"}
		q := newQueue(t, 3, &queue.Options[string]{
			Compact: func(_ context.Context, w queue.CompactionInput[string]) ([]string, error) {
				clear(given) // the queue has a copy
				s.calls = append(s.calls, "compact: "+strings.Join(w.Items, " "))
				return w.Items, failAt(fails, "compact")
			},
			Hooks: queue.Hooks[string]{BeforeAppend: two("before"), AfterAppend: two("after"), OnEvict: two("evict")},
		}, "a", "b")
		require.ErrorIs(t, q.Append(t.Context(), given...), failAt(fails, fails))
		assert.Equal(t, strings.Join(want, ", "), strings.Join(s.calls, ", "), fails)
		if fails == "before" || fails == "compact" {
			assert.Equal(t, []string{"a", "b"}, q.Items(), "an error before the change stops it")
		} else {
			assert.Equal(t, []string{"b", "c", "d"}, q.Items(), "an error after the change does not revert it")
		}
	}

	var s script
	q := newQueue(t, 3, hooked(queue.Hooks[string]{OnEvict: hooks{s.hook("evict", nil)}}), "a", "b", "c")
	require.NoError(t, q.Append(t.Context(), "d", "e", "f", "g"))
	assert.Equal(t, []string{"evict: e f g | a b c d"}, s.calls, "an appended item that does not fit is evicted")
	require.NoError(t, q.Append(t.Context()))
	branchOf(t, q, &queue.BranchOptions[string]{Limit: new(1)})
	require.NoError(t, q.UnmarshalJSON([]byte(`{"limit":1,"items":["d","e"]}`)))
	require.NoError(t, q.Clear(t.Context()))
	require.NoError(t, q.Append(t.Context(), "h"))
	assert.Len(t, s.calls, 1, "nothing else is evicted")
}

// failAt returns errHook if point is the one that fails.
func failAt(fails, point string) error {
	if fails != "" && fails == point {
		return errHook
	}
	return nil
}

func TestHookErrors(t *testing.T) {
	t.Parallel()
	panicking := func(value any) *queue.Hook[string] {
		return queue.NewHook("h", func(context.Context, queue.HookEvent[string]) error { panic(value) })
	}
	var s script
	for _, test := range []struct {
		hook *queue.Hook[string]
		is   []error
		text string
	}{
		{s.hook("h", errHook), []error{errHook}, `queue: before_append hook "h": hook failed`},
		{panicking("secret"), []error{memory.ErrPanic}, `queue: before_append hook "h": memory: callback panicked: string`},
		{panicking(errHook), []error{memory.ErrPanic, errHook}, `queue: before_append hook "h": memory: callback panicked: hook failed`},
	} {
		err := newQueue(t, 3, hooked(queue.Hooks[string]{BeforeAppend: hooks{test.hook}})).Append(t.Context(), "a")
		for _, target := range test.is {
			require.ErrorIs(t, err, target)
		}
		require.EqualError(t, err, test.text)
	}

	q := newQueue(t, 1, hooked(queue.Hooks[string]{
		AfterAppend: hooks{s.hook("after", errHook), panicking("secret")},
		OnEvict:     hooks{s.hook("evict", errModel)},
	}), "a")
	err := q.Append(t.Context(), "b")
	for _, target := range []error{errHook, errModel, memory.ErrPanic} {
		require.ErrorIs(t, err, target, "errors are joined")
	}
}

func TestPoolHooks(t *testing.T) {
	t.Parallel()
	type change func(context.Context, *queue.Pool) error
	add := func(id string) change {
		return func(ctx context.Context, p *queue.Pool) error { return p.Add(ctx, contextItem(id)) }
	}
	remove := func(ctx context.Context, p *queue.Pool) error { return p.Remove(ctx, "a") }
	clearAll := func(ctx context.Context, p *queue.Pool) error { return p.Clear(ctx) }
	for _, test := range []struct {
		name, items string
		change      change
		fails       string
		calls       []string // each stands for two hooks
		left        string
	}{
		{"add", "a", add("b"), "", []string{"before_add: a | b", "after_add: a b | b"}, "a b"},
		{"evict", "a b", add("c"), "", []string{"before_add: a b | c", "on_evict: b c | a", "after_add: b c | c"}, "b c"},
		{"replace", "a b", add("a"), "", []string{"before_add: a b | a", "after_add: a b | a"}, "a b"},
		{"add", "a b", add("c"), "before_add", []string{"before_add: a b | c"}, "a b"},
		{"evict", "a b", add("c"), "on_evict", []string{"before_add: a b | c", "on_evict: b c | a", "after_add: b c | c"}, "b c"},
		{"remove", "a b", remove, "before_remove", []string{"before_remove: a b | a"}, "a b"},
		{"remove", "a b", remove, "after_remove", []string{"before_remove: a b | a", "after_remove: b | a"}, "b"},
		{"clear", "a b", clearAll, "before_clear", []string{"before_clear: a b | a b"}, "a b"},
		{"clear", "a b", clearAll, "after_clear", []string{"before_clear: a b | a b", "after_clear:  | a b"}, ""},
		{"clear nothing", "", clearAll, "", []string{"before_clear:  | ", "after_clear:  | "}, ""},
	} {
		var s script
		two := func(point string) itemHooks {
			return itemHooks{s.itemHook(point, failAt(test.fails, point)), s.itemHook(point+"2", nil)}
		}
		p := newPool(t, &queue.PoolOptions{Limit: 2, Hooks: queue.PoolHooks{
			BeforeAdd: two("before_add"), AfterAdd: two("after_add"), BeforeRemove: two("before_remove"), AfterRemove: two("after_remove"),
			BeforeClear: two("before_clear"), AfterClear: two("after_clear"), OnEvict: two("on_evict"),
		}}, strings.Fields(test.items)...)
		require.ErrorIs(t, test.change(t.Context(), p), failAt(test.fails, test.fails))
		var want []string
		for i, call := range test.calls {
			want = append(want, call)
			if i < len(test.calls)-1 || !strings.HasPrefix(test.fails, "before") {
				point, rest, _ := strings.Cut(call, ":")
				want = append(want, point+"2:"+rest)
			}
		}
		assert.Equal(t, want, s.calls, "%s, failing %s", test.name, test.fails)
		assert.Equal(t, test.left, poolIDs(p))
		s.calls = nil
		missing := new(memory.NotFoundError)
		require.ErrorAs(t, p.Remove(t.Context(), "missing"), &missing)
		assert.Empty(t, s.calls)
	}

	panics := queue.NewHook("h", func(context.Context, queue.HookEvent[queue.ContextItem]) error { panic(42) })
	p := newPool(t, &queue.PoolOptions{Hooks: queue.PoolHooks{BeforeAdd: itemHooks{panics}}})
	require.EqualError(t, p.Add(t.Context(), contextItem("b")), `queue: before_add hook "h": memory: callback panicked: int`)
	branch, err := p.Branch(&queue.PoolBranchOptions{Hooks: &queue.PoolHooks{}})
	require.NoError(t, err)
	require.NoError(t, branch.Add(t.Context(), contextItem("b")), "a branch may have other hooks")
}

func TestHooksAreValidated(t *testing.T) {
	t.Parallel()
	a, b, other := queue.NewHook[string]("a", nil), queue.NewHook[string]("b", nil), queue.NewHook[string]("a", nil)
	for _, test := range []struct {
		hooks queue.Hooks[string]
		want  error
	}{
		{queue.Hooks[string]{AfterAppend: hooks{a, nil}}, queue.ErrHookName},
		{queue.Hooks[string]{BeforeAppend: hooks{new(queue.Hook[string])}}, queue.ErrHookName},
		{queue.Hooks[string]{BeforeAppend: hooks{a, b}, AfterAppend: hooks{other}}, queue.ErrHookTaken},
		{queue.Hooks[string]{BeforeAppend: hooks{a, a}, AfterAppend: hooks{a}}, nil},
	} {
		_, err := queue.New(3, hooked(test.hooks))
		require.ErrorIs(t, err, test.want)
		_, err = new(queue.Queue[string]).Branch(&queue.BranchOptions[string]{Hooks: &test.hooks})
		require.ErrorIs(t, err, test.want)
	}
	nameless := queue.PoolHooks{AfterClear: itemHooks{nil}}
	_, err := queue.NewPool(&queue.PoolOptions{Hooks: nameless})
	require.ErrorIs(t, err, queue.ErrHookName)
	_, err = new(queue.Pool).Branch(&queue.PoolBranchOptions{Hooks: &nameless})
	require.ErrorIs(t, err, queue.ErrHookName)

	list := hooks{a}
	q, err := queue.New(3, hooked(queue.Hooks[string]{AfterAppend: list}))
	require.NoError(t, err)
	list[0] = nil
	require.NoError(t, q.Append(t.Context(), "a"), "the list is copied, and a hook without a function does nothing")
	assert.Equal(t, "a", a.Name())
}

func TestHookRegistry(t *testing.T) {
	t.Parallel()
	a, b := queue.NewHook[string]("a", nil), queue.NewHook[string]("b", nil)
	r, err := queue.NewHookRegistry(a, b, a)
	require.NoError(t, err)
	require.NoError(t, r.Register(b), "registering a hook again is a no-op")
	require.ErrorIs(t, r.Register(queue.NewHook[string]("a", nil)), queue.ErrHookTaken)
	require.ErrorIs(t, r.Register(nil), queue.ErrHookName)
	require.ErrorIs(t, r.Register(queue.NewHook[string]("", nil)), queue.ErrHookName)
	got, ok := r.Lookup("a")
	assert.True(t, ok)
	assert.Same(t, a, got)
	_, ok = r.Lookup("c")
	assert.False(t, ok)

	_, err = queue.NewHookRegistry(a, queue.NewHook[string]("a", nil))
	require.ErrorIs(t, err, queue.ErrHookTaken)
	var zero queue.HookRegistry[string]
	_, ok = zero.Lookup("a")
	assert.False(t, ok)
	require.NoError(t, errors.Join(zero.Register(a), zero.Register(b)))
}
