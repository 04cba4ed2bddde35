package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

// newQueue makes a queue of texts and appends some.
func newQueue(t *testing.T, limit int, opts *memory.QueueOptions[string], items ...string) *memory.Queue[string] {
	t.Helper()
	q, err := memory.NewQueue(limit, opts)
	require.NoError(t, err)
	require.NoError(t, q.Append(t.Context(), items...))
	return q
}

func TestQueueDropsTheOldest(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 3, nil, "a", "b")
	assert.Equal(t, []string{"a", "b"}, q.Items())
	require.NoError(t, q.Append(t.Context(), "c", "d"))
	assert.Equal(t, []string{"b", "c", "d"}, q.Items())
	require.NoError(t, q.Append(t.Context(), "e", "f", "g", "h"))
	assert.Equal(t, []string{"f", "g", "h"}, q.Items())
}
