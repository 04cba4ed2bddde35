package genkit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"
	gk "github.com/firebase/genkit/go/genkit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/genkit"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// result returns a message with results of get_page; refs and pages alternate.
func result(ref, id, title string) *ai.Message {
	return ai.NewMessage(ai.RoleTool, nil, ai.NewToolResponsePart(&ai.ToolResponse{Name: "get_page", Ref: ref, Output: pageOutput{page{id, title}}}))
}

// The calls of a conversation that was stored elsewhere are recorded from its messages, whose calls
// may have no ref.
func TestMessagesOfEarlierTurns(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"c1", ""} {
		w, r := newWorld(t, say("Done."), say("Yes.")), adaptertest.NewRecord(t)
		history := []*ai.Message{
			ai.NewUserTextMessage("Get the pages."),
			get(ref, homeID), result(ref, homeID, "Home"),
			get(ref, newsID), result(ref, newsID, "News"),
			say("Found them."),
		}
		memory := genkit.New(r.Recorder, nil)
		response := w.generate(t, ai.WithSystem("You edit."), ai.WithMessages(history...), ai.WithPrompt("Rename the first."), ai.WithUse(memory))
		assert.Contains(t, w.messages(-1)[0], homeID)
		w.generate(t, ai.WithMessages(response.History()...), ai.WithPrompt("Done?"), ai.WithUse(memory))
		assert.Equal(t, 1, strings.Count(w.text(-1), "[WORKING MEMORY]"))
		assert.Equal(t, []string{"get_page " + homeID, "get_page " + newsID}, r.Names())
	}
}

// A program may run tools itself.
func TestReturnedToolRequests(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, get("", homeID, "", newsID), get("", homeID), say("Found them.")), adaptertest.NewRecord(t)
	memory := genkit.New(r.Recorder, nil)
	messages := []*ai.Message{ai.NewUserTextMessage("Get the pages.")}
	for {
		response := w.generate(t, ai.WithMessages(messages...), ai.WithTools(w.getPage), ai.WithReturnToolRequests(true), ai.WithUse(memory))
		messages = response.History()
		if len(response.ToolRequests()) == 0 {
			break
		}
		results := ai.NewMessage(ai.RoleTool, nil)
		for _, p := range response.ToolRequests() {
			request := p.ToolRequest
			output, err := w.getPage.RunRaw(t.Context(), request.Input)
			require.NoError(t, err)
			results.Content = append(results.Content, ai.NewToolResponsePart(&ai.ToolResponse{Name: request.Name, Ref: request.Ref, Output: output}))
		}
		messages = append(messages, results)
	}
	assert.Equal(t, []string{"get_page " + homeID, "get_page " + homeID, "get_page " + newsID}, r.Names())
	assert.Contains(t, w.text(-1), "[WORKING MEMORY]")
	assert.Len(t, messages, 6, "no block among them: %v", messages)
}

// The middleware may belong to a prompt, which is executed with a history.
func TestPrompt(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, get("c1", homeID), say("Found it."), say("Done.")), adaptertest.NewRecord(t)
	editor := gk.DefinePrompt(w.g, "editor", ai.WithSystem("You edit {{site}}."), ai.WithTools(w.getPage), ai.WithUse(genkit.New(r.Recorder, nil)))
	site := ai.WithInput(map[string]any{"site": "example.org"})
	response, err := editor.Execute(t.Context(), site, ai.WithMessages(ai.NewUserTextMessage("Get the home page.")))
	require.NoError(t, err)
	history := append(response.History()[1:], ai.NewUserTextMessage("Rename it."))
	_, err = editor.Execute(t.Context(), site, ai.WithMessages(history...))
	require.NoError(t, err)
	messages := w.messages(-1)
	assert.True(t, strings.HasPrefix(messages[0], "system: You edit example.org.\n\n"), messages[0])
	assert.Contains(t, messages[0], homeID)
	assert.Equal(t, "user: Rename it.", messages[len(messages)-1])
	assert.Equal(t, []string{"get_page " + homeID}, r.Names())
}

