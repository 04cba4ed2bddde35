package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/examples/internal/cms"
	"github.com/go-workingmemory/workingmemory/examples/internal/scriptedllm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// killed is the exit code of the first process.
const killed = 9

// process runs one part of the conversation, with nothing but the file.
func process(ctx context.Context, role, path string) error {
	store, err := sqlitestore.Open(ctx, path, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	// A small window, so that even this conversation is summarised.
	manager, err := session.NewManager(store, &session.Options{
		Window: 400, Summaries: summary.Options{Tokens: 100},
	})
	if err != nil {
		return err
	}
	defer manager.Close(ctx)

	site := cms.New() // stands for a server that both processes use
	site.Trace = os.Stdout
	if role == "first" {
		if err := converse(ctx, manager, site, mortal{}, "get the home page", "get the about page", "now change its title to Us"); err != nil {
			return err
		}
		return errors.New("the process goes on")
	}
	if err := converse(ctx, manager, site, scriptedllm.Model{}, "no, change its title to About us"); err != nil {
		return err
	}
	if about, err := site.Page("about"); err != nil || about.Title != "About us" {
		return errors.New("the second process did not know which page it was")
	}
	return nil
}

// converse runs some turns of the conversation.
func converse(ctx context.Context, manager *session.Manager, site *cms.Site, model llms.Model, turns ...string) error {
	conversation, err := langchain.NewSessionMemory(manager, key, nil)
	if err != nil {
		return err
	}
	agent := agents.NewOpenAIFunctionsAgent(model, scriptedllm.Tools(site),
		agents.NewOpenAIOption().WithExtraMessages([]prompts.MessageFormatter{conversation.History()}))
	executor := agents.NewExecutor(conversation.WorkingMemory().Agent(agent), agents.WithMemory(conversation))

	for _, turn := range turns {
		fmt.Printf("  user:  %s\n", turn)
		answer, err := chains.Run(ctx, executor, turn)
		if err != nil {
			return err
		}
		fmt.Printf("  agent: %s\n", answer)
	}
	return nil
}

// mortal is a model that ends its process after a title was changed and before it answers.
type mortal struct{ scriptedllm.Model }

func (m mortal) GenerateContent(
	ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	last := messages[len(messages)-1]
	if result, ok := last.Parts[0].(llms.ToolCallResponse); ok && strings.Contains(result.Content, `"Us"`) {
		fmt.Println("  (the process is killed)")
		os.Exit(killed)
	}
	return m.Model.GenerateContent(ctx, messages, options...)
}
