package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

var errModel = errors.New("the model is not there")

func TestCompactRunsOncePerAppend(t *testing.T) {
	t.Parallel()
	var windows []queue.CompactionInput[string]
	q := newQueue(t, 3, compacting(func(_ context.Context, w queue.CompactionInput[string]) ([]string, error) {
		windows = append(windows, w)
		return w.Items, nil
	}))
	require.NoError(t, q.Append(t.Context(), "a", "b"))
	require.NoError(t, q.Append(t.Context(), "c", "d", "e", "f"))
	require.NoError(t, q.Append(t.Context()))
	assert.Equal(t, []queue.CompactionInput[string]{
		{Items: []string{}, Limit: 3, Incoming: 2}, // on an empty queue, and before insertion
		{Items: []string{"a", "b"}, Limit: 3, Incoming: 4},
		{Items: []string{"d", "e", "f"}, Limit: 3, Incoming: 0},
	}, windows)
	assert.Equal(t, []string{"d", "e", "f"}, q.Items())
}

func TestCompactReplacesTheItems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		result, want []string
	}{
		{"fewer", []string{"sum"}, []string{"sum", "new"}},
		{"nothing", nil, []string{"new"}},
		{"an empty list", []string{}, []string{"new"}},
		{"other items", []string{"x", "y"}, []string{"x", "y", "new"}},
		{"as many as fit lose the first: the trap", []string{"sum", "x", "y"}, []string{"x", "y", "new"}},
		{"more than fit", []string{"1", "2", "3", "4", "5"}, []string{"4", "5", "new"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 3, compacting(func(context.Context, queue.CompactionInput[string]) ([]string, error) {
				return tt.result, nil
			}), "a", "b", "c")
			require.NoError(t, q.Append(t.Context(), "new"))
			assert.Equal(t, tt.want, q.Items())
		})
	}
	q := newQueue(t, 3, compacting(func(context.Context, queue.CompactionInput[string]) ([]string, error) {
		return []string{"1", "2", "3", "4", "5"}, nil
	}))
	require.NoError(t, q.Append(t.Context()))
	assert.Equal(t, []string{"3", "4", "5"}, q.Items(), "a result longer than the limit keeps the newest")
}

func TestCompactThatFailsLeavesTheQueue(t *testing.T) {
	t.Parallel()
	panics := func(value any) queue.CompactFunc[string] {
		return func(_ context.Context, w queue.CompactionInput[string]) ([]string, error) {
			clear(w.Items)
			panic(value)
		}
	}
	tests := []struct {
		name    string
		compact queue.CompactFunc[string]
		causes  []error
		text    string
	}{
		{"error", func(_ context.Context, w queue.CompactionInput[string]) ([]string, error) {
			return w.Items[:1], errModel
		}, []error{errModel}, "queue: compact: the model is not there"},
		{"panic", panics("secret"), []error{memory.ErrPanic}, "queue: compact: memory: callback panicked: string"},
		{"panic with an error", panics(errModel), []error{memory.ErrPanic, errModel}, "queue: compact: memory: callback panicked: the model is not there"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 3, compacting(tt.compact), "a", "b", "c")
			err := q.Append(t.Context(), "new")
			for _, cause := range tt.causes {
				require.ErrorIs(t, err, cause)
			}
			require.EqualError(t, err, tt.text)
			assert.Equal(t, []string{"a", "b", "c"}, q.Items())
			assert.ErrorIs(t, q.Append(t.Context(), "again"), tt.causes[0], "the queue is not locked for good")
		})
	}
}

func TestCompactCannotCorruptTheQueue(t *testing.T) {
	t.Parallel()
	var kept []string
	q := newQueue(t, 3, compacting(func(_ context.Context, w queue.CompactionInput[string]) ([]string, error) {
		for i := range w.Items {
			w.Items[i] = "changed"
		}
		kept = []string{"a", "b"}
		return kept, nil
	}), "a", "b")
	before := q.Items()
	require.NoError(t, q.Append(t.Context(), "c"))
	kept[0] = "changed"
	assert.Equal(t, append(before, "c"), q.Items())
}

// join is a summary that shows what went into it.
func join(_ context.Context, older []string) (string, error) {
	return "(" + strings.Join(older, " ") + ")", nil
}

