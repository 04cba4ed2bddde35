package queue_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/queue"
)

func TestCompactFails(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 3, compacting(queue.SummarizeOlder(1, func(_ context.Context, older []string) (string, error) {
		clear(older)
		return "partial", errModel
	})), "a", "b", "c")
	for range 2 { // the turn is released
		err := q.Append(t.Context(), "new")
		require.ErrorIs(t, err, errModel)
		require.EqualError(t, err, "queue: compact: model failed")
		assert.Equal(t, []string{"a", "b", "c"}, q.Items())
	}
	q = newQueue(t, 3, compacting(func(context.Context, queue.CompactionInput[string]) ([]string, error) { panic("secret") }), "a")
	require.EqualError(t, q.Append(t.Context(), "new"), "queue: compact: memory: callback panicked: string")
}

// join returns a summary that shows its items.
func join(_ context.Context, older []string) (string, error) {
	return "(" + strings.Join(append(older, "more")[:len(older)], " ") + ")", nil
}

func TestSummarizeOlder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		limit, keepLast int
		items           string
		appended, want  string
	}{
		{"room is left", 10, 2, "a b c", "d", "a b c d"},
		{"full after the append", 6, 1, "a b c d e", "f g", "(a b c d) e f g"},
		{"keep none", 6, 0, "a b c d e f", "g", "(a b c d e f) g"},
		{"keep at most half", 10, 9, "a b c d e f g h i j", "k", "(a b c d e f) g h i j k"},
		{"keep less with a batch", 10, 9, "a b c d e f g h i j", "k l m n", "(a b c d e f g h) i j k l m n"},
		{"a batch leaves no room", 3, 1, "a b c", "d e f", "d e f"},
		{"a batch leaves room for the summary", 3, 1, "a b c", "d e", "(a b c) d e"},
		{"limit 1", 1, 1, "a", "b", "b"},
	} {
		q := newQueue(t, tt.limit, compacting(queue.SummarizeOlder(tt.keepLast, join)), strings.Fields(tt.items)...)
		require.NoError(t, q.Append(t.Context(), strings.Fields(tt.appended)...))
		assert.Equal(t, tt.want, strings.Join(q.Items(), " "), tt.name)
	}
	assert.Nil(t, queue.SummarizeOlder[string](3, nil), "a nil function means no compaction")
}

// Every item is present or part of the summary, in order, and small appends do not
// summarize twice in a row.
func TestSummarizeOlderProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(2, 20).Draw(t, "limit")
		keepLast := rapid.IntRange(-1, 25).Draw(t, "keep last")
		calls := 0
		q, err := queue.New(limit, compacting(queue.SummarizeOlder(keepLast, func(_ context.Context, older []string) (string, error) {
			calls++
			require.GreaterOrEqual(t, len(older), 2)
			return strings.Join(older, " "), nil
		})))
		require.NoError(t, err)
		var all []string
		batches := rapid.SliceOfN(rapid.IntRange(1, limit-1), 1, 40).Draw(t, "batches")
		if rapid.Bool().Draw(t, "small batches only") {
			for i, n := range batches {
				batches[i] = min(n, max(limit/3, 1))
			}
		}
		again := true // whether another summary is allowed
		for _, n := range batches {
			before := calls
			batch := make([]string, n)
			for i := range batch {
				batch[i] = fmt.Sprint(len(all) + i)
			}
			all = append(all, batch...)
			require.NoError(t, q.Append(context.Background(), batch...))
			require.Equal(t, strings.Join(all, " "), strings.Join(q.Items(), " "))
			require.LessOrEqual(t, q.Len(), limit)
			if calls > before && limit >= 3 && n <= limit/3 {
				require.True(t, again, "summarized at two small appends in a row")
			}
			again = calls == before || n > limit/3
		}
	})
}

func TestDropMiddle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                  string
		first, last           int
		items, appended, want string
	}{
		{"room is left", 1, 2, "a b c", "d", "a b c d"},
		{"both ends", 1, 2, "a b c d e f", "g", "a e f g"},
		{"keep less with a batch", 2, 9, "a b c d e f", "g h i", "a b f g h i"},
		{"keep as many of the first as fit", 2, 9, "a b c d e f", "g h i j k", "a g h i j k"},
		{"a batch leaves no room", 2, 9, "a b c d e f", "g h i j k l", "g h i j k l"},
		{"negative numbers", -1, -1, "a b c d e f", "g", "g"},
	} {
		q := newQueue(t, 6, compacting(queue.DropMiddle[string](tt.first, tt.last)), strings.Fields(tt.items)...)
		require.NoError(t, q.Append(t.Context(), strings.Fields(tt.appended)...))
		assert.Equal(t, tt.want, strings.Join(q.Items(), " "), tt.name)
	}
}
