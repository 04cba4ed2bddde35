package genkit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/firebase/genkit/go/ai"
	gk "github.com/firebase/genkit/go/genkit"
	"github.com/stretchr/testify/require"
)

const (
	homeID = "550e8400-e29b-41d4-a716-446655440000"
	newsID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

	model = "test/scripted"
)

var capable = &ai.ModelOptions{Supports: &ai.ModelSupports{Multiturn: true, Tools: true, SystemRole: true, Media: true}}

type pageInput struct {
	PageID string `json:"page_id"`
}

type page struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

type pageOutput struct {
	Page page `json:"page"`
}

// world is a Genkit with a model that gives prepared answers, and with tools.
type world struct {
	g       *gk.Genkit
	getPage *ai.ToolAction[pageInput, pageOutput]

	mu       sync.Mutex
	answers  []*ai.Message
	requests []*ai.ModelRequest
}

func newWorld(t *testing.T, answers ...*ai.Message) *world {
	return newWorldWith(t, capable, nil, answers...)
}

func newWorldWith(t *testing.T, supports *ai.ModelOptions, opts []gk.GenkitOption, answers ...*ai.Message) *world {
	w := &world{g: gk.Init(t.Context(), append(opts, gk.WithDefaultModel(model))...), answers: answers}
	gk.DefineModelAction(w.g, model, supports, w.answer)
	w.getPage = gk.DefineTool(w.g, "get_page", "Gets a page.", func(_ *ai.ToolContext, in pageInput) (pageOutput, error) {
		title, ok := map[string]string{homeID: "Home", newsID: "News"}[in.PageID]
		if !ok {
			return pageOutput{}, errNoPage
		}
		return pageOutput{page{in.PageID, title}}, nil
	})
	return w
}

var errNoPage = errors.New("no such page")

func (w *world) answer(ctx context.Context, request *ai.ModelRequest, _ any, stream ai.ModelStreamCallback) (*ai.ModelResponse, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept := *request
	w.requests = append(w.requests, &kept)
	if len(w.answers) == 0 {
		return nil, errors.New("the script has ended")
	}
	m := w.answers[0]
	w.answers = w.answers[1:]
	if stream != nil {
		if err := stream(ctx, &ai.ModelResponseChunk{Role: ai.RoleModel, Content: m.Content}); err != nil {
			return nil, err
		}
	}
	return &ai.ModelResponse{Request: request, Message: m, FinishReason: ai.FinishReasonStop}, nil
}

// generate calls Generate with the working memory.
func (w *world) generate(t *testing.T, opts ...ai.GenerateOption) *ai.ModelResponse {
	t.Helper()
	response, err := gk.Generate(t.Context(), w.g, opts...)
	require.NoError(t, err)
	return response
}

// messages returns the messages of a request, the last if i is -1, each as "role: text".
func (w *world) messages(i int) (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i < 0 {
		i += len(w.requests)
	}
	for _, m := range w.requests[i].Messages {
		out = append(out, string(m.Role)+": "+contentOf(m))
	}
	return out
}

// text returns a request as one text.
func (w *world) text(i int) string { return fmt.Sprint(w.messages(i)) }

// say returns a message of the model that is a text, or calls of get_page: "ref page".
func say(text string) *ai.Message { return ai.NewModelTextMessage(text) }

// get returns a message of the model that calls get_page; refs and pages alternate.
func get(refsAndPages ...string) *ai.Message {
	m := ai.NewModelMessage()
	for pair := range slices.Chunk(refsAndPages, 2) {
		m.Content = append(m.Content, call("get_page", pair[0], pair[1]))
	}
	return m
}

func call(name, ref, page string) *ai.Part {
	return ai.NewToolRequestPart(&ai.ToolRequest{Name: name, Ref: ref, Input: map[string]any{"page_id": page}})
}
