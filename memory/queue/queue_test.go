package queue_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// newQueue makes a queue of texts and appends some, with no callback being told.
func newQueue(t *testing.T, limit int, opts *queue.Options[string], items ...string) *queue.Queue[string] {
	t.Helper()
	plain, err := queue.New[string](limit, nil)
	require.NoError(t, err)
	require.NoError(t, plain.Append(t.Context(), items...))
	if opts == nil {
		return plain
	}
	q, err := plain.Branch(&queue.BranchOptions[string]{Compact: &opts.Compact, Hooks: &opts.Hooks})
	require.NoError(t, err)
	return q
}

// compacting are options with a compaction only.
func compacting(f queue.CompactFunc[string]) *queue.Options[string] {
	return &queue.Options[string]{Compact: f}
}

func TestQueueLimit(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 10, 1 << 30} {
		q, err := queue.New[string](limit, nil)
		require.NoError(t, err)
		assert.Equal(t, limit, q.Limit(), "the limit is stored")
	}
	for _, limit := range []int{0, -1, math.MinInt, 1<<30 + 1} {
		q, err := queue.New[string](limit, nil)
		require.ErrorIs(t, err, queue.ErrLimit)
		assert.Nil(t, q)
	}
	_, err := queue.New[string](-7, nil)
	assert.EqualError(t, err, "queue: limit is out of range: -7")
}

func TestZeroQueue(t *testing.T) {
	t.Parallel()
	var q queue.Queue[int]
	assert.Equal(t, queue.DefaultLimit, q.Limit())
	assert.Zero(t, q.Len())
	assert.Empty(t, q.Items())
	for i := range 12 {
		require.NoError(t, q.Append(t.Context(), i))
	}
	assert.Equal(t, []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, q.Items())
	branch, err := q.Branch(nil)
	require.NoError(t, err)
	assert.Equal(t, queue.DefaultLimit, branch.Limit())
}

func TestQueueDropsTheOldest(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 3, nil)
	for _, tt := range []struct{ items, want []string }{
		{nil, []string{}},
		{[]string{"a"}, []string{"a"}},
		{[]string{"b", "c"}, []string{"a", "b", "c"}},
		{[]string{"d"}, []string{"b", "c", "d"}},
		{[]string{}, []string{"b", "c", "d"}},
		{[]string{"e", "f"}, []string{"d", "e", "f"}},
		{[]string{"g", "h", "i"}, []string{"g", "h", "i"}},
		{[]string{"j", "k", "l", "m", "n"}, []string{"l", "m", "n"}},
		{[]string{"n", "n"}, []string{"n", "n", "n"}},
	} {
		require.NoError(t, q.Append(t.Context(), tt.items...))
		assert.Equal(t, tt.want, q.Items())
		assert.Equal(t, len(tt.want), q.Len())
		assert.Equal(t, tt.want, slices.AppendSeq([]string{}, q.All()), "iteration is in the order of Items")
	}
	one := newQueue(t, 1, nil, "a", "b")
	assert.Equal(t, []string{"b"}, one.Items())
}

func TestQueueReadsCopies(t *testing.T) {
	t.Parallel()
	given := []string{"a", "b"}
	q := newQueue(t, 3, nil, given...)
	given[0] = "changed"
	items := q.Items()
	items[1] = "changed"
	_ = append(items, "more")
	assert.Equal(t, []string{"a", "b"}, q.Items())
}

func TestQueueCanChangeDuringIteration(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 3, nil, "a", "b", "c")
	var seen []string
	for item := range q.All() {
		seen = append(seen, item)
		require.NoError(t, q.Append(t.Context(), item+item))
	}
	assert.Equal(t, []string{"a", "b", "c"}, seen)
	assert.Equal(t, []string{"aa", "bb", "cc"}, q.Items())

	all := q.All()
	require.NoError(t, q.Clear(t.Context()))
	for range all {
		require.Fail(t, "a loop sees what is there when it starts")
	}
	require.NoError(t, q.Append(t.Context(), "a", "b"))
	for item := range all {
		assert.Equal(t, "a", item)
		break
	}
}

func TestQueueClear(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*queue.Options[string]{
		"plain": nil,
		"compacting": compacting(func(context.Context, queue.CompactionInput[string]) ([]string, error) {
			return nil, errors.New("not to be called")
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueue(t, 3, opts, "a", "b")
			require.NoError(t, q.Clear(t.Context()))
			assert.Zero(t, q.Len())
			assert.Equal(t, 3, q.Limit())
			require.NoError(t, q.Clear(t.Context()))
			assert.Empty(t, q.Items())
		})
	}
}

// A context that ended does not keep items out: a tool's result must not be lost
// because the turn it came in is over.
func TestQueueAppendsWhenContextHasEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	keep := func(ctx context.Context, w queue.CompactionInput[string]) ([]string, error) {
		assert.Error(t, ctx.Err(), "the callback is told")
		return w.Items, nil
	}
	for _, opts := range []*queue.Options[string]{nil, compacting(keep)} {
		q := newQueue(t, 3, opts, "a")
		require.NoError(t, q.Append(ctx, "b"))
		assert.Equal(t, []string{"a", "b"}, q.Items())
	}
}

func TestQueueReleasesWhatFellOut(t *testing.T) {
	t.Parallel()
	q, err := queue.New[*[1 << 16]byte](2, nil)
	require.NoError(t, err)
	gone := make(chan struct{}, 16)
	for range 5 {
		require.NoError(t, q.Append(t.Context(), collected(gone)))
	}
	waitCollected(t, gone, 3)
	require.NoError(t, q.Clear(t.Context()))
	waitCollected(t, gone, 2)
	assert.Zero(t, q.Len())
}
