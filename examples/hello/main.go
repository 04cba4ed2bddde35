// Hello is the program on the README's first screen.
package main

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	memory := new(middleware.Recorder)
	memory.Record(context.Background(), middleware.ToolCall{
		Name:   "cms_getPage",
		Result: `{"success": true, "page": {"id": "550e8400-e29b-41d4-a716-446655440000", "title": "Home"}}`,
	})
	fmt.Println(memory.Block()) // goes into the system prompt, every turn
}
