// Chain gives a langchaingo LLMChain working memory in addition to its own memory: the
// application calls a tool, and the chain's next prompt shows what it returned.
//
//	go run ./examples/chain
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/prompts"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/examples/internal/cms"
	"github.com/go-workingmemory/workingmemory/examples/internal/scripted"
	"github.com/go-workingmemory/workingmemory/examples/internal/scriptedllm"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// The block is a value, never part of the template: names in it come from tools.
const template = `You help to edit a website.

{{.working_memory}}

{{.history}}
Human: {{.input}}`

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	site := cms.New()
	w := langchain.New(new(middleware.Recorder), nil)

	chain := chains.NewLLMChain(scriptedllm.Model{},
		prompts.NewPromptTemplate(template, []string{"working_memory", "history", "input"}))
	chain.Memory = w.Memory(memory.NewConversationBuffer())

	ask := func(question string) string {
		answer, err := chains.Run(ctx, chain, question)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("user:  %s\nchain: %s\n\n", question, answer)
		return answer
	}

	if got := ask("give me the link to it"); got != scripted.Lost {
		log.Fatalf("FAILED: there is nothing yet that %q could be", got)
	}

	getPage := w.Tool(site.Tool("cms_getPage"))
	result, err := getPage.Call(ctx, `{"slug": "about"}`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("(the application calls %s: %s)\n\n", getPage.Name(), result)

	about, err := site.Page("about")
	if err != nil {
		log.Fatal(err)
	}
	if got := ask("give me the link to it"); !strings.HasSuffix(got, about.ID) {
		log.Fatalf("FAILED: %q does not lead to the page", got)
	}
}
