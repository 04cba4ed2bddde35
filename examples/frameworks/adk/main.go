// ADK shows working memory in ADK for Go: an agent gets a page in one session, and changes "its
// title" in the next, which has none of the messages of the first. The model sees the handle page#1
// in place of a UUID, and the tool receives the UUID.
//
//	cd examples/frameworks && go run ./adk
//
// It needs no key and no network: the model is a function, which knows only its prompt. In its
// place you would use google.golang.org/adk/v2/model/gemini.
package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"
	"regexp"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/plugin"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	getPage, err := functiontool.New(functiontool.Config{Name: "get_page", Description: "Gets a page by its slug."}, getPage)
	check(err)
	setTitle, err := functiontool.New(functiontool.Config{Name: "set_title", Description: "Changes the title of a page."}, setTitle)
	check(err)
	editor, err := llmagent.New(llmagent.Config{
		Name: "editor", Model: scripted{}, Instruction: "You edit a website.", Tools: []tool.Tool{getPage, setTitle},
	})
	check(err)

	rec, err := middleware.NewRecorder(&middleware.Options{Handles: handle.NewTable(nil)})
	check(err)
	r, err := runner.New(runner.Config{
		AppName: "cms", Agent: editor, SessionService: session.InMemoryService(), AutoCreateSession: true,
		PluginConfig: runner.PluginConfig{Plugins: []*plugin.Plugin{adk.New(rec, nil).Plugin()}}, // all it takes
	})
	check(err)
	for i, said := range []string{"get the home page", "change its title to Welcome"} {
		fmt.Printf("\nuser:  %s\n", said)
		id := fmt.Sprintf("session-%d", i+1)
		for event, err := range r.Run(context.Background(), "anna", id, genai.NewContentFromText(said, genai.RoleUser), agent.RunConfig{}) {
			check(err)
			if text := event.Content.Parts[0].Text; text != "" {
				fmt.Printf("agent: %s\n", text)
			}
		}
	}
	if home.Title != "Welcome" {
		log.Fatal("FAILED: the page has its old title")
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

type page struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// home is the website.
var home = page{ID: "550e8400-e29b-41d4-a716-446655440000", Title: "Home"}

func getPage(agent.Context, struct {
	Slug string `json:"slug"`
}) (map[string]page, error) {
	return map[string]page{"page": home}, nil
}

func setTitle(_ agent.Context, in page) (map[string]page, error) {
	if in.ID != home.ID {
		return nil, errors.New("no such page")
	}
	home.Title = in.Title
	return map[string]page{"page": home}, nil
}

// scripted is the model: it calls one tool for each request, with the id that its prompt shows, and
// then answers.
type scripted struct{}

func (scripted) Name() string { return "scripted" }

var shown = regexp.MustCompile(`"Home" \((.+)\)`)

func (scripted) GenerateContent(_ context.Context, req *model.LLMRequest, _ bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		system, last := req.Config.SystemInstruction.Parts[0].Text, req.Contents[len(req.Contents)-1].Parts[0]
		if last.FunctionResponse != nil {
			yield(&model.LLMResponse{Content: genai.NewContentFromText("Done.", genai.RoleModel)}, nil)
			return
		}
		name, args := "get_page", map[string]any{"slug": "home"}
		if id := shown.FindStringSubmatch(system); id != nil {
			name, args = "set_title", map[string]any{"id": id[1], "title": "Welcome"}
			fmt.Printf("the model is given:\n%s\n\n", system)
		}
		fmt.Printf("call:  %s %v\n", name, args)
		yield(&model.LLMResponse{Content: genai.NewContentFromFunctionCall(name, args, genai.RoleModel)}, nil)
	}
}
