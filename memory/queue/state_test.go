package queue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

func TestQueueStateForm(t *testing.T) {
	t.Parallel()
	a, b := queue.NewHook[string]("a", nil), queue.NewHook[string]("b", nil)
	tests := []struct {
		name  string
		queue *queue.Queue[string]
		want  string
	}{
		{"zero", new(queue.Queue[string]), `{"limit":10,"items":[]}`},
		{"oldest first", newQueue(t, 3, nil, "x", "y"), `{"limit":3,"items":["x","y"]}`},
		{"a compaction is not stored", newQueue(t, 3, compacting(queue.DropMiddle[string](1, 1)), "x"), `{"limit":3,"items":["x"]}`},
		{"hooks by name", newQueue(t, 3, hooked(queue.Hooks[string]{
			BeforeAppend: hooks{a, b}, AfterAppend: hooks{b}, OnEvict: hooks{a},
		})), `{"limit":3,"items":[],"hooks":{"before_append":["a","b"],"after_append":["b"],"on_evict":["a"]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			state, err := json.Marshal(tt.queue)
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(state))
		})
	}
}

func TestReadingQueueState(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, state string
		limit       int
		items       []string
	}{
		{"all there", `{"limit":3,"items":["a","b"]}`, 3, []string{"a", "b"}},
		{"items missing", `{"limit":3}`, 3, []string{}},
		{"items null", `{"limit":3,"items":null}`, 3, []string{}},
		{"more items than the limit", `{"limit":2,"items":["a","b","c","d"]}`, 2, []string{"c", "d"}},
		{"the limit last", `{"items":["a","b","c"],"limit":1}`, 1, []string{"c"}},
		{"the largest limit", `{"limit":1073741824,"items":["a"]}`, 1 << 30, []string{"a"}},
		{"unknown fields", `{"limit":3,"later":{"x":[1]},"items":["a"]}`, 3, []string{"a"}},
		{"space", " \n{ \"limit\" : 3 , \"items\" : [ \"a\" , \"b\" ] }\t", 3, []string{"a", "b"}},
		{"null changes nothing", `null`, 5, []string{"before"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 5, nil, "before")
			require.NoError(t, json.Unmarshal([]byte(tt.state), q))
			assert.Equal(t, tt.limit, q.Limit())
			assert.Equal(t, tt.items, q.Items())
			require.NoError(t, q.Append(t.Context(), "next"), "it goes on")
			assert.Equal(t, "next", q.Items()[q.Len()-1])
			assert.LessOrEqual(t, q.Len(), q.Limit())
		})
	}
}

func TestDamagedQueueState(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, state string
		index       int
		cause       error
	}{
		{"nothing at all", ``, -1, nil},
		{"not JSON", `secret`, -1, nil},
		{"cut off", `{"limit":3,"items":["secret`, -1, nil},
		{"a list", `["secret"]`, -1, nil},
		{"a string", `"secret"`, -1, nil},
		{"limit missing", `{"items":["secret"]}`, -1, queue.ErrLimit},
		{"limit null", `{"limit":null,"items":["secret"]}`, -1, queue.ErrLimit},
		{"limit 0", `{"limit":0}`, -1, queue.ErrLimit},
		{"limit negative", `{"limit":-77777}`, -1, queue.ErrLimit},
		{"limit too large", `{"limit":1073741825}`, -1, queue.ErrLimit},
		{"limit larger than any number", `{"limit":7777777777777777777777}`, -1, nil},
		{"limit no whole number", `{"limit":7.77777}`, -1, nil},
		{"limit a string", `{"limit":"secret"}`, -1, nil},
		{"items an object", `{"limit":3,"items":{"secret":1}}`, -1, nil},
		{"items a string", `{"limit":3,"items":"secret"}`, -1, nil},
		{"item of another type", `{"limit":3,"items":["a",77777]}`, 1, nil},
		{"damage in an item that would not stay", `{"limit":1,"items":[{"secret":1},"b","c"]}`, 0, nil},
		{"hooks a string", `{"limit":3,"hooks":"secret"}`, -1, nil},
		{"hooks a list", `{"limit":3,"hooks":["secret"]}`, -1, nil},
		{"hooks of a point a string", `{"limit":3,"hooks":{"after_append":"secret"}}`, -1, nil},
		{"hooks at an unknown point", `{"limit":3,"hooks":{"after_append":["a"],"secret":[]}}`, -1, nil},
		{"not UTF-8", "{\"limit\":3,\"items\":[\"secret\xff\"]}", -1, nil},
		{"very deep", `{"limit":3,"items":` + strings.Repeat("[", 100_000), -1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 5, hooked(queue.Hooks[string]{AfterAppend: hooks{queue.NewHook[string]("a", nil)}}), "x", "y")
			before, err := json.Marshal(q)
			require.NoError(t, err)

			err = q.UnmarshalJSON([]byte(tt.state))
			damage, ok := errors.AsType[*memory.StateError](err)
			require.True(t, ok, "got %v", err)
			assert.Equal(t, tt.index, damage.Index)
			require.Error(t, errors.Unwrap(err))
			if tt.cause != nil {
				require.ErrorIs(t, err, tt.cause)
			}
			assert.NotContains(t, err.Error(), "secret")
			assert.NotContains(t, err.Error(), "77777")
			require.Error(t, json.Unmarshal([]byte(tt.state), q))

			after, err := json.Marshal(q)
			require.NoError(t, err)
			assert.Equal(t, string(before), string(after), "damage changes nothing")
		})
	}

	q := newQueue(t, 3, nil, "a")
	err := q.UnmarshalJSON([]byte(`{"limit":1}` + strings.Repeat(" ", memory.MaxStateBytes)))
	_, ok := errors.AsType[*memory.StateError](err)
	assert.True(t, ok, "got %v", err)
	assert.Equal(t, 1, q.Len())
}

// grumpy is a type that quotes what it does not like.
type grumpy string

func (g *grumpy) UnmarshalJSON(data []byte) error { return fmt.Errorf("%w: %s", errModel, data) }

func TestStateErrorKeepsQuietAboutItems(t *testing.T) {
	t.Parallel()
	q, err := queue.New[grumpy](3, nil)
	require.NoError(t, err)
	err = q.UnmarshalJSON([]byte(`{"limit":3,"items":["secret"]}`))
	require.ErrorIs(t, err, errModel, "the cause can be asked")
	assert.NotContains(t, err.Error(), "secret")
}

func TestQueueStateHooks(t *testing.T) {
	t.Parallel()
	var s script
	a, b := s.hook("a", nil), s.hook("b", nil)
	r, err := queue.NewHookRegistry(a, b)
	require.NoError(t, err)
	made := queue.Hooks[string]{AfterAppend: hooks{a}}
	tests := []struct {
		name     string
		registry *queue.HookRegistry[string]
		state    string
		calls    []string
		missing  queue.UnregisteredHookError
	}{
		{"not mentioned: those of the queue stay", r, `{"limit":1}`, []string{"a"}, queue.UnregisteredHookError{}},
		{"null is not mentioned", r, `{"limit":1,"hooks":null}`, []string{"a"}, queue.UnregisteredHookError{}},
		{"none", r, `{"limit":1,"hooks":{}}`, nil, queue.UnregisteredHookError{}},
		{"none at a point", r, `{"limit":1,"hooks":{"after_append":[]}}`, nil, queue.UnregisteredHookError{}},
		{"others", r, `{"limit":1,"hooks":{"before_append":["b","a"],"on_evict":["b"]}}`, []string{"b", "a", "b"}, queue.UnregisteredHookError{}},
		{"without a registry those it was made with", nil, `{"limit":1,"hooks":{"before_append":["a"]}}`, []string{"a"}, queue.UnregisteredHookError{}},
		{"without a registry no others", nil, `{"limit":1,"hooks":{"before_append":["a","b"]}}`, nil, queue.UnregisteredHookError{Hook: "b", Point: "before_append"}},
		{"unknown", r, `{"limit":1,"items":["z"],"hooks":{"after_append":["a"],"on_evict":["a","c"]}}`, nil, queue.UnregisteredHookError{Hook: "c", Point: "on_evict"}},
		{"no name", r, `{"limit":1,"hooks":{"on_evict":[""]}}`, nil, queue.UnregisteredHookError{Point: "on_evict"}},
		{"a null name", r, `{"limit":1,"hooks":{"on_evict":[null]}}`, nil, queue.UnregisteredHookError{Point: "on_evict"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, err := queue.New(5, &queue.Options[string]{Hooks: made, Registry: tt.registry})
			require.NoError(t, err)
			err = json.Unmarshal([]byte(tt.state), q)
			if tt.missing.Point != "" {
				missing, ok := errors.AsType[*queue.UnregisteredHookError](err)
				require.True(t, ok, "got %v", err)
				assert.Equal(t, tt.missing, *missing)
				assert.Zero(t, q.Len())
				assert.Equal(t, 5, q.Limit(), "nothing was changed")
				return
			}
			require.NoError(t, err)
			s.calls = nil
			require.NoError(t, q.Append(t.Context(), "x", "y"))
			var calls []string
			for _, call := range s.calls {
				calls = append(calls, call[:1])
			}
			assert.Equal(t, tt.calls, calls)
		})
	}

	err = &queue.UnregisteredHookError{Hook: "keep\n" + strings.Repeat("x", 1000), Point: "after_append"}
	assert.Contains(t, err.Error(), `queue: after_append hook "keep\nxxx`)
	assert.Less(t, len(err.Error()), 200, "a hostile name is cut")
}

// Hooks of a state can be removed, and those the queue was made with found again.
func TestQueueHooksAreFoundAgain(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 3, hooked(queue.Hooks[string]{AfterAppend: hooks{queue.NewHook[string]("a", nil)}}), "x")
	state, err := json.Marshal(q)
	require.NoError(t, err)
	require.NoError(t, q.UnmarshalJSON([]byte(`{"limit":3,"hooks":{}}`)))
	require.NoError(t, q.UnmarshalJSON(state))
	again, err := json.Marshal(q)
	require.NoError(t, err)
	assert.Equal(t, string(state), string(again))
}

