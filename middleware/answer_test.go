package middleware_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func TestDecodeCalls(t *testing.T) {
	t.Parallel()
	const id = "550e8400-e29b-41d4-a716-446655440000"
	unreachable := errors.New("unreachable")
	for name, test := range map[string]struct {
		answers [][]any // of the model; the last one is repeated
		fails   error   // of asking again
		want    []any
		asked   int
		err     error
	}{
		"no calls":    {answers: [][]any{nil}, want: []any{}},
		"known":       {answers: [][]any{{`{"id":"page#1"}`, map[string]any{"id": "page#1"}}}, want: []any{`{"id":"` + id + `"}`, map[string]any{"id": id}}},
		"corrected":   {answers: [][]any{{`{"id":"page#1"}`, `{"id":"page#9"}`}, {`{"id":"page#8"}`}, {`{"id":"page#1"}`}}, want: []any{`{"id":"` + id + `"}`}, asked: 2},
		"given up":    {answers: [][]any{{`{"id":"page#9"}`}, nil}, want: []any{}, asked: 1},
		"insists":     {answers: [][]any{{`{"id":"page#9"}`}}, asked: middleware.MaxCorrections, err: new(handle.UnknownError)},
		"unreachable": {answers: [][]any{{`{"id":"page#9"}`}}, fails: unreachable, asked: 1, err: unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := middleware.NewRecorder(&middleware.Options{Handles: handle.NewTable(nil)})
			require.NoError(t, err)
			require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"` + id + `","title":"Home"}}`}))
			asked := 0
			got, err := r.DecodeCalls(t.Context(), test.answers[0], func(results []string) ([]any, error) {
				before := test.answers[min(asked, len(test.answers)-1)]
				require.Len(t, results, len(before))
				assert.Contains(t, results[len(results)-1], "unknown handle page#")
				if len(results) > 1 {
					assert.Equal(t, "not called, because another call of this message was refused", results[0])
				}
				asked++
				return test.answers[min(asked, len(test.answers)-1)], test.fails
			})
			assert.Equal(t, test.asked, asked)
			if test.err == nil {
				require.NoError(t, err)
				assert.Equal(t, test.want, got)
				return
			}
			if !errors.Is(err, test.err) {
				assert.ErrorAs(t, err, new(*handle.UnknownError))
			}
			assert.Nil(t, got)
		})
	}
}

func TestStub(t *testing.T) {
	t.Parallel()
	r, err := middleware.NewRecorder(&middleware.Options{Results: middleware.NewResults(&middleware.ResultsOptions{Threshold: 100})})
	require.NoError(t, err)
	texts := []string{strings.Repeat("lorem ipsum\n", 400), "That is all."}
	data := map[string]any{"text": texts[0]}
	for i, result := range []any{texts, data} {
		_, ok := r.Stub(t.Context(), result)
		assert.False(t, ok, "not recorded")
		require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: "get_text", Result: result}))
		stub, ok := r.Stub(t.Context(), result)
		assert.True(t, ok)
		assert.True(t, strings.HasPrefix(stub, []string{"[STORED RESULT] result#1", "[STORED RESULT] result#2"}[i]), stub)
	}
	for _, result := range []any{nil, texts[1], 7} {
		_, ok := r.Stub(t.Context(), result)
		assert.False(t, ok)
	}
	_, ok := new(middleware.Recorder).Stub(t.Context(), texts)
	assert.False(t, ok)
}
