package genkit_test

import (
	"testing"

	"github.com/firebase/genkit/go/ai"
	gk "github.com/firebase/genkit/go/genkit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/genkit"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func TestResults(t *testing.T) {
	t.Parallel()
	const text = `{"page":{"id":"` + homeID + `","title":"Home"}}`
	image := ai.NewMediaPart("image/png", "data:image/png;base64,")
	mcp := map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
	for name, tt := range map[string]struct {
		output  any
		content []*ai.Part
		want    any
		block   string // part of it; "" if there is none
	}{
		"output":         {output: pageOutput{page{homeID, "Home"}}, want: map[string]any{"page": map[string]any{"id": homeID, "title": "Home"}}, block: homeID},
		"text as output": {output: text, want: text, block: homeID},
		"text part":      {content: []*ai.Part{image, ai.NewTextPart(text)}, want: text, block: homeID},
		"text parts":     {content: []*ai.Part{ai.NewTextPart("Found:"), ai.NewTextPart(text)}, want: []string{"Found:", text}, block: homeID},
		"output and text part": {output: pageOutput{page{homeID, "Home"}}, content: []*ai.Part{ai.NewTextPart("Found.")}, block: homeID, want: map[string]any{
			"structuredContent": map[string]any{"page": map[string]any{"id": homeID, "title": "Home"}},
			"content":           []any{map[string]any{"type": "text", "text": "Found."}},
		}},
		"digits that JSON keeps": {output: map[string]any{"page": map[string]any{"id": 4503599627370497, "title": "Home"}}, want: map[string]any{"page": map[string]any{"id": 4503599627370497.0, "title": "Home"}}, block: "4503599627370497"},
		"digits in the text": {output: map[string]any{"page": map[string]any{"id": 1234567890123456789}},
			content: []*ai.Part{ai.NewTextPart(`{"page":{"id":1234567890123456789}}`)}, want: `{"page":{"id":1234567890123456789}}`, block: "1234567890123456789"},
		"MCP":      {output: mcp, want: mcp, block: homeID},
		"an image": {content: []*ai.Part{image}},
		"nothing":  {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, r := newWorld(t, ai.NewModelMessage(call("find_page", "c1", "home")), say("Found it.")), adaptertest.NewRecord(t)
			tool := gk.DefineMultipartTool(w.g, "find_page", "Finds a page.", func(*ai.ToolContext, pageInput) (*ai.MultipartToolResponse, error) {
				return &ai.MultipartToolResponse{Output: tt.output, Content: tt.content}, nil
			})
			w.generate(t, ai.WithPrompt("Find it."), ai.WithTools(tool), ai.WithUse(genkit.New(r.Recorder, nil)))
			require.Len(t, r.Calls(), 1)
			assert.Equal(t, tt.want, r.Calls()[0].Result)
			if tt.block == "" {
				assert.Empty(t, r.Block())
			} else {
				assert.Contains(t, r.Block(), tt.block)
			}
			assert.Equal(t, "c1", r.Calls()[0].ID)
			assert.Equal(t, map[string]any{"page_id": "home"}, r.Calls()[0].Arguments)
		})
	}
}

// What a tool streams is progress. Its result is what it returns.
func TestPartialResults(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, say("Done.")), adaptertest.NewRecord(t)
	partial := ai.NewPartialToolResponsePart(&ai.ToolResponse{Name: "get_page", Ref: "c1", Output: "half"})
	w.generate(t, ai.WithMessages(ai.NewUserTextMessage("Get it."), get("c1", homeID), ai.NewMessage(ai.RoleTool, nil, partial), result("c1", homeID, "Home")),
		ai.WithUse(genkit.New(r.Recorder, nil)))
	require.Len(t, r.Calls(), 1)
	assert.Equal(t, pageOutput{page{homeID, "Home"}}, r.Calls()[0].Result)
}
