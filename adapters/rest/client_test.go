package rest_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/auth"
	"github.com/go-workingmemory/workingmemory/adapters/rest/client"
	"github.com/go-workingmemory/workingmemory/adapters/rest/wire"
)

// The Go client reads what the server answers, of all that is of long-term memory.
func TestClientAndLongTermMemory(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm, withTokens)
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	token, _ := s.token(auth.Tenant{Namespace: "shop"}, 0)
	c, err := client.New(server.URL, &client.Options{Token: token, Namespace: "shop", UserID: "anna"})
	require.NoError(t, err)
	ctx := t.Context()

	body := &wire.MemoryBody{}
	for i := range 100 {
		body.Memories = append(body.Memories, wire.Memory{ID: fmt.Sprintf("m/%d", i), Text: fmt.Sprintf("tea number %d", i), Topics: wire.List{"tea"}})
	}
	body.Memories[99].UserID = new("bob")
	require.NoError(t, c.CreateMemories(ctx, body, nil))
	found, err := c.Search(ctx, &wire.Search{Text: new("tea"), Limit: new(wire.Int(100))})
	require.NoError(t, err)
	require.Len(t, found.Memories, 99)
	assert.Equal(t, 99, found.Total)
	assert.Nil(t, found.NextOffset)
	assert.Equal(t, "keyword", *found.Memories[0].ScoreType)
	page, err := c.Search(ctx, &wire.Search{Limit: new(wire.Int(7)), Topics: &wire.TextFilter{StartsWith: new("te"), None: &[]string{"beer"}}})
	require.NoError(t, err)
	assert.Equal(t, 7, *page.NextOffset)

	m, err := c.Memory(ctx, "m/7", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"shop", "anna"}, []string{*m.Namespace, *m.UserID})
	_, err = c.Memory(ctx, "m/99", nil)
	require.ErrorIs(t, err, client.ErrNotFound, "it is bob's")
	no := wire.Bool(false)
	m, err = c.PatchMemory(ctx, "m/7", &wire.MemoryPatch{Topics: &wire.List{}, Pinned: &no}, nil)
	require.NoError(t, err)
	assert.Empty(t, m.Topics)
	_, err = c.PatchMemory(ctx, "m/7", &wire.MemoryPatch{Namespace: new("work")}, nil)
	require.ErrorIs(t, err, client.ErrForbidden)
	_, err = c.PatchMemory(ctx, "m/7", &wire.MemoryPatch{}, nil)
	require.EqualError(t, err, "client: status 400: No fields provided for update")

	p, err := c.Prompt(ctx, &wire.PromptRequest{Query: "tea", Session: &wire.PromptSession{SessionID: "none"}, LongTerm: &wire.SearchOrBool{Bool: true}})
	require.NoError(t, err)
	assert.Len(t, p.LongTerm, 10)
	assert.Len(t, p.Messages, 2)

	gone, err := c.DeleteMemories(ctx, []string{"m/1", "m/1", "m/99", "none"}, nil)
	require.NoError(t, err)
	assert.Equal(t, "ok, deleted 1 memories", gone.Status)
	policy := &wire.Forget{Policy: &wire.ForgetPolicy{Budget: new(wire.Int(90))}, PinnedIDs: []string{"m/2"}}
	dry, err := c.Forget(ctx, policy, nil)
	require.NoError(t, err)
	assert.True(t, dry.DryRun)
	forgotten, err := c.Forget(ctx, policy, &client.ForgetOptions{Really: true})
	require.NoError(t, err)
	assert.False(t, forgotten.DryRun)
	assert.Equal(t, dry.DeletedIDs, forgotten.DeletedIDs)
	assert.Equal(t, 7, forgotten.Deleted, "of 98, one of which is pinned, 90 stay")
	left, err := c.Compact(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, "ok, 91 memories remaining after compaction", left.Status)
}
