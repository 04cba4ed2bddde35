package summaryview_test

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
)

func ExampleViews() {
	ctx, shop := context.Background(), summaryview.Tenant{Namespace: "shop"}
	memory, err := longterm.New(memindex.New(nil), nil)
	if err != nil {
		panic(err)
	}
	_, err = memory.Put(ctx, longterm.OfNamespace("shop"), []longterm.Record{
		{ID: "1", Namespace: "shop", UserID: "anna", Text: "Anna likes window seats."},
		{ID: "2", Namespace: "shop", UserID: "anna", Text: "Anna lives in Bremen."},
	}, nil)
	if err != nil {
		panic(err)
	}
	views, err := summaryview.New(memory, new(summaryview.MemoryDocuments), nil)
	if err != nil {
		panic(err)
	}
	profiles, err := views.Create(ctx, shop, summaryview.Definition{GroupBy: []string{"user_id"}})
	if err != nil {
		panic(err)
	}
	anna, err := views.Summarize(ctx, shop, profiles.ID, map[string]string{"user_id": "anna"})
	if err != nil {
		panic(err)
	}
	fmt.Println(anna.Summary)
	// Output:
	// Anna likes window seats.
	// Anna lives in Bremen.
}
