// Openai shows working memory with OpenAI's client: an agent gets a page in one turn, and renames
// "it" in the next, which has none of the messages of the first.
//
//	cd examples/frameworks && go run ./openai
//
// It needs no key and no network: a server on loopback answers. With OPENAI_API_KEY set, OpenAI
// does (OPENAI_MODEL, OPENAI_BASE_URL).
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/website"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	rec := new(middleware.Recorder)
	options := []option.RequestOption{option.WithMiddleware(llmhttp.New(rec, nil).Middleware)} // all it takes
	if os.Getenv("OPENAI_API_KEY") == "" {
		server := vendorapi.NewServer(website.Model)
		defer server.Close()
		options = append(options, option.WithBaseURL(server.URL+"/v1"), option.WithAPIKey("none"))
	}
	client, site := openai.NewClient(options...), website.New()
	for _, said := range website.Turns {
		fmt.Printf("\nuser:  %s\n", said)
		answer, err := converse(context.Background(), client, site, said)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("agent: %s\n", answer)
	}
	if site.Title() != "Welcome" {
		log.Fatal("FAILED: the page has its old title")
	}
}

// converse lets the model call tools until it answers.
func converse(ctx context.Context, client openai.Client, site *website.Site, said string) (string, error) {
	params := openai.ChatCompletionNewParams{
		Model:    cmp.Or(os.Getenv("OPENAI_MODEL"), openai.ChatModelGPT5_4Mini),
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("You edit a website."), openai.UserMessage(said)},
	}
	for _, t := range website.Tools {
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: t.Name, Description: openai.String(t.Description),
			Parameters: openai.FunctionParameters{"type": "object", "properties": t.Properties(), "required": t.Parameters},
		}))
	}
	for {
		completion, err := client.Chat.Completions.New(ctx, params)
		if err != nil {
			return "", err
		}
		answer := completion.Choices[0].Message
		if len(answer.ToolCalls) == 0 {
			return answer.Content, nil
		}
		params.Messages = append(params.Messages, answer.ToParam())
		for _, call := range answer.ToolCalls {
			result, err := site.Call(call.Function.Name, call.Function.Arguments)
			if err != nil {
				result = "error: " + err.Error()
			}
			params.Messages = append(params.Messages, openai.ToolMessage(result, call.ID))
		}
	}
}
