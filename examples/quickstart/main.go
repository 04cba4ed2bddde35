// Quickstart shows what working memory is for: an agent edits a small website,
// and its user says "its title" and "the one you just created". The same turns
// run with working memory and without.
//
//	go run ./examples/quickstart
//
// It needs no key and no network: a scripted model answers, which knows only its prompt. With
// OPENAI_API_KEY set, a real model does (OPENAI_MODEL, OPENAI_BASE_URL).
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/examples/internal/cms"
	"github.com/go-workingmemory/workingmemory/examples/internal/scriptedllm"
	"github.com/go-workingmemory/workingmemory/middleware"
)

var turns = []string{
	"get the home page",
	"now change its title to Welcome",
	"create a page called Launch",
	"delete the one you just created",
}

func main() {
	log.SetFlags(0)
	model, live, err := chooseModel()
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println("== with working memory ==")
	rec := new(middleware.Recorder)
	site := converse(model, rec)
	if !edited(site) {
		log.Fatal("FAILED: the site is not what the user asked for")
	}
	fmt.Println("\nThe home page has its new title, and the new page is gone again.")

	fmt.Println("\n== without ==")
	site = converse(model, nil)
	switch {
	case !edited(site):
		fmt.Println("\nThe site is not what the user asked for.")
	case live:
		fmt.Println("\nThis model found a way on its own.")
	default:
		log.Fatal("FAILED: the model knows what its prompt did not tell it")
	}
}

// converse runs all turns on a new site, with the recorder's working memory or, for nil, without.
func converse(model llms.Model, rec *middleware.Recorder) *cms.Site {
	site := cms.New()
	site.Trace = os.Stdout

	// Wrapping the agent is all it takes.
	var agent agents.Agent = agents.NewOpenAIFunctionsAgent(model, scriptedllm.Tools(site),
		agents.NewOpenAIOption().WithSystemMessage("You edit a website with the tools you have. Do not guess ids."))
	if rec != nil {
		agent = langchain.New(rec, nil).Agent(agent)
	}
	executor := agents.NewExecutor(agent)

	for _, turn := range turns {
		fmt.Printf("\n  user:  %s\n", turn)
		answer, err := chains.Run(context.Background(), executor, turn)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("  agent: %s\n", answer)
		if rec != nil {
			fmt.Println(rec.Block())
		}
	}
	return site
}

// edited reports whether all turns did what they asked for.
func edited(site *cms.Site) bool {
	home, err := site.Page("home")
	_, launched := site.Page("launch")
	return err == nil && home.Title == "Welcome" && launched != nil
}

func chooseModel() (model llms.Model, live bool, err error) {
	if os.Getenv("OPENAI_API_KEY") == "" {
		return scriptedllm.Model{}, false, nil
	}
	model, err = openai.New() // reads OPENAI_API_KEY, OPENAI_MODEL and OPENAI_BASE_URL
	return model, true, err
}
