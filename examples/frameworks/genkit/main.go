// Genkit shows working memory in Genkit: an agent gets a page in one turn, and changes "its title"
// in the next, which has none of the messages of the first. The model sees the handle page#1 in
// place of a UUID, and the tool receives the UUID.
//
//	cd examples/frameworks && go run ./genkit
//
// It needs no key and no network: the model is a function, which knows only its prompt.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"regexp"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"

	wm "github.com/go-workingmemory/workingmemory/adapters/genkit"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	g := genkit.Init(ctx, genkit.WithDefaultModel("example/model"))
	genkit.DefineModelAction(g, "example/model",
		&ai.ModelOptions{Supports: &ai.ModelSupports{Multiturn: true, Tools: true, SystemRole: true}}, answer)
	getPage := genkit.DefineTool(g, "get_page", "Gets a page by its slug.", getPage)
	setTitle := genkit.DefineTool(g, "set_title", "Changes the title of a page.", setTitle)

	rec, err := middleware.NewRecorder(&middleware.Options{Handles: handle.NewTable(nil)})
	if err != nil {
		log.Fatal(err)
	}
	edit := genkit.DefineFlow(g, "edit", func(ctx context.Context, said string) (string, error) {
		return genkit.GenerateText(ctx, g,
			ai.WithSystem("You edit a website."),
			ai.WithPrompt("%s", said),
			ai.WithTools(getPage, setTitle),
			ai.WithUse(wm.New(rec, nil))) // all it takes
	})
	for _, said := range []string{"get the home page", "change its title to Welcome"} {
		fmt.Printf("\nuser:  %s\n", said)
		answer, err := edit.Run(ctx, said)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("agent: %s\n", answer)
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

type getInput struct {
	Slug string `json:"slug"`
}

func getPage(_ *ai.ToolContext, in getInput) (map[string]page, error) {
	fmt.Printf("tool:  get_page %s\n", in.Slug)
	return map[string]page{"page": home}, nil
}

type titleInput struct {
	PageID string `json:"page_id"`
	Title  string `json:"title"`
}

func setTitle(_ *ai.ToolContext, in titleInput) (map[string]page, error) {
	fmt.Printf("tool:  set_title %s %q\n", in.PageID, in.Title)
	if in.PageID != home.ID {
		return nil, errors.New("no such page")
	}
	home.Title = in.Title
	return map[string]page{"page": home}, nil
}

var homeLine = regexp.MustCompile(`"Home" \((.+)\)`)

// answer is the model: it calls a tool, and then says that it is done.
func answer(_ context.Context, request *ai.ModelRequest, _ any, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
	first, last := request.Messages[0], request.Messages[len(request.Messages)-1]
	var reply *ai.Message
	switch {
	case last.Role == ai.RoleTool:
		reply = ai.NewModelTextMessage("Done.")
	case last.Text() == "get the home page":
		reply = call("get_page", getInput{"home"})
	default:
		fmt.Printf("the model is given:\n%s\n\n", first.Text())
		id := homeLine.FindStringSubmatch(first.Text())
		if id == nil {
			return nil, errors.New("the prompt does not have the page")
		}
		reply = call("set_title", titleInput{id[1], "Welcome"})
	}
	return &ai.ModelResponse{Request: request, Message: reply, FinishReason: ai.FinishReasonStop}, nil
}

func call(tool string, input any) *ai.Message {
	return ai.NewModelMessage(ai.NewToolRequestPart(&ai.ToolRequest{Name: tool, Input: input}))
}