func TestSummarizeOlder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		limit    int
		keepLast int
		items    string
		appended string
		want     string
	}{
		{"room is left", 10, 2, "a b c", "d", "a b c d"},
		{"just full", 4, 1, "a b c", "d", "a b c d"},
		{"full", 6, 2, "a b c d e f", "g", "(a b c d) e f g"},
		{"full before it is", 6, 1, "a b c d e", "f g", "(a b c d) e f g"},
		{"nothing to keep", 6, 0, "a b c d e f", "g", "(a b c d e f) g"},
		{"negative is nothing", 6, -3, "a b c d e f", "g", "(a b c d e f) g"},
		{"at most half is kept", 10, 9, "a b c d e f g h i j", "k", "(a b c d e f) g h i j k"},
		{"less beside a batch", 10, 9, "a b c d e f g h i j", "k l m n", "(a b c d e f g h) i j k l m n"},
		{"no summary beside a batch that leaves no room", 3, 1, "a b c", "d e f", "d e f"},
		{"nor beside one larger than the limit", 3, 1, "a b c", "d e f g", "e f g"},
		{"a summary beside a batch that leaves one place", 3, 1, "a b c", "d e", "(a b c) d e"},
		{"limit 2", 2, 1, "a b", "c", "(a b) c"},
		{"limit 1", 1, 1, "a", "b", "b"},
		{"the last summary is the first of the older items", 4, 1, "(a b c) d e f", "g", "((a b c) d e) f g"},
		{"nothing comes", 3, 1, "a b c", "", "a b c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			items := strings.Split(tt.items, " ")
			if strings.HasPrefix(tt.items, "(") {
				items = []string{"(a b c)", "d", "e", "f"}
			}
			q := newQueue(t, tt.limit, compacting(queue.SummarizeOlder(tt.keepLast, join)), items...)
			require.NoError(t, q.Append(t.Context(), strings.Fields(tt.appended)...))
			assert.Equal(t, tt.want, strings.Join(q.Items(), " "))
		})
	}
	assert.Nil(t, queue.SummarizeOlder[string](3, nil), "no function, no compaction")
}

// What summarize does to the slice that it is given does not reach what is kept.
func TestSummarizeOlderKeepsWhatFollowsTheOlderItems(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 5, &queue.Options[string]{
		Compact: queue.SummarizeOlder(1, func(_ context.Context, older []string) (string, error) {
			return strings.Join(append(older, "more"), "+"), nil
		}),
	}, "a", "b", "c", "d", "e")
	require.NoError(t, q.Append(t.Context(), "f"))
	assert.Equal(t, []string{"a+b+c+d+more", "e", "f"}, q.Items())
}

func TestSummarizeOlderFails(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 3, compacting(queue.SummarizeOlder(1, func(_ context.Context, older []string) (string, error) {
		clear(older)
		return "partial", errModel
	})), "a", "b", "c")
	require.ErrorIs(t, q.Append(t.Context(), "d"), errModel)
	assert.Equal(t, []string{"a", "b", "c"}, q.Items())
}

// Whatever the limit and the sizes of batches, no item is ever lost without being
// part of the summary, the newest stay as they are, and the summary is not made
// anew at every append.
func TestSummarizeOlderKeepsTheSummary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(2, 20).Draw(t, "limit")
		keepLast := rapid.IntRange(-1, 25).Draw(t, "keep last")
		calls, appends := 0, 0
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
		again := true // whether two summaries in a row are to be expected
		for _, n := range batches {
			before := calls
			batch := make([]string, n)
			for i := range batch {
				batch[i] = fmt.Sprint(len(all) + i)
			}
			all = append(all, batch...)
			appends++
			require.NoError(t, q.Append(context.Background(), batch...))
			require.Equal(t, strings.Join(all, " "), strings.Join(q.Items(), " "), "everything is there, in order")
			require.LessOrEqual(t, q.Len(), limit)
			if calls > before && limit >= 3 && n <= limit/3 {
				require.True(t, again, "summarised at two small appends in a row")
			}
			again = calls == before || n > limit/3
		}
	})
}

func TestDropMiddle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		first, last int
		items       string
		appended    string
		want        string
	}{
		{"room is left", 1, 2, "a b c", "d", "a b c d"},
		{"both ends", 1, 2, "a b c d e f", "g", "a e f g"},
		{"as many of the last as fit", 2, 9, "a b c d e f", "g", "a b d e f g"},
		{"beside a batch too", 2, 9, "a b c d e f", "g h i", "a b f g h i"},
		{"the first ones only", 2, 9, "a b c d e f", "g h i j", "a b g h i j"},
		{"as many of them as fit", 2, 9, "a b c d e f", "g h i j k", "a g h i j k"},
		{"nothing of the old beside a full batch", 2, 9, "a b c d e f", "g h i j k l", "g h i j k l"},
		{"nothing", 0, 0, "a b c d e f", "g", "g"},
		{"negative is nothing", -1, -1, "a b c d e f", "g", "g"},
		{"more than there is", 9, 9, "a b c d e f", "g", "a b c d e g"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 6, compacting(queue.DropMiddle[string](tt.first, tt.last)), strings.Fields(tt.items)...)
			require.NoError(t, q.Append(t.Context(), strings.Fields(tt.appended)...))
			assert.Equal(t, tt.want, strings.Join(q.Items(), " "))
		})
	}
}
