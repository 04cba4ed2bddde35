// Handles has one conversation without short handles and with them, and prints what the
// model sees and how many tokens it reads. The tools receive ids in both.
//
//	go run ./examples/handles
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
	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/examples/internal/cms"
	"github.com/go-workingmemory/workingmemory/examples/internal/scriptedllm"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

func main() {
	log.SetFlags(0)
	counter, err := tiktoken.New("o200k_base")
	if err != nil {
		log.Fatal(err)
	}
	without, err := converse("without handles", counter, nil)
	if err != nil {
		log.Fatal(err)
	}
	with, err := converse("with handles", counter, handle.NewTable(nil))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("tokens of all prompts: %d without handles, %d with\n", without, with)
	if with >= without {
		log.Fatal("FAILED: handles save no tokens")
	}
}

// converse has a conversation, prints it, and returns the number of tokens that the model read.
func converse(title string, counter *tiktoken.Counter, handles *handle.Table) (tokens int, err error) {
	fmt.Printf("== %s\n\n", title)
	rec, err := middleware.NewRecorder(&middleware.Options{Handles: handles})
	if err != nil {
		return 0, err
	}
	model := &reader{counter: counter}
	site := cms.New()
	site.Trace = os.Stdout
	agent := agents.NewOpenAIFunctionsAgent(model, scriptedllm.Tools(site),
		agents.NewOpenAIOption().WithSystemMessage("You edit a website."))
	executor := agents.NewExecutor(langchain.New(rec, nil).Agent(agent))

	for _, turn := range []string{"get the home page", "now change its title to Welcome", "show me the link to it"} {
		fmt.Printf("  user:  %s\n", turn)
		answer, err := chains.Run(context.Background(), executor, turn)
		if err != nil {
			return 0, err
		}
		fmt.Printf("  agent: %s\n\n", rec.Decode(answer))
		if strings.Contains(turn, "title") {
			fmt.Printf("the model read:\n%s\n", model.last)
		}
	}
	if home, err := site.Page("home"); err != nil || home.Title != "Welcome" {
		return 0, errors.New("FAILED: the title did not change")
	}
	return model.tokens, nil
}

// reader is the scripted model, which keeps the prompt it read last, and counts the tokens of all.
type reader struct {
	scriptedllm.Model
	counter *tiktoken.Counter
	last    string
	tokens  int
}

// GenerateContent answers a prompt.
func (r *reader) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var b strings.Builder
	for _, m := range messages {
		for _, part := range m.Parts {
			switch part := part.(type) {
			case llms.TextContent:
				fmt.Fprintf(&b, "%s: %s\n", m.Role, part.Text)
			case llms.ToolCall:
				fmt.Fprintf(&b, "%s: %s %s\n", m.Role, part.FunctionCall.Name, part.FunctionCall.Arguments)
			case llms.ToolCallResponse:
				fmt.Fprintf(&b, "%s: %s\n", m.Role, part.Content)
			}
		}
	}
	r.last = b.String()
	r.tokens += r.counter.CountTokens(r.last)
	return r.Model.GenerateContent(ctx, messages, options...)
}
