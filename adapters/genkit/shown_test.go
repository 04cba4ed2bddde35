package genkit_test

import (
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"
	gk "github.com/firebase/genkit/go/genkit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/genkit"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func withHandles(t *testing.T) *adaptertest.Record {
	return adaptertest.NewRecordWith(t, &middleware.Options{Handles: handle.NewTable(nil)})
}

func withResults(t *testing.T) *adaptertest.Record {
	return adaptertest.NewRecordWith(t, &middleware.Options{
		Handles: handle.NewTable(nil), Results: middleware.NewResults(&middleware.ResultsOptions{Threshold: 200}),
	})
}

// homeTurn returns the messages of a turn that began without working memory.
func homeTurn() []*ai.Message {
	return []*ai.Message{ai.NewUserTextMessage("Get the home page."), get("c1", homeID), result("c1", homeID, "Home"), say("It is " + homeID + ".")}
}

// The model sees handles in the messages of a program, which keep their ids.
func TestMessagesWithHandles(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, say("Hello.")), withHandles(t)
	messages := homeTurn()
	response := w.generate(t, ai.WithMessages(messages...), ai.WithPrompt("Hello."), ai.WithUse(genkit.New(r.Recorder, nil)))
	shown := w.requests[0].Messages
	assert.Equal(t, map[string]any{"page_id": "page#1"}, shown[len(shown)-4].Content[0].ToolRequest.Input)
	assert.Equal(t, map[string]any{"page": map[string]any{"id": "page#1", "title": "Home"}}, shown[len(shown)-3].Content[0].ToolResponse.Output)
	assert.Equal(t, "It is "+homeID+".", shown[len(shown)-2].Text(), "texts stay as they are")
	assert.Equal(t, append(homeTurn(), ai.NewUserTextMessage("Hello."), say("Hello.")), response.History())
	assert.Equal(t, homeTurn(), messages)
	require.Len(t, r.Calls(), 1)
}

// A program that runs the tools itself receives ids.
func TestReturnedCallsHaveIDs(t *testing.T) {
	t.Parallel()
	refused := ai.NewModelMessage(ai.NewTextPart("Now. "), call("get_page", "c2", "page#9"), call("get_page", "c3", "page#1"))
	for name, last := range map[string]*ai.Message{"call": get("c2", "page#1"), "text": say("I do not know it.")} {
		w, r := newWorld(t, refused, last), withHandles(t)
		response := w.generate(t, ai.WithMessages(homeTurn()...), ai.WithPrompt("Once more."), ai.WithTools(w.getPage),
			ai.WithReturnToolRequests(true), ai.WithUse(genkit.New(r.Recorder, nil)))
		want := last
		if name == "call" {
			want = get("c2", homeID)
		}
		assert.Equal(t, append(homeTurn(), ai.NewUserTextMessage("Once more."), want), response.History(), "without the refused calls")
		again := w.requests[1].Messages
		assert.Equal(t, refused, again[len(again)-2])
		assert.Equal(t, map[string]any{"error": "unknown handle page#9: the tool was not called; known handles are page#1"}, again[len(again)-1].Content[0].ToolResponse.Output)
		assert.Equal(t, map[string]any{"error": "not called, because another call of this message was refused"}, again[len(again)-1].Content[1].ToolResponse.Output)
	}
}

func TestModelThatInsists(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, get("c1", "page#9"), get("c1", "page#9"), get("c1", "page#9")), withHandles(t)
	_, err := gk.Generate(t.Context(), w.g, ai.WithPrompt("Get it."), ai.WithTools(w.getPage),
		ai.WithReturnToolRequests(true), ai.WithUse(genkit.New(r.Recorder, nil)))
	var unknown *handle.UnknownError
	require.ErrorAs(t, err, &unknown)
	assert.Len(t, w.requests, 1+middleware.MaxCorrections)
}

