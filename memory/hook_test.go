package memory_test

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
)

var errHook = errors.New("hook says no")

// script notes what hooks are told, in the order in which they are called.
type script struct{ calls []string }

// hook makes a hook of texts that notes its name, the items and the subject, then
// spoils both, and fails if it is told to.
func (s *script) hook(name string, err error) *memory.Hook[string] {
	return memory.NewHook(name, func(_ context.Context, e memory.HookEvent[string]) error {
		s.calls = append(s.calls, fmt.Sprintf("%s: %s | %s", name, strings.Join(e.Items, " "), strings.Join(e.Subject, " ")))
		clear(e.Items)
		clear(e.Subject)
		return err
	})
}

// hooked are options with hooks only.
func hooked(hooks memory.QueueHooks[string]) *memory.QueueOptions[string] {
	return &memory.QueueOptions[string]{Hooks: hooks}
}

type hooks = []*memory.Hook[string]

func TestQueueHooksRunInOrder(t *testing.T) {
	t.Parallel()
	var s script
	q := newQueue(t, 3, &memory.QueueOptions[string]{
		Compact: func(_ context.Context, w memory.Window[string]) ([]string, error) {
			s.calls = append(s.calls, "compact: "+strings.Join(w.Items, " "))
			return w.Items, nil
		},
		Hooks: memory.QueueHooks[string]{
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
	change := memory.NewHook("change", func(context.Context, memory.HookEvent[string]) error {
		given[0] = "changed"
		return nil
	})
	q := newQueue(t, 3, hooked(memory.QueueHooks[string]{BeforeAppend: hooks{change}}))
	require.NoError(t, q.Append(t.Context(), given...))
	assert.Equal(t, []string{"a", "b"}, q.Items())
}

func TestOnEvictIsToldWhatFellOut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		compact         memory.CompactFunc[string]
		items, appended string
		want            []string
	}{
		{"nothing", nil, "a b", "c", nil},
		{"one", nil, "a b c", "d", []string{"evict: b c d | a"}},
		{"all", nil, "a b c", "d e f", []string{"evict: d e f | a b c"}},
		{"appended ones that never fitted", nil, "a", "b c d e f", []string{"evict: d e f | a b c"}},
		{"nothing appended", nil, "a b c", "", nil},
		{"not what a compaction left out", memory.DropMiddle[string](1, 1), "a b c", "d", nil},
		{"but what it returned too much", func(context.Context, memory.Window[string]) ([]string, error) {
			return []string{"1", "2", "3", "4"}, nil
		}, "a b c", "d", []string{"evict: 3 4 d | 1 2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s script
			q := newQueue(t, 3, &memory.QueueOptions[string]{
				Compact: tt.compact,
				Hooks:   memory.QueueHooks[string]{OnEvict: hooks{s.hook("evict", nil)}},
			}, strings.Fields(tt.items)...)
			require.NoError(t, q.Append(t.Context(), strings.Fields(tt.appended)...))
			assert.Equal(t, tt.want, s.calls)
		})
	}

	var s script
	q := newQueue(t, 3, hooked(memory.QueueHooks[string]{OnEvict: hooks{s.hook("evict", nil)}}), "a", "b", "c")
	require.NoError(t, q.Clear(t.Context()))
	_, err := q.Branch(&memory.QueueBranchOptions[string]{Limit: new(1)})
	require.NoError(t, err)
	require.NoError(t, q.UnmarshalJSON([]byte(`{"limit":1,"items":["d","e"]}`)))
	assert.Empty(t, s.calls, "what was cleared, not taken over or replaced did not fall out")
}

func TestBeforeAppendCanRefuse(t *testing.T) {
	t.Parallel()
	panics := memory.NewHook("first", func(context.Context, memory.HookEvent[string]) error { panic("secret") })
	var s script
	tests := []struct {
		name  string
		first *memory.Hook[string]
		cause error
		text  string
	}{
		{"error", s.hook("first", errHook), errHook, `memory: before_append hook "first": hook says no`},
		{"panic", panics, memory.ErrPanic, `memory: before_append hook "first": memory: callback panicked: string`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.calls = nil
			q := newQueue(t, 3, &memory.QueueOptions[string]{
				Compact: func(context.Context, memory.Window[string]) ([]string, error) {
					s.calls = append(s.calls, "compact")
					return nil, nil
				},
				Hooks: memory.QueueHooks[string]{
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
	panics := memory.NewHook("panics", func(context.Context, memory.HookEvent[string]) error { panic(errOther) })
	q := newQueue(t, 1, hooked(memory.QueueHooks[string]{
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
	a, b := memory.NewHook[string]("a", nil), memory.NewHook[string]("b", nil)
	other := memory.NewHook[string]("a", nil)
	tests := []struct {
		name  string
		hooks memory.QueueHooks[string]
		cause error
	}{
		{"nil", memory.QueueHooks[string]{AfterAppend: hooks{a, nil}}, memory.ErrHookName},
		{"no name", memory.QueueHooks[string]{OnEvict: hooks{memory.NewHook[string]("", nil)}}, memory.ErrHookName},
		{"zero", memory.QueueHooks[string]{BeforeAppend: hooks{new(memory.Hook[string])}}, memory.ErrHookName},
		{"two of a name", memory.QueueHooks[string]{BeforeAppend: hooks{a, b}, AfterAppend: hooks{other}}, memory.ErrHookTaken},
		{"one at several points", memory.QueueHooks[string]{BeforeAppend: hooks{a, a}, AfterAppend: hooks{a}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := memory.NewQueue(3, hooked(tt.hooks))
			require.ErrorIs(t, err, tt.cause)
			_, err = new(memory.Queue[string]).Branch(&memory.QueueBranchOptions[string]{Hooks: &tt.hooks})
			require.ErrorIs(t, err, tt.cause)
		})
	}

	list := hooks{a}
	q, err := memory.NewQueue(3, hooked(memory.QueueHooks[string]{AfterAppend: list}))
	require.NoError(t, err)
	list[0] = nil
	require.NoError(t, q.Append(t.Context(), "a"), "the list is the queue's own, and a hook without a function does nothing")
	assert.Equal(t, "a", a.Name())
}

func TestHookRegistry(t *testing.T) {
	t.Parallel()
	a, b := memory.NewHook[string]("a", nil), memory.NewHook[string]("b", nil)
	r, err := memory.NewHookRegistry(a, b, a)
	require.NoError(t, err, "the same hook again is fine")
	require.NoError(t, r.Register(b))
	require.ErrorIs(t, r.Register(memory.NewHook[string]("a", nil)), memory.ErrHookTaken)
	require.ErrorIs(t, r.Register(nil), memory.ErrHookName)
	require.ErrorIs(t, r.Register(memory.NewHook[string]("", nil)), memory.ErrHookName)
	got, ok := r.Lookup("a")
	assert.True(t, ok)
	assert.Same(t, a, got, "the first one stays")
	_, ok = r.Lookup("c")
	assert.False(t, ok)

	_, err = memory.NewHookRegistry(a, memory.NewHook[string]("a", nil))
	require.ErrorIs(t, err, memory.ErrHookTaken)
	_, err = memory.NewHookRegistry[string](nil)
	require.ErrorIs(t, err, memory.ErrHookName)

	var zero memory.HookRegistry[string]
	_, ok = zero.Lookup("a")
	assert.False(t, ok)
	require.NoError(t, zero.Register(a))
}

func TestHookRegistryIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var r memory.HookRegistry[string]
	var running sync.WaitGroup
	for i := range 4 {
		running.Go(func() {
			for j := range 100 {
				name := fmt.Sprint(i, "/", j)
				assert.NoError(t, r.Register(memory.NewHook[string](name, nil)))
				_, ok := r.Lookup(name)
				assert.True(t, ok)
			}
		})
	}
	running.Wait()
}
