package adk_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/plugin"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// BenchmarkTurn measures a turn with one request, in a session with calls of 2 KiB each.
func BenchmarkTurn(b *testing.B) {
	for _, calls := range []int{0, 10, 100, 500} {
		for _, with := range []bool{false, true} {
			b.Run(fmt.Sprintf("calls=%d/memory=%v", calls, with), func(b *testing.B) {
				var plugins []*plugin.Plugin
				if with {
					plugins = append(plugins, adk.New(new(middleware.Recorder), nil).Plugin())
				}
				benchmarkTurn(b, calls, plugins)
			})
		}
	}
}

func benchmarkTurn(b *testing.B, calls int, plugins []*plugin.Plugin) {
	service := session.InMemoryService()
	made, err := service.Create(b.Context(), &session.CreateRequest{AppName: "cms", UserID: "anna", SessionID: "s-1"})
	require.NoError(b, err)
	add := func(author string, part *genai.Part, role string) {
		event := session.NewEvent(b.Context(), "i-1")
		event.Author, event.Content = author, genai.NewContentFromParts([]*genai.Part{part}, genai.Role(role))
		require.NoError(b, service.AppendEvent(b.Context(), made.Session, event))
	}
	for i := range calls {
		id := fmt.Sprintf("page-%d", 1000+i)
		request := genai.NewPartFromFunctionCall("get_page", map[string]any{"page_id": id})
		response := genai.NewPartFromFunctionResponse("get_page", map[string]any{"page": map[string]any{"id": id, "title": "Page", "text": strings.Repeat("words ", 330)}})
		request.FunctionCall.ID, response.FunctionResponse.ID = "adk-"+id, "adk-"+id
		add("editor", request, genai.RoleModel)
		add("editor", response, genai.RoleUser)
	}
	editor, err := llmagent.New(llmagent.Config{Name: "editor", Model: silent{}, Instruction: instruction})
	require.NoError(b, err)
	r, err := runner.New(runner.Config{AppName: "cms", Agent: editor, SessionService: service, PluginConfig: runner.PluginConfig{Plugins: plugins}})
	require.NoError(b, err)
	turn := func() {
		for _, err := range r.Run(b.Context(), "anna", "s-1", userSays("Go on."), agent.RunConfig{}) {
			require.NoError(b, err)
		}
	}
	turn() // records the session
	for b.Loop() {
		turn()
	}
}

// silent is a model that says little.
type silent struct{}

func (silent) Name() string { return "silent" }

func (silent) GenerateContent(context.Context, *model.LLMRequest, bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		yield(&model.LLMResponse{Content: say("Done.")}, nil)
	}
}
