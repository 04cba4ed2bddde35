package middleware_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

// runTool stands for what runs your tools.
func runTool(_ context.Context, call middleware.Call) (any, error) {
	return map[string]any{"id": "page-1001", "title": "Page for " + call.Name}, nil
}

func ExampleRecord() {
	ctx := context.Background()
	memory := middleware.NewRecorder(nil, nil)
	run := middleware.Chain(runTool, middleware.Record(memory))

	result, err := run(ctx, middleware.Call{Name: "create_page", Arguments: `{"title": "News"}`})
	system := prompt.InSystem("You edit a website.", memory.Block())
	_, _ = result, err
	fmt.Println(system)
	// Output:
	// You edit a website.
	//
	// [WORKING MEMORY]
	// pages:
	//   - "Page for create_page" (page-1001)
}

func ExampleWithRecorder() {
	run := middleware.Chain(runTool, middleware.Record(nil)) // once, for all sessions

	session := middleware.NewRecorder(nil, nil) // one for each conversation
	ctx := middleware.WithRecorder(context.Background(), session)
	_, _ = run(ctx, middleware.Call{Name: "get_page"})
	fmt.Println(session.Context().Len())
	// Output: 1
}

func ExampleOptions_budget() {
	counter, err := tiktoken.ForModel("gpt-4o")
	if err != nil {
		fmt.Println(err)
		return
	}
	memory := middleware.NewRecorder(nil, &middleware.Options{
		Block: prompt.Options{Budget: 256, Counter: counter},
	})
	fmt.Println(memory.Context().Capacity())
	// Output: 256
}

func ExampleOptions_extractor() {
	rules, err := extractor.ReadRules(strings.NewReader(`
rules:
  - {tool: "crm_*", type: lead, list: "payload.rows.*", id: ref.value, name: who}
  - {tool: "ping", skip: true}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	extract, err := extractor.New(&extractor.Options{Rules: rules})
	if err != nil {
		fmt.Println(err)
		return
	}
	memory := middleware.NewRecorder(nil, &middleware.Options{Extractor: extract})
	_ = memory.Record(context.Background(), middleware.ToolCall{
		Name: "crm_search", Result: `{"payload": {"rows": [{"ref": {"value": "L-1001"}, "who": "Acme"}]}}`,
	})
	fmt.Println(memory.Block())
	// Output:
	// [WORKING MEMORY]
	// leads:
	//   - "Acme" (L-1001)
}
