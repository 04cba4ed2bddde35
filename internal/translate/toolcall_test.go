package translate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func (w *working) record(call wire.RecordedCall) *wire.Recorded {
	w.t.Helper()
	found, err := w.RecordToolCall(w.t.Context(), everybody, ref("s"), &call)
	require.NoError(w.t, err)
	return found
}

// broken extracts an entity that every context refuses, or panics.
type broken struct{ panics bool }

func (b broken) Extract(context.Context, extractor.Input) (extractor.Extraction, error) {
	if b.panics {
		panic("secret")
	}
	return extractor.Extraction{Entities: []memory.Entity{{Type: "page", ID: strings.Repeat("x", 1<<20)}, {Type: "page", ID: "1"}}}, nil
}

func TestRefusedEntitiesAreNoError(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, &service.Options{Recording: &middleware.SessionsOptions{Extractor: broken{}}})
	recorded := w.record(wire.RecordedCall{Name: "x"})
	assert.Len(t, w.get("s").Entities, 1)
	assert.True(t, recorded.Entities[1].Timestamp.Equal(start), "also where the extractor has none")

	w = newWorking(t, nil, &service.Options{Recording: &middleware.SessionsOptions{Extractor: broken{panics: true}}})
	_, err := w.RecordToolCall(t.Context(), everybody, ref("s"), &wire.RecordedCall{Name: "x"})
	assert.NotContains(t, requireKind(t, service.Internal, err).Detail, "secret")
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	capacity := &session.Options{Context: &memory.ContextOptions{Capacity: middleware.BudgetCapacity}}
	w := newWorking(t, capacity, nil)
	var entities []memory.Entity
	for i := range 40 {
		entities = append(entities, memory.Entity{Type: "type" + string(rune('a'+i/4)), ID: fmt.Sprint(i), Name: fmt.Sprintf("Name %d", i)})
	}
	w.put("s", &wire.SessionBody{Entities: &entities})
	block := func(budget int) []memory.Entity {
		text, err := w.Block(t.Context(), everybody, ref("s"), service.BlockView{Budget: budget})
		require.NoError(t, err)
		shown, err := prompt.Parse(text)
		require.NoError(t, err)
		if budget > 0 {
			assert.LessOrEqual(t, prompt.Estimator{}.CountTokens(text), budget)
		}
		return shown
	}
	shown := block(0)
	assert.Len(t, shown, 3+3+3+1, "3 of a type, in 10 lines")
	assert.Equal(t, "0", shown[0].ID)
	assert.Len(t, block(10_000), 40)
	assert.Len(t, block(1<<62), 40)
	few := len(block(100))
	assert.True(t, 0 < few && few < 40, few)
	assert.Empty(t, block(1))
	_, err := w.Block(t.Context(), everybody, ref("s"), service.BlockView{Budget: -1})
	requireKind(t, service.Invalid, err)

	configured := newWorking(t, capacity, &service.Options{Recording: &middleware.SessionsOptions{Block: prompt.Options{PerType: 1}}})
	configured.put("s", &wire.SessionBody{Entities: &entities})
	text, err := configured.Block(t.Context(), everybody, ref("s"), service.BlockView{})
	require.NoError(t, err)
	shown, err = prompt.Parse(text)
	require.NoError(t, err)
	assert.Len(t, shown, 10)
}

func TestServicesWithoutRoomForABudget(t *testing.T) {
	t.Parallel()
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	_, err = service.New(manager, &service.Options{Recording: &middleware.SessionsOptions{Block: prompt.Options{Budget: 100}}})
	require.ErrorIs(t, err, middleware.ErrContextCapacity)
	_, err = service.New(nil, nil)
	require.Error(t, err)
}
