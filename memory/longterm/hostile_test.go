package longterm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/scripted"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func nested(depth int) map[string]any {
	value := map[string]any{"bottom": 1}
	for i := range depth - 1 {
		if i%2 == 0 {
			value = map[string]any{"list": []any{value}}
			continue
		}
		value = map[string]any{"object": value}
	}
	return value
}

func TestMetadataIsNotNestedWithoutEnd(t *testing.T) {
	t.Parallel()
	m, err := longterm.New(memindex.New(nil), nil)
	require.NoError(t, err)
	scope := longterm.Of("shop", "anna")
	for depth, fits := range map[int]bool{600: true, 1500: false, 3_000_000: false} {
		_, err := m.Put(t.Context(), scope, []longterm.Record{{ID: fmt.Sprint(depth), Text: "x", Metadata: nested(depth)}}, nil)
		if fits {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, longterm.ErrTooLarge)
	}
}

// wide is an embedder of too many dimensions.
type wide struct{ dimensions int }

func (w *wide) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = make([]float32, w.dimensions)
		vectors[i][0] = 1
	}
	return vectors, nil
}

func (w *wide) Model() string { return "wide" }

func TestVectorsAreNotOfAnyDimension(t *testing.T) {
	t.Parallel()
	embedder := &wide{1_000_000}
	m, err := longterm.New(memindex.New(nil), &longterm.Options{Embedder: embedder})
	require.NoError(t, err)
	scope := longterm.Of("shop", "anna")
	records := []longterm.Record{{ID: "1", Text: "tea"}}
	_, err = m.Put(t.Context(), scope, records, nil)
	require.ErrorIs(t, err, longterm.ErrEmbedder)
	embedder.dimensions = longtermdriver.MaxDimensions
	_, err = m.Put(t.Context(), scope, records, nil)
	require.NoError(t, err)
	embedder.dimensions++
	results, err := m.Search(t.Context(), scope, longterm.Query{Text: "tea" + strings.Repeat(" leaves", 3<<19) + " tea"})
	require.NoError(t, err)
	assert.Equal(t, longterm.ModeKeyword, results.Mode)
	assert.Len(t, results.Hits, 1)
}

// An assistant that quotes the block, whatever it puts it in, says nothing new.
func TestNothingIsExtractedFromTheBlockInAnAnswer(t *testing.T) {
	t.Parallel()
	const block = "[WORKING MEMORY]\n[NOTES]\n  - fact: \"remembered before\""
	quoted := func(value any) string {
		data, err := json.Marshal(value)
		require.NoError(t, err)
		return string(data)
	}
	model := scripted.Answers(`{"memories": []}`)
	p, _ := newPromoter(t, &longterm.PromoterOptions{Model: model, Strategy: by("discrete")})
	e := sessiondriver.ExtractRequest{Key: annas, Now: monday}
	for _, content := range []string{
		block, "Here it is:\n\n" + block + "\n\nThat is all.", quoted(block), quoted(map[string]any{"memory": []any{1, block}}),
		quoted(map[string]any{"result": quoted(map[string]any{"memory": block})}),
	} {
		e.Messages = append(e.Messages, session.Message{ID: fmt.Sprint(len(e.Messages)), Role: "assistant", Content: content})
	}
	_, err := p.Extract(t.Context(), e)
	require.NoError(t, err)
	require.Len(t, model.Prompts, 1)
	assert.Contains(t, model.Prompts[0], "That is all.")
	assert.NotContains(t, model.Prompts[0], "remembered before")
}

// What was said is kept as it was said. What is taken of it is no secret.
func TestSecretsAreNotExtracted(t *testing.T) {
	t.Parallel()
	const secret = "sk-proj-abcdef0123456789"
	var log bytes.Buffer
	model := scripted.Answers(`{"memories": [{"text": "Anna's key is ` + secret + `."}, {"text": "Anna has a key.", "entities": ["` + secret + `"]},
		{"text": "Anna has a key!", "topics": ["` + secret + `"]}, {"text": "Anna likes tea."}]}`)
	p, memories := newPromoter(t, &longterm.PromoterOptions{
		Model: model, Strategy: by("discrete"), Entities: true, Messages: true, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	m, c := managed(t, p)
	_, err := m.Update(t.Context(), annas, func(s *session.Session) error {
		s.Messages = append(s.Messages, session.Message{Role: "user", Content: "My key is " + secret})
		return s.Entities.Add(memory.Entity{Type: "key", ID: "K1", Name: "Key", Description: secret})
	}, nil)
	require.NoError(t, err)
	settle(t, m, c, annas)
	records := all(t, memories, annas)
	require.Len(t, records, 1)
	assert.Equal(t, "Anna likes tea.", records[0].Text)
	assert.Contains(t, log.String(), "memories=3")
	assert.NotContains(t, log.String(), secret)
	kept, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	require.Len(t, kept, 1)
	assert.Equal(t, "My key is "+secret, kept[0].Content)
}