// Of a result, the output and the texts change.
func TestShownResults(t *testing.T) {
	t.Parallel()
	const text = `{"page":{"id":"` + homeID + `","title":"Home"}}`
	const shown = `{"page":{"id":"page#1","title":"Home"}}`
	long := strings.Repeat("lorem ipsum\n", 500)
	image := ai.NewMediaPart("image/png", "data:image/png;base64,")
	for name, tt := range map[string]struct {
		output      any
		content     []*ai.Part
		want        any // "stub" for that of result#1
		wantContent []*ai.Part
	}{
		"output":                  {output: pageOutput{page{homeID, "Home"}}, want: map[string]any{"page": map[string]any{"id": "page#1", "title": "Home"}}},
		"output without ids":      {output: pageOutput{page{"7", "Home"}}, want: map[string]any{"page": map[string]any{"id": "7", "title": "Home"}}},
		"text parts":              {content: []*ai.Part{ai.NewTextPart(text), image, ai.NewTextPart(homeID)}, wantContent: []*ai.Part{ai.NewTextPart(shown), image, ai.NewTextPart("page#1")}},
		"stored output":           {output: long, content: []*ai.Part{image}, want: "stub", wantContent: []*ai.Part{image}},
		"stored texts":            {content: []*ai.Part{ai.NewTextPart(long), image, ai.NewTextPart(text)}, wantContent: []*ai.Part{ai.NewTextPart("stub"), image}},
		"stored output and texts": {output: map[string]any{"text": long}, content: []*ai.Part{ai.NewTextPart(text), image}, want: "stub", wantContent: []*ai.Part{image}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, r := newWorld(t, ai.NewModelMessage(call("find_page", "c1", "home")), say("Found it.")), withResults(t)
			tool := gk.DefineMultipartTool(w.g, "find_page", "Finds a page.", func(*ai.ToolContext, pageInput) (*ai.MultipartToolResponse, error) {
				return &ai.MultipartToolResponse{Output: tt.output, Content: tt.content}, nil
			})
			w.generate(t, ai.WithPrompt("Find it."), ai.WithTools(tool), ai.WithUse(genkit.New(r.Recorder, nil)))
			require.Len(t, w.requests, 2)
			messages := w.requests[1].Messages
			got := messages[len(messages)-1].Content[0].ToolResponse
			assert.Equal(t, tt.want, short(got.Output))
			require.Len(t, got.Content, len(tt.wantContent))
			for i, p := range got.Content {
				assert.Equal(t, tt.wantContent[i].Kind, p.Kind)
				assert.Equal(t, tt.wantContent[i].Text, short(p.Text))
			}
		})
	}
}

// short returns "stub" for what replaces result#1.
func short(value any) any {
	if text, ok := value.(string); ok && strings.HasPrefix(text, "[STORED RESULT] result#1") {
		return "stub"
	}
	return value
}

// A call that was interrupted runs with the id when it is restarted.
func TestRestartWithHandle(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, ai.NewModelMessage(call("rename_page", "c1", "page#1")), say("Done.")), withHandles(t)
	var got []string
	rename := gk.DefineTool(w.g, "rename_page", "Renames a page.", func(tc *ai.ToolContext, in pageInput) (string, error) {
		if got = append(got, in.PageID); len(got) == 1 {
			return "", tc.Interrupt(nil)
		}
		return "done", nil
	})
	require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: pageOutput{page{homeID, "Home"}}}))
	use := ai.WithUse(genkit.New(r.Recorder, nil))
	stopped := w.generate(t, ai.WithPrompt("Rename it."), ai.WithTools(rename), use)
	restart, err := rename.RestartWith(stopped.Interrupts()[0])
	require.NoError(t, err)
	w.generate(t, ai.WithMessages(stopped.History()...), ai.WithTools(rename), ai.WithToolRestarts(restart), use)
	assert.Equal(t, []string{homeID, homeID}, got)
	assert.Len(t, r.Calls(), 2)
}
