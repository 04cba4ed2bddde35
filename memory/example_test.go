package memory_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
)

// exampleClock returns a constant time.
func exampleClock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func Example() {
	wc := memory.NewWorkingContext(nil) // keeps the 10 most recently used entities

	// A tool returned two pages, then the home page again.
	_ = wc.AddMany([]memory.Entity{
		{Type: "page", ID: "17", Name: "About"},
		{Type: "page", ID: "4", Name: "Home"},
	})
	_ = wc.Add(memory.Entity{Type: "page", ID: "4", Slug: "home"})

	for e := range wc.All() {
		fmt.Println(e.Type, e.ID, e.Label(), e.Slug)
	}
	// Output:
	// page 4 Home home
	// page 17 About
}

func ExampleWorkingContext_Apply() {
	wc := memory.NewWorkingContext(nil)
	_ = wc.AddMany([]memory.Entity{
		{Type: "page", ID: "4", Name: "Home"},
		{Type: "page", ID: "17", Name: "About"},
		{Type: "page", ID: "23", Name: "Old news"},
	})

	// A tool call had page 17 as an argument, returned a section of it, and
	// deleted page 23. Readers see these changes at once.
	err := wc.Apply(memory.Change{
		Use:    []memory.Ref{{Type: "page", ID: "17"}},
		Add:    []memory.Entity{{Type: "section", ID: "5", Name: "Team"}},
		Remove: []memory.Ref{{Type: "page", ID: "23"}},
	})
	fmt.Println(err)
	for e := range wc.All() {
		fmt.Println(e.Type, e.ID, e.Name, e.Uses)
	}
	// Output:
	// <nil>
	// section 5 Team 0
	// page 17 About 1
	// page 4 Home 0
}

func ExampleWorkingContext_MarshalJSON() {
	wc := memory.NewWorkingContext(&memory.ContextOptions{Now: exampleClock})
	_ = wc.Add(memory.Entity{Type: "page", ID: "4", Name: "Home", Slug: "home"})

	state, err := json.Marshal(wc)
	fmt.Println(string(state), err)

	restored := memory.NewWorkingContext(nil)
	err = json.Unmarshal(state, restored)
	fmt.Println(restored.Len(), err)

	err = json.Unmarshal([]byte(`{"entities":[{"id":"4"},{"name":"Home"}]}`), restored)
	fmt.Println(restored.Len(), err)
	// Output:
	// {"entities":[{"type":"page","id":"4","name":"Home","slug":"home","timestamp":"2026-01-02T03:04:05Z"}]} <nil>
	// 1 <nil>
	// 1 memory: invalid state: item 1: memory: no id
}
