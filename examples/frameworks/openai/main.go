// Openai shows working memory with OpenAI's client: an agent gets a page in one turn, and renames
// "it" in the next, which has none of the messages of the first. The model sees the handle page#1 in
// place of a UUID, and the tool receives the UUID.
//
//	cd examples/frameworks && go run ./openai
//
// It needs no key and no network: a server on loopback answers. With OPENAI_API_KEY set, OpenAI
// does (OPENAI_MODEL, OPENAI_BASE_URL).
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

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
	if os.Getenv("OPENAI_API_KEY") == "" {
		server := vendorapi.NewServer(website.Model)
		defer server.Close()
		options = append(options, option.WithBaseURL(server.URL+"/v1"), option.WithAPIKey("none"))
	}
	client, site := openai.NewClient(options...), website.New()
	for _, said := range website.Turns {
		fmt.Printf("\nuser:  %s\n", said)
		answer, err := converse(context.Background(), client, site, middleware.ResultTools(rec), said)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("agent: %s\n", answer)
	}
	if site.Title() != "Welcome" {
		log.Fatal("FAILED: the page has its old title")
	}
}

// converse lets the model call the site's tools, and those that read large results, until it answers.
func converse(ctx context.Context, client openai.Client, site *website.Site, readers []middleware.ResultTool, said string) (string, error) {
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
	for _, t := range readers {
		function := openai.FunctionDefinitionParam{Name: t.Name, Description: openai.String(t.Description)}
		if err := json.Unmarshal(t.Parameters, &function.Parameters); err != nil {
			return "", err
		}
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(function))
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
			result, err := callTool(ctx, site, readers, call.Function.Name, call.Function.Arguments)
			if err != nil {
				result = "error: " + err.Error()
			}
			params.Messages = append(params.Messages, openai.ToolMessage(result, call.ID))
		}
	}
}

// callTool calls a tool with arguments as JSON.
func callTool(ctx context.Context, site *website.Site, readers []middleware.ResultTool, name, arguments string) (string, error) {
	for _, t := range readers {
		if t.Name == name {
			return t.Call(ctx, arguments)
		}
	}
	return site.Call(name, arguments)
}
