package translate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// What is pending in a session comes to be found, once, however often it is put.
func TestPendingMemoriesAreFound(t *testing.T) {
	t.Parallel()
	memories, err := longterm.New(memindex.New(nil), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memories.Close(context.Background())) })
	promoter, err := longterm.NewPromoter(memories, nil)
	require.NoError(t, err)
	w := newWorking(t, &session.Options{LongTerm: promoter, Promotions: promotion.Options{Off: true}}, &service.Options{Memory: memories, Promoter: promoter})
	at := refOf("shop", "anna", "s")
	put := func(body *wire.SessionBody) *wire.Session {
		_, err := w.PutSession(t.Context(), everybody, writeView{Ref: at}, body)
		require.NoError(t, err)
		_, err = w.sessions.Promote(t.Context(), session.Key{Namespace: "shop", UserID: "anna", SessionID: "s"})
		require.NoError(t, err)
		answer, err := w.GetSession(t.Context(), everybody, at, service.View{})
		require.NoError(t, err)
		return answer
	}
	found := func() []string {
		results, err := memories.Search(t.Context(), longterm.Of("shop", "anna"), longterm.Query{Text: "coffee", Limit: 10})
		require.NoError(t, err)
		texts := []string{}
		for _, hit := range results.Hits {
			assert.Equal(t, "s", hit.Record.SessionID)
			texts = append(texts, hit.Record.Text)
		}
		return texts
	}
	answer := put(&wire.SessionBody{Memories: []wire.Memory{{ID: "1", Text: "she drinks coffee"}, {ID: "2", Text: "she drinks coffee"}}})
	for _, m := range answer.Memories {
		assert.NotNil(t, m.PersistedAt)
	}
	assert.Equal(t, []string{"she drinks coffee"}, found(), "the same text is one memory")

	put(sentBack(answer))
	assert.Equal(t, []string{"she drinks coffee"}, found())
	put(&wire.SessionBody{Memories: []wire.Memory{{ID: "1", Text: "she drinks no coffee"}}})
	assert.Contains(t, found(), "she drinks no coffee", "the same id replaces")
	put(&wire.SessionBody{Memories: []wire.Memory{{ID: "3", Text: "coffee is persisted", PersistedAt: answer.Memories[0].PersistedAt}}})
	assert.NotContains(t, found(), "coffee is persisted", "it counts as promoted")
}
