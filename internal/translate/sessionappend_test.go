package translate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
)

func TestAppendMessages(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	view := writeView{Ref: refOf("shop", "anna", "s"), Window: 100}
	answer, err := w.AppendMessages(t.Context(), everybody, view, &wire.Append{Messages: said("a", "b")})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, contents(answer.Messages))
	assert.Equal(t, "anna", *answer.UserID)
	assert.Equal(t, 4.0, *answer.TotalUsed)

	answer, err = w.AppendMessages(t.Context(), everybody, view, &wire.Append{Messages: append(said("b", "c"), wire.Message{Role: "user", Content: "d"})})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c", "d"}, contents(answer.Messages), "each id once")
	got, err := w.GetSession(t.Context(), everybody, view.Ref, service.View{Window: 100})
	require.NoError(t, err)
	assert.Equal(t, got, answer)

	_, err = w.AppendMessages(t.Context(), everybody, writeView{Ref: ref("made")}, &wire.Append{})
	require.NoError(t, err)
	assert.Empty(t, w.get("made").Messages)
}

func TestMinimalAnswers(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	w.put("s", &wire.SessionBody{
		Messages: said("a", "b", "c"), Context: new("so far"), Data: map[string]any{"a": 1}, Memories: []wire.Memory{{Text: "x"}},
		Entities: &[]memory.Entity{{Type: "page", ID: "1"}},
	})
	w.store.asked()
	view := writeView{Ref: ref("s"), Window: 100, Minimal: true}
	answer, err := w.AppendMessages(t.Context(), everybody, view, &wire.Append{Messages: said("d")})
	require.NoError(t, err)
	assert.Equal(t, []string{"append", "load 0"}, w.store.asked(), "no message is read")
	full := w.get("s")
	assert.Equal(t, []any{8, 8.0, full.Version, "so far"}, []any{answer.Tokens, *answer.TotalUsed, answer.Version, *answer.Context})
	put, err := w.PutSession(t.Context(), everybody, view, sentBack(full))
	require.NoError(t, err)
	for _, minimal := range []*wire.Session{answer, put} {
		assert.Equal(t, []wire.Message{}, minimal.Messages)
		assert.Equal(t, []wire.Memory{}, minimal.Memories)
		assert.Equal(t, map[string]any{}, minimal.Data)
		assert.Equal(t, []memory.Entity{}, minimal.Entities)
	}
}
