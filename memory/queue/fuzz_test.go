package queue_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// FuzzQueueState reads arbitrary bytes as the state of a queue of anything. Damage
// leaves the queue as it was; what was read is written and read again without a
// change.
func FuzzQueueState(f *testing.F) {
	for _, seed := range []string{
		`null`,
		`{"limit":3,"items":[]}`,
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
		q := setup()
		if err := q.UnmarshalJSON(data); err != nil {
			requireStateError(t, err)
			require.Equal(t, setup().Items(), q.Items())
			require.Equal(t, 4, q.Limit())
			return
		}
		require.GreaterOrEqual(t, q.Limit(), 1)
		require.LessOrEqual(t, q.Len(), q.Limit())
		again := setup()
		requireSameState(t, q, again)
		require.Equal(t, q.Items(), again.Items())
		require.NoError(t, q.Append(t.Context(), "next"))
	})
}

// FuzzPoolState is FuzzQueueState for a pool.
func FuzzPoolState(f *testing.F) {
	for _, seed := range []string{
		`null`,
		`{"items":[]}`,
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
			require.NoError(t, p.Add(t.Context(), contextItem("y")))
			return p
		}
		p := setup()
		if err := p.UnmarshalJSON(data); err != nil {
			requireStateError(t, err)
			require.Equal(t, setup().Items(), p.Items())
			require.Equal(t, 4, p.Limit())
			return
		}
		if p.Limit() > 0 {
			require.LessOrEqual(t, p.Len(), p.Limit())
		}
		for item := range p.All() {
			require.NotEmpty(t, item.ID)
			require.NotEmpty(t, item.Description)
			got, err := p.Get(item.ID)
			require.NoError(t, err)
			require.Equal(t, item, got)
		}
		require.Equal(t, max(p.Len()-1, 0), countLineBreaks(p.Catalogue()))
		again := setup()
		requireSameState(t, p, again)
		require.Equal(t, p.Items(), again.Items())
		require.NoError(t, p.Add(t.Context(), contextItem("next")))
	})
}

func requireStateError(t *testing.T, err error) {
	t.Helper()
	_, damaged := errors.AsType[*memory.StateError](err)
	_, unknown := errors.AsType[*queue.UnregisteredHookError](err)
	require.True(t, damaged || unknown, "got %v", err)
	require.Less(t, len(err.Error()), 1000)
}

// requireSameState writes one, reads it as the other, and compares what that writes.
func requireSameState(t *testing.T, one, other any) {
	t.Helper()
	written, err := json.Marshal(one)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(written, other))
	rewritten, err := json.Marshal(other)
	require.NoError(t, err)
	require.Equal(t, string(written), string(rewritten))
}

func countLineBreaks(text string) (n int) {
	for _, r := range text {
		if r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085' {
			n++
		}
	}
	return n
}
