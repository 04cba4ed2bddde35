package queue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

func TestStateForm(t *testing.T) {
	t.Parallel()
	var s script
	a, b, ia, ib := s.hook("a", nil), s.hook("b", nil), s.itemHook("a", nil), s.itemHook("b", nil)
	for _, test := range []struct {
		collection json.Marshaler
		want       string
	}{
		{new(queue.Queue[string]), `{"limit":10,"items":[]}`},
		{newQueue(t, 3, hooked(queue.Hooks[string]{BeforeAppend: hooks{a, b}, AfterAppend: hooks{b}, OnEvict: hooks{a}})),
			`{"limit":3,"items":[],"hooks":{"after_append":["b"],"before_append":["a","b"],"on_evict":["a"]}}`},
		{new(queue.Pool), `{"items":[]}`},
		{newPool(t, &queue.PoolOptions{Limit: 3}, "b", "a"),
			`{"limit":3,"items":[{"content":"content of b","description":"about b","id":"b"},{"content":"content of a","description":"about a","id":"a"}]}`},
		{newPool(t, &queue.PoolOptions{Hooks: queue.PoolHooks{
			BeforeAdd: itemHooks{ia, ib}, AfterAdd: itemHooks{ib}, BeforeRemove: itemHooks{ia}, AfterRemove: itemHooks{ia},
			BeforeClear: itemHooks{ia}, AfterClear: itemHooks{ia}, OnEvict: itemHooks{ib, ia},
		}}), `{"items":[],"hooks":{"after_add":["b"],"after_clear":["a"],"after_remove":["a"],"before_add":["a","b"],` +
			`"before_clear":["a"],"before_remove":["a"],"on_evict":["b","a"]}}`},
	} {
		state, err := json.Marshal(test.collection)
		require.NoError(t, err)
		assert.Equal(t, test.want, string(state))

		r, err := queue.NewHookRegistry(a, b)
		require.NoError(t, err)
		ir, err := queue.NewHookRegistry(ia, ib)
		require.NoError(t, err)
		var restored any
		if _, ok := test.collection.(*queue.Pool); ok {
			restored, err = queue.NewPool(&queue.PoolOptions{Limit: 1, Registry: ir})
		} else {
			restored, err = queue.New(1, &queue.Options[string]{Registry: r})
		}
		require.NoError(t, err)
		requireRoundTrip(t, test.collection, restored)
	}
}

func TestReadState(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]struct {
		limit int
		items []string
	}{
		`{"limit":3}`: {3, []string{}},
		`{"limit":3,"later":{"x":[1]},"items":["a"]}`:    {3, []string{"a"}},
		" \n{\"items\":[\"a\",\"b\",\"c\"],\"limit\":1}": {1, []string{"c"}},
		`null`: {5, []string{"before"}},
	} {
		q := newQueue(t, 5, nil, "before")
		require.NoError(t, json.Unmarshal([]byte(state), q))
		assert.Equal(t, want.limit, q.Limit(), state)
		assert.Equal(t, want.items, q.Items(), state)
	}
	const a, b, c = `{"id":"a","description":"d"}`, `{"id":"b","description":"d"}`, `{"id":"c","description":"d"}`
	for state, want := range map[string]struct {
		limit int
		ids   string
	}{
		`{"limit":3}`:                        {3, ""},
		`{"limit":null,"items":[` + a + `]}`: {0, "a"},
		`{"limit":2,"items":[` + a + `,` + b + `,` + a + `,` + c + `]}`: {2, "b c"},
		`null`: {5, "before"},
	} {
		p := newPool(t, &queue.PoolOptions{Limit: 5}, "before")
		require.NoError(t, json.Unmarshal([]byte(state), p))
		assert.Equal(t, want.limit, p.Limit(), state)
		assert.Equal(t, want.ids, poolIDs(p), state)
	}
}