// Documents and instructions for the output, which Genkit adds to a message of the user, are not
// words of the user.
func TestAdditionsAreNotSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, get("c1", homeID), say(`{"id":"1","title":"Home"}`))
	var recalledFor []string
	rec, err := middleware.NewRecorder(&middleware.Options{Recall: func(_ context.Context, said string) ([]items.Item, error) {
		recalledFor = append(recalledFor, said)
		return nil, nil
	}})
	require.NoError(t, err)
	_, _, err = gk.GenerateData[page](t.Context(), w.g, ai.WithPrompt("What is it called?"), ai.WithTextDocs("About "+newsID),
		ai.WithOutputInstructions("Answer in JSON."), ai.WithTools(w.getPage), ai.WithUse(genkit.New(rec, nil)))
	require.NoError(t, err)
	assert.Contains(t, w.text(-1), "About "+newsID)
	assert.Contains(t, w.text(-1), "Answer in JSON.")
	assert.Equal(t, []string{"What is it called?"}, recalledFor)
}

// What the model mentions becomes a reference.
func TestModelMentions(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, say("Done.")), adaptertest.NewRecord(t)
	require.NoError(t, r.Record(t.Context(), middleware.ToolCall{Name: "read_file", Result: `{"file":{"id":"file-1001","name":"Notes","stored_in":"/data/notes/2026"}}`}))
	require.Len(t, r.Context().Candidates(10), 1)
	w.generate(t, ai.WithMessages(say("It is in /data/notes/2026.")), ai.WithPrompt("Move it."), ai.WithUse(genkit.New(r.Recorder, nil)))
	assert.Empty(t, r.Context().Candidates(10))
}

// A failing tool ends Generate. What else the model requested is recorded too.
func TestFailingTool(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, get("c1", "missing")), adaptertest.NewRecord(t)
	_, err := gk.Generate(t.Context(), w.g, ai.WithPrompt("Get it."), ai.WithTools(w.getPage), ai.WithUse(genkit.New(r.Recorder, nil)))
	require.ErrorIs(t, err, ai.ErrToolFailed)
	assert.Equal(t, []string{"get_page missing"}, r.Names())
	require.ErrorContains(t, r.Calls()[0].Err, errNoPage.Error())
	assert.Empty(t, r.Block())
}

// Two of them see each call, and place one block.
func TestTwoInOneCall(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, get("c1", homeID), say("Found it.")), adaptertest.NewRecord(t)
	w.generate(t, ai.WithPrompt("Get it."), ai.WithTools(w.getPage), ai.WithUse(genkit.New(r.Recorder, nil), genkit.New(r.Recorder, nil)))
	assert.Equal(t, []string{"get_page " + homeID}, r.Names())
	assert.Equal(t, 1, strings.Count(w.text(-1), "[WORKING MEMORY]"))
}

// shorten is a middleware that shortens results.
var shorten = ai.MiddlewareFunc(func(context.Context) (*ai.Hooks, error) {
	return &ai.Hooks{WrapTool: func(ctx context.Context, p *ai.ToolParams, next ai.ToolNext) (*ai.MultipartToolResponse, error) {
		response, err := next(ctx, p)
		if err == nil {
			response.Output = "long result, omitted"
		}
		return response, err
	}}, nil
})

func TestOrder(t *testing.T) {
	t.Parallel()
	for _, inner := range []bool{true, false} {
		w, r := newWorld(t, get("c1", homeID), say("Found it.")), adaptertest.NewRecord(t)
		memory := ai.Middleware(genkit.New(r.Recorder, nil))
		use := []ai.Middleware{shorten, memory}
		if !inner {
			use = []ai.Middleware{memory, shorten}
		}
		w.generate(t, ai.WithPrompt("Get it."), ai.WithTools(w.getPage), ai.WithUse(use...))
		assert.Equal(t, inner, strings.Contains(r.Block(), `"Home"`))
		assert.Len(t, r.Names(), 1)
	}
}
