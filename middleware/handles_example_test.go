package middleware_test

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// The model sees page#1, and the tool receives the id.
func Example_handles() {
	rec, err := middleware.NewRecorder(&middleware.Options{Handles: handle.NewTable(nil)})
	if err != nil {
		fmt.Println(err)
		return
	}
	run := middleware.Chain(func(_ context.Context, call middleware.ToolCall) (any, error) {
		fmt.Println("tool:", call.Name, call.Arguments)
		return `{"page":{"id":"7f1d3c1e-52ab-4c0e-9a77-0d2f61b8e5aa","title":"Home"}}`, nil
	}, middleware.RecordCalls(rec))
	for _, call := range []middleware.ToolCall{
		{Name: "get_page", Arguments: `{"slug":"home"}`},
		{Name: "update_page", Arguments: `{"id":"page#1"}`},
		{Name: "update_page", Arguments: `{"id":"page#7"}`},
	} {
		shown, err := run(context.Background(), call)
		fmt.Println("model:", shown, err)
	}
	fmt.Println("user:", rec.DecodeNames("I changed page#1."))
	// Output:
	// tool: get_page {"slug":"home"}
	// model: {"page":{"id":"page#1","title":"Home"}} <nil>
	// tool: update_page {"id":"7f1d3c1e-52ab-4c0e-9a77-0d2f61b8e5aa"}
	// model: {"page":{"id":"page#1","title":"Home"}} <nil>
	// model: <nil> unknown handle page#7: the tool was not called; known handles are page#1
	// user: I changed "Home".
}
