package adk_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"strings"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/plugin"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/agenttool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
	stored "github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// fakeModel calls a tool to get something. Otherwise it prints the block that it is shown.
type fakeModel struct {
	tool string
	args map[string]any
}

var gettingHome = fakeModel{"get_page", map[string]any{"slug": "home"}}

func (fakeModel) Name() string { return "fake" }

func (m fakeModel) GenerateContent(_ context.Context, req *model.LLMRequest, _ bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		said := req.Contents[len(req.Contents)-1].Parts[0].Text
		answer := genai.NewContentFromText("Done.", genai.RoleModel)
		switch {
		case strings.HasPrefix(said, "get"):
			answer = genai.NewContentFromFunctionCall(m.tool, m.args, genai.RoleModel)
		case said != "":
			system := req.Config.SystemInstruction.Parts[0].Text
			fmt.Println(system[strings.Index(system, "[WORKING MEMORY]"):])
		}
		yield(&model.LLMResponse{Content: answer}, nil)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

type slugArgs struct {
	Slug string `json:"slug"`
}

func newExampleTool() tool.Tool {
	return must(functiontool.New(functiontool.Config{Name: "get_page", Description: "Gets a page by its slug."},
		func(agent.Context, slugArgs) (map[string]any, error) {
			return map[string]any{"page": map[string]any{"id": "page-1001", "title": "Home", "slug": "home"}}, nil
		}))
}

func converse(r *runner.Runner, turns ...string) {
	for _, turn := range turns {
		for _, err := range r.Run(context.Background(), "anna", "s-1", genai.NewContentFromText(turn, genai.RoleUser), agent.RunConfig{}) {
			if err != nil {
				log.Fatal(err)
			}
		}
	}
}

func Example() {
	editor := must(llmagent.New(llmagent.Config{
		Name: "editor", Model: gettingHome, Instruction: "You edit a website.", Tools: []tool.Tool{newExampleTool()},
	}))
	r := must(runner.New(runner.Config{
		AppName: "cms", Agent: editor, SessionService: session.InMemoryService(), AutoCreateSession: true,
		PluginConfig: runner.PluginConfig{Plugins: []*plugin.Plugin{adk.New(new(middleware.Recorder), nil).Plugin()}},
	}))
	converse(r, "get the home page", "now change its title")
	// Output:
	// [WORKING MEMORY]
	// pages:
	//   - "Home" (page-1001)
}

func newRunner(a agent.Agent, memory *adk.WorkingMemory) *runner.Runner {
	return must(runner.New(runner.Config{
		AppName: "cms", Agent: a, SessionService: session.InMemoryService(), AutoCreateSession: true,
		PluginConfig: runner.PluginConfig{Plugins: []*plugin.Plugin{memory.Plugin()}},
	}))
}

func ExampleInSessions() {
	manager := must(stored.NewManager(memstore.New(nil), nil))
	defer manager.Close(context.Background())
	sessions := must(middleware.NewSessions(manager, nil))

	memory := adk.New(nil, &adk.Options{Recorder: adk.InSessions(sessions)})
	editor := must(llmagent.New(llmagent.Config{Name: "editor", Model: gettingHome, Tools: []tool.Tool{newExampleTool()}}))
	converse(newRunner(editor, memory), "get the home page")

	key := stored.Key{Namespace: "cms", UserID: "anna", SessionID: "s-1"}
	fmt.Println(must(sessions.Block(context.Background(), key)))
	// Output:
	// [WORKING MEMORY]
	// pages:
	//   - "Home" (page-1001)
}

func ExampleWorkingMemory_BeforeModel() {
	memory := adk.New(new(middleware.Recorder), nil)
	writer := must(llmagent.New(llmagent.Config{
		Name: "writer", Description: "Works with pages.", Model: gettingHome, Tools: []tool.Tool{newExampleTool()},
		BeforeModelCallbacks: []llmagent.BeforeModelCallback{memory.BeforeModel},
	}))
	editor := must(llmagent.New(llmagent.Config{
		Name: "editor", Model: fakeModel{"writer", map[string]any{"request": "get the home page"}},
		Tools: []tool.Tool{agenttool.New(writer, nil)},
	}))
	converse(newRunner(editor, memory), "get the home page", "now change its title")
	// Output:
	// [WORKING MEMORY]
	// pages:
	//   - "Home" (page-1001)
}
