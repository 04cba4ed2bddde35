package handle_test

import (
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
)

func ExampleTable() {
	table := handle.NewTable(nil)
	result := `{"id":"7f1d3c1e-52ab-4c0e-9a77-0d2f61b8e5aa","title":"Home"}`
	found := []memory.Entity{{Type: "page", ID: "7f1d3c1e-52ab-4c0e-9a77-0d2f61b8e5aa", Name: "Home"}}
	table.Apply(table.Options().ChangeFor(result, found, nil))
	fmt.Println(table.Encode(result))

	fmt.Println(table.DecodeArguments(`{"url":"https://example.com/pages/page#1"}`, nil))
	_, err := table.DecodeArguments(`{"id":"page#2"}`, nil)
	fmt.Println(err)
	// Output:
	// {"id":"page#1","title":"Home"}
	// {"url":"https://example.com/pages/7f1d3c1e-52ab-4c0e-9a77-0d2f61b8e5aa"} <nil>
	// unknown handle page#2: the tool was not called; known handles are page#1
}
