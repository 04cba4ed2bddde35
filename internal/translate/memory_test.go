package translate_test

import (
	"context"
	"errors"
	"strings"
	"sync"
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
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// march is the initial time of a memoryWorld.
var march = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// memoryWorld is a service with a long-term memory.
type memoryWorld struct {
	served
	manager *session.Manager
	memory  *longterm.Memory
	mu      sync.Mutex
	now     time.Time
}

func (w *memoryWorld) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// newMemoryWorld returns a memoryWorld on a memindex. embedder may be nil.
func newMemoryWorld(t *testing.T, embedder longterm.Embedder) *memoryWorld {
	t.Helper()
	return newMemoryWorldOn(t, memindex.New(nil), embedder)
}

func newMemoryWorldOn(t *testing.T, index driver.Index, embedder longterm.Embedder) *memoryWorld {
	t.Helper()
	w := &memoryWorld{now: march}
	var err error
	w.memory, err = longterm.New(index, &longterm.Options{Now: w.clock, TouchEvery: -1, Embedder: embedder})
	require.NoError(t, err)
	promoter, err := longterm.NewPromoter(w.memory, nil)
	require.NoError(t, err)
	w.manager, err = session.NewManager(memstore.New(nil), &session.Options{
		Now: w.clock, LongTerm: promoter, Promotions: promotion.Options{Delay: time.Hour},
	})
	require.NoError(t, err)
	made, err := service.New(w.manager, &service.Options{Memory: w.memory, Promoter: promoter})
	require.NoError(t, err)
	w.served = served{made}
	t.Cleanup(func() {
		require.NoError(t, w.manager.Close(context.Background()))
		require.NoError(t, w.memory.Close(context.Background()))
	})
	return w
}

// unbound is the tenant that may access everything.
var unbound service.Tenant

// body decodes a request.
func body[T any](t require.TestingT, text string) *T {
	var v T
	require.NoError(t, wire.Decode([]byte(text), &v))
	return &v
}

// create stores memories, given as JSON objects separated by commas.
func (w *memoryWorld) create(t require.TestingT, memories string) {
	require.NoError(t, w.CreateMemories(context.Background(), unbound, nil, nil, body[wire.MemoryBody](t, `{"memories":[`+memories+`]}`)))
}

// find searches with a JSON body.
func (w *memoryWorld) find(t require.TestingT, tenant service.Tenant, search string) *wire.Results {
	found, err := w.SearchMemories(context.Background(), tenant, body[wire.Search](t, search))
	require.NoError(t, err)
	require.NotNil(t, found.Memories)
	return found
}

// findIDs returns the ids that a search finds, in order.
func (w *memoryWorld) findIDs(t require.TestingT, tenant service.Tenant, search string) []string {
	return idsOf(w.find(t, tenant, search).Memories)
}

func idsOf(found []wire.Found) []string {
	ids := []string{}
	for _, m := range found {
		ids = append(ids, m.ID)
	}
	return ids
}

// refuses requires an *Error of a kind and returns it.
func refuses(t require.TestingT, kind service.Kind, err error) *service.Error {
	var refused *service.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, kind, refused.Kind, "%v", refused)
	return refused
}

// Clients refuse lists with commas, which programs and ids of messages may have.
func TestAnswersHaveNoCommasInLists(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	_, err := w.memory.Put(t.Context(), longterm.Of("", ""), []longterm.Record{{
		ID: "a", Text: "tea", Topics: []string{"food,drink", " as it is "}, Entities: []string{"Smith, Anna"}, ExtractedFrom: []string{"m,1", "m2"},
	}}, nil)
	require.NoError(t, err)
	m := w.find(t, unbound, `{}`).Memories[0]
	assert.Equal(t, wire.List{"food drink", " as it is "}, m.Topics)
	assert.Equal(t, wire.List{"Smith Anna"}, m.Entities)
	assert.Equal(t, wire.List{"m2"}, m.ExtractedFrom)
}

// Errors cut long ids without splitting a character.
func TestLongIDsInErrors(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	for id, shown := range map[string]string{
		strings.Repeat("x", 1024): strings.Repeat("x", 1024), strings.Repeat("x", 1025): strings.Repeat("x", 1024) + "…",
		"x" + strings.Repeat("é", 600): "x" + strings.Repeat("é", 511) + "…",
	} {
		_, err := w.GetMemory(t.Context(), unbound, id, nil, nil)
		assert.Equal(t, "Memory with ID "+shown+" not found", refuses(t, service.NotFound, err).Detail)
		_, err = w.GetSession(t.Context(), unbound, service.Ref{SessionID: id}, service.View{})
		assert.Equal(t, "Session "+shown+" not found", refuses(t, service.NotFound, err).Detail)
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
		w := newMemoryWorldOn(t, &brokenIndex{memindex.New(nil), err}, nil)
		ctx := t.Context()
		one := body[wire.MemoryBody](t, `{"memories":[{"id":"a","text":"secret"}]}`)
		if want != service.Conflict { // which is tried again a hundred times
			refuses(t, want, w.CreateMemories(ctx, unbound, nil, nil, one))
			_, err = w.DeleteMemories(ctx, unbound, []string{"a"}, nil, nil)
			refuses(t, want, err)
			_, err = w.PatchMemory(ctx, unbound, "a", nil, nil, &wire.MemoryPatch{Text: new("b")})
			refuses(t, want, err)
		}
		_, err = w.GetMemory(ctx, unbound, "a", nil, nil)
		refuses(t, want, err)
		_, err = w.SearchMemories(ctx, unbound, &wire.Search{})
		refused := refuses(t, want, err)
		assert.NotContains(t, refused.Detail, "4711")
		_, err = w.ForgetMemories(ctx, unbound, nil, nil, nil, 10, true, body[wire.Forget](t, `{"policy":{"budget":0}}`))
		refuses(t, want, err)
		_, err = w.Prompt(ctx, unbound, body[wire.PromptRequest](t, `{"query":"x","long_term_search":{}}`))
		refuses(t, want, err)
	}
	w := newMemoryWorld(t, nil)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.SearchMemories(ended, unbound, &wire.Search{})
	require.ErrorIs(t, err, context.Canceled)
	var wrapped *service.Error
	assert.False(t, errors.As(err, &wrapped))
}
