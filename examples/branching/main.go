// Branching shows an agent that delegates: each sub-agent works in a branch of its workspace,
// starts with what the agent knows, and keeps its own steps to itself. What it returns goes to
// the agent's queue, or to its pool if it has an id.
//
//	go run ./examples/branching
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/go-workingmemory/workingmemory/examples/internal/cms"
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	site := cms.New()
	editor := newAgent("editor", site, workspace.New(nil))
	ctx := context.Background()

	must(editor.call(ctx, "cms_getPage", map[string]string{"slug": "home"}))
	must(editor.call(ctx, "note", map[string]string{"text": "The launch is on Friday."}))
	for _, task := range []string{"Pricing", "Contact"} {
		must(editor.call(ctx, "delegate", map[string]string{"task": task}))
	}

	fmt.Printf("\nThe editor's queue:\n")
	for item := range editor.workspace.Queue().All() {
		fmt.Println(" ", item.Content)
	}
	fmt.Printf("The editor's pool:\n%s\n", editor.workspace.Pool().Catalogue())
	fmt.Printf("The editor's block:\n%s\n", editor.recorder.Block())

	restored := workspace.New(nil)
	state, err := json.Marshal(editor.workspace)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.Unmarshal(state, restored); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Restored from %d bytes: %d in the queue, %d in the pool, %d entities.\n",
		len(state), restored.Queue().Len(), restored.Pool().Len(), restored.Context().Len())

	if editor.workspace.Context().Len() != 1 || editor.workspace.Pool().Len() != 2 || restored.Pool().Len() != 2 {
		log.Fatal("FAILED: a branch did not stay on its own, or its report got lost")
	}
}

// agent has a workspace, and tools whose calls are recorded into it.
type agent struct {
	name      string
	site      *cms.Site
	workspace *workspace.Workspace
	recorder  *middleware.Recorder
	tools     middleware.ToolHandler
}

func newAgent(name string, site *cms.Site, ws *workspace.Workspace) *agent {
	recorder, err := middleware.NewRecorder(&middleware.Options{Workspace: ws})
	if err != nil {
		log.Fatal(err)
	}
	a := &agent{name: name, site: site, workspace: ws, recorder: recorder}
	a.tools = middleware.Chain(a.run, middleware.RecordCalls(a.recorder))
	return a
}

func (a *agent) call(ctx context.Context, tool string, args map[string]string) (any, error) {
	fmt.Printf("%s: %s %v\n", a.name, tool, args)
	return a.tools(ctx, middleware.ToolCall{Name: tool, Arguments: args})
}

// run runs a tool. A queue.ContextItem that it returns goes to the pool of the agent's
// workspace if it has an id, else to the queue.
func (a *agent) run(ctx context.Context, call middleware.ToolCall) (any, error) {
	args := call.Arguments.(map[string]string)
	switch call.Name {
	case "note":
		return queue.ContextItem{Content: args["text"]}, nil
	case "delegate":
		return a.delegate(ctx, args["task"])
	default:
		return a.site.Call(ctx, call.Name, args)
	}
}

// delegate lets a sub-agent with a small queue create a page.
func (a *agent) delegate(ctx context.Context, title string) (any, error) {
	ws, err := a.workspace.Branch(&workspace.BranchOptions{
		Queue: &queue.BranchOptions[queue.ContextItem]{Limit: new(5)},
	})
	if err != nil {
		return nil, err
	}
	sub := newAgent("  sub-agent for "+title, a.site, ws)
	for _, step := range []struct {
		tool string
		args map[string]string
	}{
		{"cms_createPage", map[string]string{"title": title}},
		{"note", map[string]string{"text": title + " has no pictures yet."}},
	} {
		if _, err := sub.call(ctx, step.tool, step.args); err != nil {
			return nil, err
		}
	}
	fmt.Printf("%s\n  (%d in its queue)\n", sub.recorder.Block(), ws.Queue().Len())
	return queue.ContextItem{
		ID: "report-" + title, Description: "what was done for " + title,
		Content: "The page is created. Pictures are missing.",
	}, nil
}

func must(_ any, err error) {
	if err != nil {
		log.Fatal(err)
	}
}
