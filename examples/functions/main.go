// Functions gives langchaingo's OpenAI functions agent working memory and shows
// what leaves the process: a server on loopback speaks OpenAI's protocol, and
// prints the system message of the requests it gets.
//
//	go run ./examples/functions
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/examples/internal/cms"
	"github.com/go-workingmemory/workingmemory/examples/internal/openaitest"
	"github.com/go-workingmemory/workingmemory/examples/internal/scriptedllm"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	server := openaitest.NewServer()
	err := run(server)
	server.Close()
	if err != nil {
		log.Fatal(err)
	}
}

func run(server *openaitest.Server) error {
	model, err := openai.New(openai.WithBaseURL(server.URL), openai.WithToken("none"), openai.WithModel("scripted"))
	if err != nil {
		return err
	}
	site := cms.New()
	site.Trace = os.Stdout
	home, err := site.Page("home")
	if err != nil {
		return err
	}

	rec := new(middleware.Recorder)
	agent := agents.NewOpenAIFunctionsAgent(model, scriptedllm.Tools(site),
		agents.NewOpenAIOption().WithSystemMessage("You edit a website."))
	executor := agents.NewExecutor(langchain.New(rec, nil).Agent(agent))

	for _, turn := range []string{"get the home page", "now change its title to Welcome"} {
		fmt.Printf("  user:  %s\n", turn)
		answer, err := chains.Run(context.Background(), executor, turn)
		if err != nil {
			return err
		}
		fmt.Printf("  agent: %s\n\nsystem message of the last request:\n%s\n\n", answer, server.System())
	}

	if !strings.Contains(server.System(), home.ID) {
		return errors.New("FAILED: the page is not in the request")
	}
	if home, err = site.Page("home"); err != nil || home.Title != "Welcome" {
		return errors.New("FAILED: the title did not change")
	}
	return nil
}
