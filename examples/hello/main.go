// Hello is the program on the README's first screen.
package main

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	recorder := new(middleware.Recorder)
	recorder.Record(context.Background(), middleware.ToolCall{
		Name:   "cms_getPage",
		Result: `{"success": true, "page": {"id": "550e8400-e29b-41d4-a716-446655440000", "title": "Home"}}`,
	})
	fmt.Println(recorder.Block()) // append this to the system prompt, every turn
}
