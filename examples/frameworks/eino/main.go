// Eino shows working memory in Eino's ADK: an agent gets a page in one turn, and changes "its
// title" in the next, which has none of the messages of the first. The model sees the handle page#1
// in place of a UUID, and the tool receives the UUID.
//
//	cd examples/frameworks && go run ./eino
//
// It needs no key and no network: the model is a function, which knows only its prompt. In its
// place you would use a model of github.com/cloudwego/eino-ext.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"regexp"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	getPage, err := utils.InferTool("get_page", "Gets a page by its slug.", getPage)
	if err != nil {
		log.Fatal(err)
	}
	setTitle, err := utils.InferTool("set_title", "Changes the title of a page.", setTitle)
	if err != nil {
		log.Fatal(err)
	}

	rec, err := middleware.NewRecorder(&middleware.Options{Handles: handle.NewTable(nil)})
	if err != nil {
		log.Fatal(err)
	}
	agent, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Instruction: "You edit a website.",
		Model:       scripted{},
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{getPage, setTitle}}},
		Handlers:    []adk.ChatModelAgentMiddleware{eino.New(rec, nil)}, // all it takes
	})
	if err != nil {
		log.Fatal(err)
	}
	runner := adk.NewRunner(ctx, adk.RunnerConfig{Agent: agent})
	for _, said := range []string{"get the home page", "change its title to Welcome"} {
		fmt.Printf("\nuser:  %s\n", said)
		events := runner.Query(ctx, said)
		for event, ok := events.Next(); ok; event, ok = events.Next() {
			if event.Err != nil {
				log.Fatal(event.Err)
			}
			if m := event.Output.MessageOutput.Message; m.Content != "" {
				fmt.Printf("%s: %s\n", m.Role, m.Content)
			}
		}
	}
	if home.Title != "Welcome" {
		log.Fatal("FAILED: the page has its old title")
	}
}

type page struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// home is the website.
var home = page{ID: "550e8400-e29b-41d4-a716-446655440000", Title: "Home"}

func getPage(context.Context, struct {
	Slug string `json:"slug"`
}) (map[string]page, error) {
	return map[string]page{"page": home}, nil
}

func setTitle(_ context.Context, in page) (map[string]page, error) {
	if in.ID != home.ID {
		return nil, errors.New("no such page")
	}
	home.Title = in.Title
	return map[string]page{"page": home}, nil
}

// scripted is the model: it calls one tool for each request, with the id that its prompt shows, and
// then answers.
type scripted struct{}

var shown = regexp.MustCompile(`"Home" \((.+)\)`)

func (scripted) Generate(_ context.Context, messages []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	system, last := messages[0].Content, messages[len(messages)-1]
	if last.Role == schema.Tool {
		return schema.AssistantMessage("Done.", nil), nil
	}
	name, arguments := "get_page", map[string]string{"slug": "home"}
	if id := shown.FindStringSubmatch(system); id != nil {
		name, arguments = "set_title", map[string]string{"id": id[1], "title": "Welcome"}
		fmt.Printf("system: %s\n", system)
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	fmt.Printf("call:  %s %s\n", name, text)
	return schema.AssistantMessage("", []schema.ToolCall{{ID: "call_1", Function: schema.FunctionCall{Name: name, Arguments: string(text)}}}), nil
}

func (m scripted) Stream(ctx context.Context, messages []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	answer, err := m.Generate(ctx, messages, opts...)
	return schema.StreamReaderFromArray([]*schema.Message{answer}), err
}
