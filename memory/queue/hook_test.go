package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

var errHook = errors.New("hook says no")

// script notes what hooks are told, in the order in which they are called.
type script struct{ calls []string }

// hook makes a hook of texts that notes its name, the items and the subject, then
// spoils both, and fails if it is told to.
func (s *script) hook(name string, err error) *queue.Hook[string] {
	return queue.NewHook(name, func(_ context.Context, e queue.HookEvent[string]) error {
		s.calls = append(s.calls, fmt.Sprintf("%s: %s | %s", name, strings.Join(e.Items, " "), strings.Join(e.Subject, " ")))
		clear(e.Items)
		clear(e.Subject)
		return err
	})
}

// hooked are options with hooks only.
func hooked(hooks queue.Hooks[string]) *queue.Options[string] {
	return &queue.Options[string]{Hooks: hooks}
}

type hooks = []*queue.Hook[string]

func TestQueueHooksRunInOrder(t *testing.T) {
	t.Parallel()
	var s script
	q := newQueue(t, 3, &queue.Options[string]{
		Compact: func(_ context.Context, w queue.CompactionInput[string]) ([]string, error) {
			s.calls = append(s.calls, "compact: "+strings.Join(w.Items, " "))
			return w.Items, nil
		},
		Hooks: queue.Hooks[string]{
			BeforeAppend: hooks{s.hook("before 1", nil), s.hook("before 2", nil)},
			AfterAppend:  hooks{s.hook("after 1", nil), s.hook("after 2", nil)},
			OnEvict:      hooks{s.hook("evict 1", nil), s.hook("evict 2", nil)},
		},
	}, "a", "b")
	given := []string{"c", "d"}
	require.NoError(t, q.Append(t.Context(), given...))
	assert.Equal(t, []string{
		"before 1: a b | c d",
		"before 2: a b | c d",
		"compact: a b",
		"evict 1: b c d | a",
		"evict 2: b c d | a",
		"after 1: b c d | c d",
		"after 2: b c d | c d",
	}, s.calls)
	assert.Equal(t, []string{"b", "c", "d"}, q.Items(), "hooks are given copies")
	assert.Equal(t, []string{"c", "d"}, given)
}

// What is appended is what was given, also if the caller's slice changes before it
// is in.
func TestAppendTakesItsItemsAtOnce(t *testing.T) {
	t.Parallel()
	given := []string{"a", "b"}
	change := queue.NewHook("change", func(context.Context, queue.HookEvent[string]) error {
		given[0] = "changed"
		return nil
	})
	q := newQueue(t, 3, hooked(queue.Hooks[string]{BeforeAppend: hooks{change}}))
	require.NoError(t, q.Append(t.Context(), given...))
	assert.Equal(t, []string{"a", "b"}, q.Items())
}

func TestOnEvictIsToldWhatFellOut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		compact         queue.CompactFunc[string]
		items, appended string
		want            []string
	}{
		{"nothing", nil, "a b", "c", nil},
		{"one", nil, "a b c", "d", []string{"evict: b c d | a"}},
		{"all", nil, "a b c", "d e f", []string{"evict: d e f | a b c"}},
		{"appended ones that never fitted", nil, "a", "b c d e f", []string{"evict: d e f | a b c"}},
		{"nothing appended", nil, "a b c", "", nil},
		{"not what a compaction left out", queue.DropMiddle[string](1, 1), "a b c", "d", nil},
		{"but what it returned too much", func(context.Context, queue.CompactionInput[string]) ([]string, error) {
			return []string{"1", "2", "3", "4"}, nil
		}, "a b c", "d", []string{"evict: 3 4 d | 1 2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s script
			q := newQueue(t, 3, &queue.Options[string]{
				Compact: tt.compact,
				Hooks:   queue.Hooks[string]{OnEvict: hooks{s.hook("evict", nil)}},
			}, strings.Fields(tt.items)...)
			require.NoError(t, q.Append(t.Context(), strings.Fields(tt.appended)...))
			assert.Equal(t, tt.want, s.calls)
		})
	}

	var s script
	q := newQueue(t, 3, hooked(queue.Hooks[string]{OnEvict: hooks{s.hook("evict", nil)}}), "a", "b", "c")
	require.NoError(t, q.Clear(t.Context()))
	_, err := q.Branch(&queue.BranchOptions[string]{Limit: new(1)})
	require.NoError(t, err)
	require.NoError(t, q.UnmarshalJSON([]byte(`{"limit":1,"items":["d","e"]}`)))
	assert.Empty(t, s.calls, "what was cleared, not taken over or replaced did not fall out")
}

