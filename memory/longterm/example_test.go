package longterm_test

import (
	"context"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/prompt"
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

func ExampleMemory_Forget() {
	ctx := context.Background()
	m, err := longterm.New(longterm.NewMemoryIndex(nil), nil)
	if err != nil {
		panic(err)
	}
	defer func() { _ = m.Close(ctx) }()
	anna := longterm.Of("shop", "anna")
	lastYear := time.Now().AddDate(-1, 0, 0)
	_, err = m.Put(ctx, anna, []longterm.Record{
		{ID: "seat", Text: "Anna likes to sit at the window."},
		{ID: "order", Text: "Anna asked for order #W101.", CreatedAt: lastYear, LastAccessed: lastYear},
		{ID: "allergy", Text: "Anna is allergic to nuts.", CreatedAt: lastYear, LastAccessed: lastYear, Pinned: true},
	}, nil)
	if err != nil {
		panic(err)
	}
	policy := longterm.Policy{MaxAge: 90 * 24 * time.Hour, MaxInactive: 30 * 24 * time.Hour}
	would, err := m.Forget(ctx, anna, policy, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println("would go:", would.Keys[0].ID)
	gone, err := m.Forget(ctx, anna, policy, &longterm.ForgetOptions{Delete: true})
	if err != nil {
		panic(err)
	}
	fmt.Println("gone:", len(gone.Keys), "of", gone.Scanned)
	// Output:
	// would go: order
	// gone: 1 of 3
}

func ExampleMemory_Recall() {
	ctx := context.Background()
	m, err := longterm.New(longterm.NewMemoryIndex(nil), nil)
	if err != nil {
		panic(err)
	}
	defer func() { _ = m.Close(ctx) }()
	anna := longterm.Of("shop", "anna")
	_, err = m.Put(ctx, anna, []longterm.Record{{ID: "seat", Text: "Anna likes to sit at the window."}}, nil)
	if err != nil {
		panic(err)
	}
	notes, err := m.Recall(ctx, anna, "A window on the train, please.", nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(prompt.NewRenderer(nil).RenderContent(prompt.Content{Notes: notes}))
	// Output:
	// [WORKING MEMORY]
	// [NOTES]
	//   - fact: "Anna likes to sit at the window."
}
