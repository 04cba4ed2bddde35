package langchain_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// A Memory works on a VectorIndex as on any other index.
func TestMemoryOnAVectorIndex(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newVectorIndex(t, &langchain.VectorIndexOptions{NameSpace: func(namespace, userID string) string { return namespace + userID }})
	memories, err := longterm.New(x, &longterm.Options{Embedder: x.embedder})
	require.NoError(t, err)
	defer func() { assert.NoError(t, memories.Close(ctx)) }()
	anna := longterm.Of("shop", "anna")
	for i := range 30 {
		_, err := memories.Put(ctx, anna, []longterm.Record{{ID: fmt.Sprint(i), Text: fmt.Sprintf("order %d of goods number %d", i, 100+i)}}, nil)
		require.NoError(t, err)
	}
	puts, err := memories.Put(ctx, anna, []longterm.Record{
		{ID: "seat", Text: "Anna likes aisle seats."}, {ID: "same", Text: "Anna likes the aisle seats."}, {ID: "nuts", Text: "Anna eats no nuts."},
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, longterm.PutMerged, puts[1].Status, "what is nearly the same is found among what is near")
	kept := puts[1].Key.ID

	find := func() []string {
		found, err := memories.Search(ctx, anna, longterm.Query{Text: "aisle seats", Mode: longterm.ModeSemantic, Limit: 2})
		require.NoError(t, err)
		var ids []string
		for _, hit := range found.Hits {
			ids = append(ids, hit.Record.ID)
		}
		return ids
	}
	require.Contains(t, find(), kept)
	notes, err := memories.Recall(ctx, anna, "an aisle seat?", nil)
	require.NoError(t, err)
	require.NotEmpty(t, notes)
	assert.Equal(t, kept, notes[0].ID)

	n, err := memories.Delete(ctx, anna, kept)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.NotContains(t, find(), kept, "its document is still there")
	others, err := memories.Search(ctx, longterm.Of("shop", "bob"), longterm.Query{Text: "aisle seats"})
	require.NoError(t, err)
	assert.Empty(t, others.Hits)
}
