// React gives a text-only ReAct agent (langchaingo's one-shot agent) working
// memory. Wrapping the agent is enough: its prompt does not mention the memory.
//
//	go run ./examples/react
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/examples/internal/cms"
	"github.com/go-workingmemory/workingmemory/examples/internal/scriptedllm"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	site := cms.New()
	site.Trace = os.Stdout

	rec := new(middleware.Recorder)
	agent := agents.NewOneShotAgent(scriptedllm.Model{}, scriptedllm.Tools(site))
	executor := agents.NewExecutor(langchain.New(rec, nil).Agent(agent))

	for _, turn := range []string{"get the about page", "now change its title to About us"} {
		fmt.Printf("  user:  %s\n", turn)
		answer, err := chains.Run(context.Background(), executor, turn)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("  agent: %s\n%s\n\n", answer, rec.Block())
	}

	if about, err := site.Page("about"); err != nil || about.Title != "About us" {
		log.Fatal("FAILED: the title did not change")
	}
}
