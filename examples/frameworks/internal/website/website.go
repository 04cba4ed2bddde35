// Package website is a website of one page for the examples, with the tools to edit it and a
// model that does so. The model knows only its prompt.
package website

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
)

// Turns are what the user says. What "it" is, the second turn does not say.
var Turns = []string{"get the home page", "rename it to Welcome"}

// Tool describes a tool to a model.
type Tool struct {
	Name, Description string
	Parameters        []string // which are all required, and texts
}

// Tools are the tools of a Site.
var Tools = []Tool{
	{"get_page", "Gets a page by its slug, such as home.", []string{"slug"}},
	{"set_title", "Changes the title of a page.", []string{"page_id", "title"}},
}

// Properties returns the properties of the JSON schema of a tool's arguments.
func (t *Tool) Properties() map[string]any {
	properties := make(map[string]any)
	for _, name := range t.Parameters {
		properties[name] = map[string]any{"type": "string"}
	}
	return properties
}

// Site is a website. It prints each call of its tools.
type Site struct {
	id, title string
}

// New returns a website whose page has the title Home.
func New() *Site { return &Site{id: "550e8400-e29b-41d4-a716-446655440000", title: "Home"} }

// Title returns the title of the page.
func (s *Site) Title() string { return s.title }

// Call calls a tool with arguments as JSON, and returns its result as JSON.
func (s *Site) Call(tool, arguments string) (string, error) {
	fmt.Printf("tool:  %s %s\n", tool, arguments)
	var a struct {
		Slug   string `json:"slug"`
		PageID string `json:"page_id"`
		Title  string `json:"title"`
	}
	if err := json.Unmarshal([]byte(arguments), &a); err != nil {
		return "", err
	}
	switch {
	case tool == "get_page" && a.Slug == "home":
	case tool == "set_title" && a.PageID == s.id:
		s.title = a.Title
	default:
		return "", errors.New("no such page")
	}
	return fmt.Sprintf(`{"page":{"id":%q,"slug":"home","title":%q}}`, s.id, s.title), nil
}

var homeLine = regexp.MustCompile(`"Home" \((.+)\)`)

// Model is a model: it calls a tool, and then says that it is done. To rename a page it needs an
// id in its prompt, which it prints.
func Model(_ context.Context, r vendorapi.Request) (vendorapi.Reply, error) {
	call := vendorapi.Call{ID: "call_1", Name: "get_page", Arguments: `{"slug":"home"}`}
	switch last := r.Messages[len(r.Messages)-1]; {
	case last.Role == "tool":
		return vendorapi.Reply{Text: "Done."}, nil
	case last.Content != Turns[0]:
		fmt.Printf("the model is given:\n%s\n\n", r.System)
		id := homeLine.FindStringSubmatch(r.System)
		if id == nil {
			return vendorapi.Reply{Text: "I do not know which page you mean."}, nil
		}
		call.Name, call.Arguments = "set_title", fmt.Sprintf(`{"page_id":%q,"title":"Welcome"}`, id[1])
	}
	return vendorapi.Reply{Calls: []vendorapi.Call{call}}, nil
}
