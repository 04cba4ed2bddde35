// Gemini shows working memory with Google's client: an agent gets a page in one turn, and renames
// "it" in the next, which has none of the messages of the first.
//
//	cd examples/frameworks && go run ./gemini
//
// It needs no key and no network: a server on loopback answers. With GEMINI_API_KEY set, Google
// does (GEMINI_MODEL).
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/llmhttp"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/vendorapi"
	"github.com/go-workingmemory/workingmemory/examples/frameworks/internal/website"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	rec, err := middleware.NewRecorder(&middleware.Options{Handles: handle.NewTable(nil), Results: middleware.NewResults(nil)})
	if err != nil {
		log.Fatal(err)
	}
	config := &genai.ClientConfig{
		APIKey: os.Getenv("GEMINI_API_KEY"), Backend: genai.BackendGeminiAPI,
		HTTPClient: &http.Client{Transport: llmhttp.New(rec, nil).Transport(nil)}, // all it takes
	}
	if config.APIKey == "" {
		server := vendorapi.NewServer(website.Model)
		defer server.Close()
		config.APIKey, config.HTTPOptions.BaseURL = "none", server.URL
	}
	client, err := genai.NewClient(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	site := website.New()
	for _, said := range website.Turns {
		fmt.Printf("\nuser:  %s\n", said)
		answer, err := converse(ctx, client, site, middleware.ResultTools(rec), said)
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
func converse(ctx context.Context, client *genai.Client, site *website.Site, readers []middleware.ResultTool, said string) (string, error) {
	var functions []*genai.FunctionDeclaration
	for _, t := range website.Tools {
		functions = append(functions, &genai.FunctionDeclaration{
			Name: t.Name, Description: t.Description,
			ParametersJsonSchema: map[string]any{"type": "object", "properties": t.Properties(), "required": t.Parameters},
		})
	}
	for _, t := range readers {
		functions = append(functions, &genai.FunctionDeclaration{Name: t.Name, Description: t.Description, ParametersJsonSchema: t.Parameters})
	}
	config := &genai.GenerateContentConfig{
		SystemInstruction: genai.NewContentFromText("You edit a website.", ""),
		Tools:             []*genai.Tool{{FunctionDeclarations: functions}},
	}
	contents := genai.Text(said)
	for {
		response, err := client.Models.GenerateContent(ctx, cmp.Or(os.Getenv("GEMINI_MODEL"), "gemini-flash-latest"), contents, config)
		if err != nil {
			return "", err
		}
		calls := response.FunctionCalls()
		if len(calls) == 0 {
			return response.Text(), nil
		}
		results := &genai.Content{Role: genai.RoleUser}
		for _, call := range calls {
			results.Parts = append(results.Parts, &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: call.ID, Name: call.Name, Response: run(ctx, site, readers, call)}})
		}
		contents = append(contents, response.Candidates[0].Content, results)
	}
}

// run returns the response to a call, in the fields that the API names.
func run(ctx context.Context, site *website.Site, readers []middleware.ResultTool, call *genai.FunctionCall) map[string]any {
	arguments, err := json.Marshal(call.Args)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	result, err := callTool(ctx, site, readers, call.Name, string(arguments))
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"output": result}
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