type event struct {
	Name  string         `json:"name,omitempty"`
	At    time.Time      `json:"at"`
	Parts []event        `json:"parts,omitempty"`
	Meta  map[string]any `json:"meta,omitempty"`
	Next  *event         `json:"next"`
}

func TestQueueStateIsLossless(t *testing.T) {
	t.Parallel()
	lossless(t, "strings", "", "a", "ä\u2028<&>\x00\"\\", "null", strings.Repeat("x", 100_000))
	lossless(t, "numbers", 0, -1, math.MaxInt, math.MinInt)
	lossless(t, "floats", 0.1, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1))
	lossless(t, "truths", true, false)
	lossless(t, "pointers", new("a"), nil, new(""))
	lossless(t, "lists", []string{"a"}, nil, []string{}, []string{"", "b"})
	lossless(t, "maps", map[string]int{"a": 1, "": 2}, nil, map[string]int{})
	lossless(t, "raw", json.RawMessage(`{"b":[1,2.50,{"a":null}],"a":1e400}`), json.RawMessage(`null`), json.RawMessage(`""`))
	lossless[any](t, "anything", "a", nil, 1.5, []any{nil, "x", map[string]any{"k": true}}, map[string]any{})
	lossless(t, "context items", queue.ContextItem{Content: "c"}, queue.ContextItem{}, queue.ContextItem{Content: "c", Description: "d", ID: "i"})
	lossless(t, "structs", event{}, event{
		Name: "a", At: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Parts: []event{{Name: "b"}, {}}, Meta: map[string]any{"x": []any{1.5}}, Next: &event{Name: "c"},
	})
}

// lossless checks that a queue of any items is the same after it was written and
// read.
func lossless[T any](t *testing.T, name string, items ...T) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		q, err := queue.New[T](len(items), nil)
		require.NoError(t, err)
		require.NoError(t, q.Append(t.Context(), items...))
		state, err := json.Marshal(q)
		require.NoError(t, err)
		var restored queue.Queue[T]
		require.NoError(t, json.Unmarshal(state, &restored))
		assert.Equal(t, q.Limit(), restored.Limit())
		assert.Equal(t, items, restored.Items())
		again, err := json.Marshal(&restored)
		require.NoError(t, err)
		assert.Equal(t, string(state), string(again))
	})
}

func TestQueueOfWhatJSONCannotExpress(t *testing.T) {
	t.Parallel()
	q, err := queue.New[float64](2, nil)
	require.NoError(t, err)
	require.NoError(t, q.Append(t.Context(), math.NaN()))
	_, err = json.Marshal(q)
	require.Error(t, err)
}
