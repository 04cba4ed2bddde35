// Ownloop is an agent without a framework: a loop of twenty lines, whose tool
// calls go through the recording middleware and whose prompts carry the block.
//
//	go run ./examples/ownloop
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/go-workingmemory/workingmemory/examples/internal/cms"
	"github.com/go-workingmemory/workingmemory/examples/internal/scripted"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func main() {
	log.SetFlags(0)
	site := cms.New()
	site.Trace = os.Stdout
	agent := newAgent(site)

	for _, turn := range []string{
		"get the home page", "now change its title to Welcome", "create a page called Launch", "delete the one you just created",
	} {
		fmt.Printf("  user:  %s\n", turn)
		answer, err := agent.ask(context.Background(), turn)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("  agent: %s\n%s\n\n", answer, agent.memory.Block())
	}

	if home, err := site.Page("home"); err != nil || home.Title != "Welcome" {
		log.Fatal("FAILED: the title did not change")
	}
	if _, err := site.Page("launch"); err == nil {
		log.Fatal("FAILED: the new page is still there")
	}
}

type agent struct {
	memory *middleware.Recorder
	tools  middleware.ToolHandler
}

func newAgent(site *cms.Site) *agent {
	memory := new(middleware.Recorder)
	run := func(ctx context.Context, call middleware.ToolCall) (any, error) {
		return site.Call(ctx, call.Name, call.Arguments.(map[string]string))
	}
	return &agent{memory: memory, tools: middleware.Chain(run, middleware.RecordCalls(memory))}
}

// ask lets the model work on a request until it answers.
func (a *agent) ask(ctx context.Context, request string) (string, error) {
	turn := []prompt.Message{{Role: "user", Content: request}}
	for range 5 {
		system := prompt.Message{Role: "system", Content: prompt.InSystem("You edit a website.", a.memory.Block())}
		step := scripted.Next(append([]prompt.Message{system}, turn...)) // here you would call your model
		if step.Tool == "" {
			return step.Answer, nil
		}
		result, err := a.tools(ctx, middleware.ToolCall{Name: step.Tool, Arguments: step.Args})
		if err != nil {
			return "", err
		}
		turn = append(turn, prompt.Message{Role: "tool", Content: fmt.Sprint(result)})
	}
	return "", fmt.Errorf("no answer to %q after 5 steps", request)
}