func TestInvalidState(t *testing.T) {
	t.Parallel()
	type invalid struct {
		state string
		index int
		is    error
	}
	both := []invalid{
		{`{"limit":3,"items":[{"id":"secret`, -1, nil},
		{`["secret"]`, -1, nil},
		{`{"limit":-77777}`, -1, queue.ErrLimit},
		{`{"limit":1073741825}`, -1, queue.ErrLimit},
		{`{"limit":3,"items":{"secret":1}}`, -1, nil},
		{`{"limit":3,"hooks":{"on_evict":["a"],"secret":[]}}`, -1, nil},
		{"{\"limit\":3,\"items\":[\"secret\xff\"]}", -1, nil},
	}
	check := func(c json.Unmarshaler, test invalid) {
		before, err := json.Marshal(c)
		require.NoError(t, err)
		err = c.UnmarshalJSON([]byte(test.state))
		state, ok := errors.AsType[*memory.StateError](err)
		require.True(t, ok, "%.99s: %v", test.state, err)
		assert.Equal(t, test.index, state.Index, "%.99s", test.state)
		require.Error(t, errors.Unwrap(err))
		if test.is != nil {
			require.ErrorIs(t, err, test.is)
		}
		assert.NotContains(t, err.Error(), "secret")
		assert.NotContains(t, err.Error(), "77777")
		after, err := json.Marshal(c)
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after))
	}
	for _, test := range append(both,
		invalid{`{"items":["secret"]}`, -1, queue.ErrLimit},
		invalid{`{"limit":3,"items":["a",77777]}`, 1, nil},
		invalid{`{"limit":1}` + strings.Repeat(" ", memory.MaxStateBytes), -1, nil},
	) {
		check(newQueue(t, 5, hooked(queue.Hooks[string]{OnEvict: hooks{queue.NewHook[string]("a", nil)}}), "x", "y"), test)
	}
	for _, test := range append(both,
		invalid{`{"items":[null]}`, 0, memory.ErrNoID},
		invalid{`{"items":[{"id":"a","description":"d"},{"description":"secret"}]}`, 1, memory.ErrNoID},
		invalid{`{"items":[{"id":"secret"}]}`, 0, queue.ErrNoDescription},
		invalid{`{"hooks":{"before_append":["a"]}}`, -1, nil},
	) {
		check(newPool(t, &queue.PoolOptions{Limit: 5, Hooks: queue.PoolHooks{OnEvict: itemHooks{queue.NewHook[queue.ContextItem]("a", nil)}}}, "x", "y"), test)
	}

	// The text of an error of an item is not shown, but it can be unwrapped.
	q, err := queue.New[quoting](3, nil)
	require.NoError(t, err)
	err = q.UnmarshalJSON([]byte(`{"limit":3,"items":["secret"]}`))
	require.ErrorIs(t, err, errModel)
	assert.NotContains(t, err.Error(), "secret")
}

// quoting is a type whose errors quote the input.
type quoting string

func (*quoting) UnmarshalJSON(data []byte) error { return fmt.Errorf("%w: %s", errModel, data) }

func TestStateHooks(t *testing.T) {
	t.Parallel()
	var s script
	a, b := s.hook("a", nil), s.hook("b", nil)
	r, err := queue.NewHookRegistry(a, b)
	require.NoError(t, err)
	for _, test := range []struct {
		hooks    string
		registry *queue.HookRegistry[string]
		calls    string
		missing  queue.UnregisteredHookError
	}{
		{``, r, "a", queue.UnregisteredHookError{}},
		{`,"hooks":{}`, r, "", queue.UnregisteredHookError{}},
		{`,"hooks":{"before_append":["b","a"],"on_evict":["b"]}`, r, "bab", queue.UnregisteredHookError{}},
		{`,"hooks":{"before_append":["a"]}`, nil, "a", queue.UnregisteredHookError{}},
		{`,"hooks":{"before_append":["a","b"]}`, nil, "", queue.UnregisteredHookError{Hook: "b", Point: "before_append"}},
		{`,"hooks":{"after_append":["a"],"on_evict":["a","c"]}`, r, "", queue.UnregisteredHookError{Hook: "c", Point: "on_evict"}},
	} {
		q, err := queue.New(5, &queue.Options[string]{Registry: test.registry, Hooks: queue.Hooks[string]{AfterAppend: hooks{a}}})
		require.NoError(t, err)
		err = q.UnmarshalJSON([]byte(`{"limit":1` + test.hooks + `}`))
		if test.missing.Point != "" {
			assert.Equal(t, &test.missing, err)
			assert.Equal(t, 5, q.Limit(), "nothing is changed")
			continue
		}
		require.NoError(t, err)
		s.calls = nil
		require.NoError(t, q.Append(t.Context(), "x", "y"))
		calls := ""
		for _, call := range s.calls {
			calls += call[:1]
		}
		assert.Equal(t, test.calls, calls, test.hooks)
	}

	err = &queue.UnregisteredHookError{Hook: "keep\n" + strings.Repeat("x", 1000), Point: "after_append"}
	assert.Contains(t, err.Error(), `queue: after_append hook "keep\nxxx`)
	assert.Less(t, len(err.Error()), 200, "a long name is truncated")
}

