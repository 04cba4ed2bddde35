package middleware_test

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func ExampleOptions_workspace() {
	ctx := context.Background()
	agent := workspace.New(nil)
	recorder, err := middleware.NewRecorder(&middleware.Options{
		Workspace: agent,
		Item:      middleware.ItemFromCall, // each call becomes an item of the store
		Notes:     true,                    // and the block shows the important and recent ones
	})
	must(err)
	_, _ = agent.Items().Memorize(ctx, items.ItemInput{Type: items.TypeGoal, Text: "Rename the home page.", Importance: new(0.9)})

	_ = recorder.Record(ctx, middleware.ToolCall{Name: "get_page", Result: `{"page": {"id": "4", "title": "Home"}}`})
	_ = recorder.Record(ctx, middleware.ToolCall{Name: "note", Result: queue.ContextItem{Content: "Ask for the new title."}})

	fmt.Println(recorder.Block())
	fmt.Println(agent.Queue().Items()[0].Content)
	// Output:
	// [WORKING MEMORY]
	// pages:
	//   - "Home" (4)
	// [NOTES]
	//   - goal: "Rename the home page."
	//   - observation: "get_page: page: id: 4, title: Home"
	//   - observation: "note: Ask for the new title."
	// Ask for the new title.
}
