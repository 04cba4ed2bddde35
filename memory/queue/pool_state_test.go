package queue_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

func TestPoolStateForm(t *testing.T) {
	t.Parallel()
	var s script
	a, b := s.itemHook("a", nil), s.itemHook("b", nil)
	tests := []struct {
		name string
		pool *queue.Pool
		want string
	}{
		{"zero", new(queue.Pool), `{"items":[]}`},
		{"in order", newPool(t, &queue.PoolOptions{Limit: 3}, "b", "a"),
			`{"limit":3,"items":[{"id":"b","description":"about b","content":"content of b"},{"id":"a","description":"about a","content":"content of a"}]}`},
		{"hooks by name", newPool(t, &queue.PoolOptions{Hooks: queue.PoolHooks{
			BeforeAdd: itemHooks{a, b}, AfterAdd: itemHooks{b}, BeforeRemove: itemHooks{a}, AfterRemove: itemHooks{a},
			BeforeClear: itemHooks{a}, AfterClear: itemHooks{a}, OnEvict: itemHooks{b, a},
		}}), `{"items":[],"hooks":{"before_add":["a","b"],"after_add":["b"],"before_remove":["a"],"after_remove":["a"],
			"before_clear":["a"],"after_clear":["a"],"on_evict":["b","a"]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			state, err := json.Marshal(tt.pool)
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(state))

			r, err := queue.NewHookRegistry(a, b)
			require.NoError(t, err)
			restored, err := queue.NewPool(&queue.PoolOptions{Limit: 1, Registry: r})
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(state, restored))
			assert.Equal(t, tt.pool.Items(), restored.Items())
			assert.Equal(t, tt.pool.Limit(), restored.Limit())
			again, err := json.Marshal(restored)
			require.NoError(t, err)
			assert.Equal(t, string(state), string(again))
		})
	}
}

func TestReadingPoolState(t *testing.T) {
	t.Parallel()
	item := func(id string) string { return `{"id":"` + id + `","description":"d"}` }
	tests := []struct {
		name, state string
		limit       int
		ids         string
	}{
		{"items missing", `{"limit":3}`, 3, ""},
		{"limit missing", `{"items":[` + item("a") + `]}`, 0, "a"},
		{"limit null", `{"limit":null}`, 0, ""},
		{"limit 0", `{"limit":0,"items":[` + item("a") + `]}`, 0, "a"},
		{"more items than the limit", `{"limit":2,"items":[` + item("a") + `,` + item("b") + `,` + item("c") + `]}`, 2, "b c"},
		{"repeated ids", `{"limit":2,"items":[` + item("a") + `,` + item("b") + `,` + item("a") + `,` + item("b") + `]}`, 2, "a b"},
		{"null changes nothing", `null`, 5, "before"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, &queue.PoolOptions{Limit: 5}, "before")
			require.NoError(t, json.Unmarshal([]byte(tt.state), p))
			assert.Equal(t, tt.limit, p.Limit())
			assert.Equal(t, tt.ids, poolIDs(p))
			require.NoError(t, p.Add(t.Context(), contextItem("next")))
			_, err := p.Get("next")
			require.NoError(t, err)
		})
	}
}

func TestDamagedPoolState(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, state string
		index       int
		cause       error
	}{
		{"not JSON", `secret`, -1, nil},
		{"cut off", `{"items":[{"id":"secret`, -1, nil},
		{"a list", `["secret"]`, -1, nil},
		{"limit negative", `{"limit":-77777}`, -1, queue.ErrLimit},
		{"limit too large", `{"limit":1073741825}`, -1, queue.ErrLimit},
		{"limit a string", `{"limit":"secret"}`, -1, nil},
		{"items an object", `{"items":{"secret":1}}`, -1, nil},
		{"item a string", `{"items":["secret"]}`, 0, nil},
		{"item null", `{"items":[null]}`, 0, memory.ErrNoID},
		{"id a number", `{"items":[{"id":77777,"description":"d"}]}`, 0, nil},
		{"no id", `{"items":[{"id":"a","description":"d"},{"description":"secret"}]}`, 1, memory.ErrNoID},
		{"no description", `{"items":[{"id":"secret"}]}`, 0, queue.ErrNoDescription},
		{"long id", `{"items":[{"id":"` + strings.Repeat("secret", memory.MaxIDBytes) + `","description":"d"}]}`, 0, memory.ErrTooLong},
		{"not UTF-8", "{\"items\":[{\"id\":\"secret\xff\",\"description\":\"d\"}]}", -1, nil},
		{"hooks at an unknown point", `{"hooks":{"before_append":["a"]}}`, -1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, &queue.PoolOptions{Limit: 5}, "x", "y")
			err := p.UnmarshalJSON([]byte(tt.state))
			damage, ok := errors.AsType[*memory.StateError](err)
			require.True(t, ok, "got %v", err)
			assert.Equal(t, tt.index, damage.Index)
			if tt.cause != nil {
				require.ErrorIs(t, err, tt.cause)
			}
			assert.NotContains(t, err.Error(), "secret")
			assert.NotContains(t, err.Error(), "77777")
			assert.Equal(t, "x y", poolIDs(p))
			assert.Equal(t, 5, p.Limit())
		})
	}
}

func TestPoolStateHooks(t *testing.T) {
	t.Parallel()
	var s script
	a, b := s.itemHook("a", nil), s.itemHook("b", nil)
	r, err := queue.NewHookRegistry(a, b)
	require.NoError(t, err)
	state := []byte(`{"hooks":{"after_add":["b"]}}`)

	registered := newPool(t, &queue.PoolOptions{Hooks: queue.PoolHooks{AfterAdd: itemHooks{a}}})
	err = json.Unmarshal(state, registered)
	missing, ok := errors.AsType[*queue.UnregisteredHookError](err)
	require.True(t, ok, "got %v", err)
	assert.Equal(t, queue.UnregisteredHookError{Hook: "b", Point: "after_add"}, *missing)
	require.NoError(t, registered.Add(t.Context(), contextItem("x")))
	assert.Equal(t, []string{"a: x | x"}, s.calls, "its hooks stay")

	s.calls = nil
	p, err := queue.NewPool(&queue.PoolOptions{Hooks: queue.PoolHooks{BeforeAdd: itemHooks{a}}, Registry: r})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(state, p))
	require.NoError(t, p.Add(t.Context(), contextItem("x")))
	assert.Equal(t, []string{"b: x | x"}, s.calls)
	require.NoError(t, json.Unmarshal([]byte(`{}`), p), "none are mentioned: they stay")
	require.NoError(t, p.Add(t.Context(), contextItem("y")))
	assert.Equal(t, []string{"b: x | x", "b: y | y"}, s.calls)
	require.NoError(t, json.Unmarshal([]byte(`{"hooks":{}}`), p))
	require.NoError(t, p.Add(t.Context(), contextItem("z")))
	assert.Len(t, s.calls, 2, "none are wanted")
	branch, err := p.Branch(&queue.PoolBranchOptions{Hooks: &queue.PoolHooks{}})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(state, branch), "a registry is inherited")
}