// A registry is inherited by branches; the hooks without one are those of the branch.
func TestStateHooksOfBranches(t *testing.T) {
	t.Parallel()
	a, b := queue.NewHook[string]("a", nil), queue.NewHook[string]("b", nil)
	state := []byte(`{"limit":2,"hooks":{"after_append":["a"]}}`)
	other := &queue.BranchOptions[string]{Hooks: &queue.Hooks[string]{OnEvict: hooks{b}}}
	r, err := queue.NewHookRegistry(a)
	require.NoError(t, err)
	registered, err := queue.New(3, &queue.Options[string]{Registry: r})
	require.NoError(t, err)
	require.NoError(t, branchOf(t, registered, other).UnmarshalJSON(state))
	made := newQueue(t, 3, hooked(queue.Hooks[string]{BeforeAppend: hooks{a}}))
	require.NoError(t, made.UnmarshalJSON([]byte(`{"limit":3,"hooks":{}}`)))
	require.NoError(t, branchOf(t, made, nil).UnmarshalJSON(state), "hooks that a state removed are still known")
	require.Error(t, branchOf(t, made, other).UnmarshalJSON(state))

	poolHooks, err := queue.NewHookRegistry(queue.NewHook[queue.ContextItem]("a", nil))
	require.NoError(t, err)
	p, err := queue.NewPool(&queue.PoolOptions{Registry: poolHooks})
	require.NoError(t, err)
	p, err = p.Branch(&queue.PoolBranchOptions{Hooks: &queue.PoolHooks{}})
	require.NoError(t, err)
	require.NoError(t, p.UnmarshalJSON([]byte(`{"hooks":{"after_add":["a"]}}`)))
}

func TestQueueStateIsLossless(t *testing.T) {
	t.Parallel()
	lossless(t, "", "a", "ä\u2028<&>\x00\"\\", "null", strings.Repeat("x", 10_000))
	lossless(t, new("a"), nil, new(""))
	lossless(t, json.RawMessage(`{"b":[1,2.50,{"a":null}],"a":1e400}`), json.RawMessage(`null`), json.RawMessage(`""`))

	q, err := queue.New[float64](2, nil)
	require.NoError(t, err)
	require.NoError(t, q.Append(t.Context(), math.NaN()))
	_, err = json.Marshal(q)
	require.Error(t, err)
}

// lossless checks a round trip of a queue of any items.
func lossless[T any](t *testing.T, items ...T) {
	t.Helper()
	q, err := queue.New[T](len(items), nil)
	require.NoError(t, err)
	require.NoError(t, q.Append(t.Context(), items...))
	var restored queue.Queue[T]
	requireRoundTrip(t, q, &restored)
	assert.Equal(t, items, restored.Items())
}

// requireRoundTrip restores the state of one collection into another, which must then
// have the same state.
func requireRoundTrip(t *testing.T, from, to any) {
	t.Helper()
	written, err := json.Marshal(from)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(written, to))
	rewritten, err := json.Marshal(to)
	require.NoError(t, err)
	require.Equal(t, string(written), string(rewritten))
}

