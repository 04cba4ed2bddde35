// Anthropic shows working memory with the tool runner of Anthropic's client: an agent gets a page
// in one turn, and renames "it" in the next, which has none of the messages of the first. The model
// sees the handle page#1 in place of a UUID, and the tool receives the UUID.
//
//	cd examples/frameworks && go run ./anthropic
//
// It needs no key and no network: a server on loopback answers. With ANTHROPIC_API_KEY set,
// Anthropic does (ANTHROPIC_MODEL, ANTHROPIC_BASE_URL).
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/toolrunner"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/website"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	rec, err := middleware.NewRecorder(&middleware.Options{Handles: handle.NewTable(nil), Results: middleware.NewResults(nil)})
	if err != nil {
		log.Fatal(err)
	}
	options := []option.RequestOption{option.WithMiddleware(llmhttp.New(rec, nil).Middleware)} // all it takes
	if os.Getenv("ANTHROPIC_API_KEY") == "" {
		server := vendorapi.NewServer(website.Model)
		defer server.Close()
		options = append(options, option.WithBaseURL(server.URL), option.WithAPIKey("none"))
	}
	client, site := anthropic.NewClient(options...), website.New()
	for _, said := range website.Turns {
		fmt.Printf("\nuser:  %s\n", said)
		runner := client.Beta.Messages.NewToolRunner(tools(site, rec), anthropic.BetaToolRunnerParams{BetaMessageNewParams: anthropic.BetaMessageNewParams{
			Model:     cmp.Or(os.Getenv("ANTHROPIC_MODEL"), anthropic.ModelClaudeHaiku4_5),
			MaxTokens: 1000,
			System:    []anthropic.BetaTextBlockParam{{Text: "You edit a website."}},
			Messages:  []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock(said))},
		}})
		answer, err := runner.RunToCompletion(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		for _, block := range answer.Content {
			fmt.Printf("agent: %s\n", block.Text)
		}
	}
	if site.Title() != "Welcome" {
		log.Fatal("FAILED: the page has its old title")
	}
}

// tools returns the tools of a site, and those that read large results, for the runner, which makes
// failures errors of their calls.
func tools(site *website.Site, rec *middleware.Recorder) (all []anthropic.BetaTool) {
	for _, t := range website.Tools {
		schema := anthropic.BetaToolInputSchemaParam{Properties: t.Properties(), Required: t.Parameters}
		all = append(all, toolrunner.NewBetaTool(t.Name, t.Description, schema,
			func(_ context.Context, arguments json.RawMessage) (anthropic.BetaToolResultBlockParamContentUnion, error) {
				result, err := site.Call(t.Name, string(arguments))
				return textOf(result), err
			}))
	}
	for _, t := range middleware.ResultTools(rec) {
		tool, err := toolrunner.NewBetaToolFromBytes(t.Name, t.Description, t.Parameters,
			func(ctx context.Context, arguments json.RawMessage) (anthropic.BetaToolResultBlockParamContentUnion, error) {
				result, err := t.Call(ctx, string(arguments))
				return textOf(result), err
			})
		if err != nil {
			log.Fatal(err)
		}
		all = append(all, tool)
	}
	return all
}

func textOf(result string) anthropic.BetaToolResultBlockParamContentUnion {
	return anthropic.BetaToolResultBlockParamContentUnion{OfText: &anthropic.BetaTextBlockParam{Text: result}}
}
