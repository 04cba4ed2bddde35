package longterm_test

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

func ExampleMemory() {
	ctx := context.Background()
	m, err := longterm.New(longterm.NewMemoryIndex(nil), nil)
	if err != nil {
		panic(err)
	}
	defer func() { _ = m.Close(ctx) }()
	anna := longterm.Of("shop", "anna")
	puts, err := m.Put(ctx, anna, []longterm.Record{
		{ID: "seat", Text: "Anna likes to sit at the window."},
		{ID: "food", Text: "Anna does not eat meat."},
		{ID: "again", Text: "Anna does not eat meat."},
	}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(puts[2].Status == longterm.PutMerged, puts[2].Key.ID)
	results, err := m.Search(ctx, anna, longterm.Query{Text: "Which window seat shall I book?"})
	if err != nil {
		panic(err)
	}
	for _, hit := range results.Hits {
		fmt.Println(hit.Record.ID, hit.Record.Text)
	}
	// Output:
	// true food
	// seat Anna likes to sit at the window.
}