func TestBeforeAppendCanRefuse(t *testing.T) {
	t.Parallel()
	panics := queue.NewHook("first", func(context.Context, queue.HookEvent[string]) error { panic("secret") })
	var s script
	tests := []struct {
		name  string
		first *queue.Hook[string]
		cause error
		text  string
	}{
		{"error", s.hook("first", errHook), errHook, `queue: before_append hook "first": hook says no`},
		{"panic", panics, memory.ErrPanic, `queue: before_append hook "first": memory: callback panicked: string`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.calls = nil
			q := newQueue(t, 3, &queue.Options[string]{
				Compact: func(context.Context, queue.CompactionInput[string]) ([]string, error) {
					s.calls = append(s.calls, "compact")
					return nil, nil
				},
				Hooks: queue.Hooks[string]{
					BeforeAppend: hooks{tt.first, s.hook("second", nil)},
					AfterAppend:  hooks{s.hook("after", nil)},
					OnEvict:      hooks{s.hook("evict", nil)},
				},
			}, "a", "b", "c")
			err := q.Append(t.Context(), "d")
			require.ErrorIs(t, err, tt.cause)
			require.EqualError(t, err, tt.text)
			assert.Equal(t, []string{"a", "b", "c"}, q.Items())
			assert.NotContains(t, strings.Join(s.calls, "\n"), "second")
			assert.LessOrEqual(t, len(s.calls), 1, "nothing else is called: %v", s.calls)
		})
	}
}

func TestAfterAppendErrorsAreJoined(t *testing.T) {
	t.Parallel()
	var s script
	errOther := errors.New("and so does this one")
	panics := queue.NewHook("panics", func(context.Context, queue.HookEvent[string]) error { panic(errOther) })
	q := newQueue(t, 1, hooked(queue.Hooks[string]{
		AfterAppend: hooks{s.hook("after 1", errHook), panics, s.hook("after 2", nil)},
		OnEvict:     hooks{s.hook("evict 1", errModel), s.hook("evict 2", nil)},
	}), "a")
	err := q.Append(t.Context(), "b")
	for _, cause := range []error{errHook, errOther, errModel, memory.ErrPanic} {
		require.ErrorIs(t, err, cause)
	}
	assert.Equal(t, []string{"evict 1: b | a", "evict 2: b | a", "after 1: b | b", "after 2: b | b"}, s.calls, "all are called")
	assert.Equal(t, []string{"b"}, q.Items(), "the items stay")
}

func TestHooksAreCheckedWhereTheyAreUsed(t *testing.T) {
	t.Parallel()
	a, b := queue.NewHook[string]("a", nil), queue.NewHook[string]("b", nil)
	other := queue.NewHook[string]("a", nil)
	tests := []struct {
		name  string
		hooks queue.Hooks[string]
		cause error
	}{
		{"nil", queue.Hooks[string]{AfterAppend: hooks{a, nil}}, queue.ErrHookName},
		{"no name", queue.Hooks[string]{OnEvict: hooks{queue.NewHook[string]("", nil)}}, queue.ErrHookName},
		{"zero", queue.Hooks[string]{BeforeAppend: hooks{new(queue.Hook[string])}}, queue.ErrHookName},
		{"two of a name", queue.Hooks[string]{BeforeAppend: hooks{a, b}, AfterAppend: hooks{other}}, queue.ErrHookTaken},
		{"one at several points", queue.Hooks[string]{BeforeAppend: hooks{a, a}, AfterAppend: hooks{a}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := queue.New(3, hooked(tt.hooks))
			require.ErrorIs(t, err, tt.cause)
			_, err = new(queue.Queue[string]).Branch(&queue.BranchOptions[string]{Hooks: &tt.hooks})
			require.ErrorIs(t, err, tt.cause)
		})
	}

	list := hooks{a}
	q, err := queue.New(3, hooked(queue.Hooks[string]{AfterAppend: list}))
	require.NoError(t, err)
	list[0] = nil
	require.NoError(t, q.Append(t.Context(), "a"), "the list is the queue's own, and a hook without a function does nothing")
	assert.Equal(t, "a", a.Name())
}

func TestHookRegistry(t *testing.T) {
	t.Parallel()
	a, b := queue.NewHook[string]("a", nil), queue.NewHook[string]("b", nil)
	r, err := queue.NewHookRegistry(a, b, a)
	require.NoError(t, err, "the same hook again is fine")
	require.NoError(t, r.Register(b))
	require.ErrorIs(t, r.Register(queue.NewHook[string]("a", nil)), queue.ErrHookTaken)
	require.ErrorIs(t, r.Register(nil), queue.ErrHookName)
	require.ErrorIs(t, r.Register(queue.NewHook[string]("", nil)), queue.ErrHookName)
	got, ok := r.Lookup("a")
	assert.True(t, ok)
	assert.Same(t, a, got, "the first one stays")
	_, ok = r.Lookup("c")
	assert.False(t, ok)

	_, err = queue.NewHookRegistry(a, queue.NewHook[string]("a", nil))
	require.ErrorIs(t, err, queue.ErrHookTaken)
	_, err = queue.NewHookRegistry[string](nil)
	require.ErrorIs(t, err, queue.ErrHookName)

	var zero queue.HookRegistry[string]
	_, ok = zero.Lookup("a")
	assert.False(t, ok)
	require.NoError(t, zero.Register(a))
}

func TestHookRegistryIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var r queue.HookRegistry[string]
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			for j := range 100 {
				name := fmt.Sprint(i, "/", j)
				assert.NoError(t, r.Register(queue.NewHook[string](name, nil)))
				_, ok := r.Lookup(name)
				assert.True(t, ok)
			}
		})
	}
	running.Wait()
}
