package translate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// newRemembering returns a service with a long-term memory, to which sessions are promoted by
// calls of promote. embedder may be nil.
func newRemembering(t *testing.T, index driver.Index, embedder longterm.Embedder) *working {
	t.Helper()
	memory, err := longterm.New(index, &longterm.Options{Now: func() time.Time { return start }, TouchEvery: -1, Embedder: embedder})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close(context.Background())) })
	promoter, err := longterm.NewPromoter(memory, nil)
	require.NoError(t, err)
	w := newWorking(t, &session.Options{LongTerm: promoter, Promotions: promotion.Options{Off: true}}, &service.Options{Memory: memory, Promoter: promoter})
	w.memory = memory
	return w
}

// body decodes a request.
func body[T any](t require.TestingT, text string) *T {
	var v T
	require.NoError(t, wire.Decode([]byte(text), &v))
	return &v
}

// create stores memories, given as JSON objects separated by commas.
func (w *working) create(t require.TestingT, memories string) {
	require.NoError(t, w.CreateMemories(context.Background(), everybody, nil, nil, body[wire.MemoryBody](t, `{"memories":[`+memories+`]}`)))
}

// find searches with a JSON body.
func (w *working) find(t require.TestingT, tenant service.Tenant, search string) *wire.Results {
	found, err := w.SearchMemories(context.Background(), tenant, body[wire.Search](t, search))
	require.NoError(t, err)
	require.NotNil(t, found.Memories)
	return found
}

func idsOf(found []wire.Found) []string {
	ids := []string{}
	for _, m := range found {
		ids = append(ids, m.ID)
	}
	return ids
}

// Clients refuse lists with commas, which programs and ids of messages may have.
func TestAnswersHaveNoCommasInLists(t *testing.T) {
	t.Parallel()
	w := newRemembering(t, memindex.New(nil), nil)
	_, err := w.memory.Put(t.Context(), longterm.Of("", ""), []longterm.Record{{
		ID: "a", Text: "tea", Topics: []string{"food,drink", " as it is "}, Entities: []string{"Smith, Anna"}, ExtractedFrom: []string{"m,1", "m2"},
	}}, nil)
	require.NoError(t, err)
	m := w.find(t, everybody, `{}`).Memories[0]
	assert.Equal(t, wire.List{"food drink", " as it is "}, m.Topics)
	assert.Equal(t, wire.List{"Smith Anna"}, m.Entities)
	assert.Equal(t, wire.List{"m2"}, m.ExtractedFrom)
}

// Errors cut long ids without splitting a character.
func TestLongIDsInErrors(t *testing.T) {
	t.Parallel()
	w := newRemembering(t, memindex.New(nil), nil)
	for id, shown := range map[string]string{
		strings.Repeat("x", 1024): strings.Repeat("x", 1024), strings.Repeat("x", 1025): strings.Repeat("x", 1024) + "…",
		"x" + strings.Repeat("é", 600): "x" + strings.Repeat("é", 511) + "…",
	} {
		_, err := w.GetMemory(t.Context(), everybody, id, nil, nil)
		assert.Equal(t, "Memory with ID "+shown+" not found", requireKind(t, service.NotFound, err).Detail)
		_, err = w.GetSession(t.Context(), everybody, service.Ref{SessionID: id}, service.View{})
		assert.Equal(t, "Session "+shown+" not found", requireKind(t, service.NotFound, err).Detail)
	}
}

// brokenIndex is an index that fails.
type brokenIndex struct {
	driver.Index
	err error
}

func (x *brokenIndex) Lookup(context.Context, driver.Lookup) ([]driver.Entry, error) {
	return nil, x.err
}

func (x *brokenIndex) Search(context.Context, driver.Search) (driver.HitPage, error) {
	return driver.HitPage{}, x.err
}

func TestFailuresOfTheIndex(t *testing.T) {
	t.Parallel()
	for want, err := range map[service.Kind]error{
		service.Unavailable: longterm.ErrUnavailable, service.Internal: errors.New("disk 4711 is on fire"), service.Conflict: longterm.ErrConflict,
	} {
		w := newRemembering(t, &brokenIndex{memindex.New(nil), err}, nil)
		ctx := t.Context()
		one := body[wire.MemoryBody](t, `{"memories":[{"id":"a","text":"secret"}]}`)
		if want != service.Conflict { // which is tried again a hundred times
			requireKind(t, want, w.CreateMemories(ctx, everybody, nil, nil, one))
			_, err = w.DeleteMemories(ctx, everybody, []string{"a"}, nil, nil)
			requireKind(t, want, err)
			_, err = w.PatchMemory(ctx, everybody, "a", nil, nil, &wire.MemoryPatch{Text: new("b")})
			requireKind(t, want, err)
		}
		_, err = w.GetMemory(ctx, everybody, "a", nil, nil)
		requireKind(t, want, err)
		_, err = w.SearchMemories(ctx, everybody, &wire.Search{})
		refused := requireKind(t, want, err)
		assert.NotContains(t, refused.Detail, "4711")
		_, err = w.ForgetMemories(ctx, everybody, nil, nil, nil, 10, true, body[wire.Forget](t, `{"policy":{"budget":0}}`))
		requireKind(t, want, err)
		_, err = w.Prompt(ctx, everybody, body[wire.PromptRequest](t, `{"query":"x","long_term_search":{}}`))
		requireKind(t, want, err)
	}
	w := newRemembering(t, memindex.New(nil), nil)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.SearchMemories(ended, everybody, &wire.Search{})
	require.ErrorIs(t, err, context.Canceled)
	var wrapped *service.Error
	assert.False(t, errors.As(err, &wrapped))
}