// FuzzQueueState reads arbitrary bytes as a state. An invalid state changes nothing; a
// valid one survives another round trip.
func FuzzQueueState(f *testing.F) {
	for _, seed := range []string{
		`null`,
		`{"limit":2,"items":["a",{"b":[1,2.5,null]},"c"],"hooks":{"before_append":["a","a"],"on_evict":[]}}`,
		`{"limit":1073741824,"items":null,"hooks":null}`,
		`{"limit":0}`, `{"items":[1]}`, `{"limit":1e1}`, `{"limit":3,"items":{}}`,
		`{"limit":3,"hooks":{"after_append":["b"]}}`, `{"limit":3,"hooks":{"x":[]}}`,
		`{"limit":3,"items":["\ud800","` + "\u2028" + `<&>"],"Items":[1],"limit":1}`,
		`{"limit":3,"items":["a"`,
	} {
		f.Add([]byte(seed))
	}
	registry, err := queue.NewHookRegistry(queue.NewHook[any]("a", nil))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		setup := func() *queue.Queue[any] {
			q, err := queue.New(4, &queue.Options[any]{Registry: registry})
			require.NoError(t, err)
			require.NoError(t, q.Append(t.Context(), "before", 1.5))
			return q
		}
		q, again := setup(), setup()
		if err := q.UnmarshalJSON(data); err != nil {
			requireStateError(t, err)
			require.Equal(t, again, q)
			return
		}
		require.GreaterOrEqual(t, q.Limit(), 1)
		require.LessOrEqual(t, q.Len(), q.Limit())
		requireRoundTrip(t, q, again)
		require.Equal(t, q.Items(), again.Items())
	})
}

func requireStateError(t *testing.T, err error) {
	t.Helper()
	_, invalid := errors.AsType[*memory.StateError](err)
	_, unknown := errors.AsType[*queue.UnregisteredHookError](err)
	require.True(t, invalid || unknown, "got %v", err)
	require.Less(t, len(err.Error()), 1000)
}

// FuzzPoolState is like FuzzQueueState.
func FuzzPoolState(f *testing.F) {
	for _, seed := range []string{
		`null`,
		`{"limit":2,"items":[{"id":"a","description":"d","content":"c"},{"id":"b","description":"d"},{"id":"a","description":"e"}]}`,
		`{"limit":1,"items":[{"id":"a","description":"d"},{"id":"b","description":"d"}],"hooks":{"on_evict":["a"],"before_add":["a"]}}`,
		`{"limit":-1}`, `{"items":[null]}`, `{"items":[{"id":"a"}]}`, `{"items":[{"description":"d"}]}`,
		`{"items":[{"id":"\ud800\n]","description":"<|x|>\u2028"}]}`,
		`{"hooks":{"after_clear":["b"]}}`, `{"hooks":{"x":[]}}`, `{"items":[`,
	} {
		f.Add([]byte(seed))
	}
	registry, err := queue.NewHookRegistry(queue.NewHook[queue.ContextItem]("a", nil))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		setup := func() *queue.Pool {
			p, err := queue.NewPool(&queue.PoolOptions{Limit: 4, Registry: registry})
			require.NoError(t, err)
			require.NoError(t, p.Add(t.Context(), contextItem("x")))
			return p
		}
		p, again := setup(), setup()
		if err := p.UnmarshalJSON(data); err != nil {
			requireStateError(t, err)
			require.Equal(t, []any{4, again.Items()}, []any{p.Limit(), p.Items()})
			return
		}
		require.True(t, p.Limit() == 0 || p.Len() <= p.Limit())
		for item := range p.All() {
			require.NotEmpty(t, item.ID)
			require.NotEmpty(t, item.Description)
		}
		require.Len(t, strings.FieldsFunc(p.Catalogue(), func(r rune) bool { return strings.ContainsRune("\n\r\u2028\u2029\u0085", r) }), p.Len())
		requireRoundTrip(t, p, again)
		require.Equal(t, p.Items(), again.Items())
	})
}
