package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

// contextItem is an item with an id and texts made of it.
func contextItem(id string) memory.ContextItem {
	return memory.ContextItem{ID: id, Description: "about " + id, Content: "content of " + id}
}

// newPool makes a pool and adds items of ids.
func newPool(t *testing.T, opts *memory.PoolOptions, ids ...string) *memory.Pool {
	t.Helper()
	p, err := memory.NewPool(opts)
	require.NoError(t, err)
	for _, id := range ids {
		require.NoError(t, p.Add(t.Context(), contextItem(id)))
	}
	return p
}

func TestPoolKeepsItemsByID(t *testing.T) {
	t.Parallel()
	p := newPool(t, &memory.PoolOptions{Limit: 2}, "a", "b", "c")
	got, err := p.Get("b")
	require.NoError(t, err)
	assert.Equal(t, contextItem("b"), got)
	_, err = p.Get("a")
	assert.Error(t, err)
	assert.Equal(t, "- [b] about b\n- [c] about c", p.Catalogue())
}
