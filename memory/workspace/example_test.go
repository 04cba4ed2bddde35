package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
)

func ExampleWorkspace() {
	ctx := context.Background()
	agent := workspace.New(nil)
	_ = agent.Route(ctx,
		queue.ContextItem{Content: "The user wants a quote."},
		queue.ContextItem{ID: "offer", Description: "the offer of last year", Content: "12 licences, 10 % off"})

	// A sub-agent starts with a copy of everything.
	helper, err := agent.Branch(&workspace.BranchOptions{
		Queue: &queue.BranchOptions[queue.ContextItem]{Limit: new(5)},
	})
	fmt.Println(err)
	_ = helper.Route(ctx, queue.ContextItem{Content: "Prices went up by 4 %."})
	fmt.Println(agent.Queue().Len(), helper.Queue().Len())
	fmt.Println(helper.Pool().Catalogue())

	state, err := json.Marshal(agent)
	fmt.Println(err)
	restored := workspace.New(nil)
	err = json.Unmarshal(state, restored)
	fmt.Println(restored.Queue().Items()[0].Content, err)
	// Output:
	// <nil>
	// 1 2
	// - [offer] the offer of last year
	// <nil>
	// The user wants a quote. <nil>
}

// The code of the README.
func Example_readme() {
	ctx := context.Background()

	summarize := items.SummarizeTexts(items.ExtractiveSummarizer{}, 200) // or with a model
	recent, err := queue.New(20, &queue.Options[string]{
		Compact: queue.SummarizeOlder(8, summarize), // what is older becomes one item
	})
	must(err)
	err = recent.Append(ctx, "user: hello", "assistant: hi there")
	must(err)
	draft, err := recent.Branch(nil) // goes its own way from here
	must(err)
	fmt.Println(draft.Len())

	store, err := items.New(nil) // 64 items, 4,000 tokens
	must(err)
	kept, err := store.Memorize(ctx, items.ItemInput{
		Type: items.TypeGoal, Text: "Find out why orders are late.", Importance: new(0.9),
	})
	must(err)
	for _, e := range kept.Evicted {
		fmt.Println(e.Item.Text, e.Reason) // step TTL, low importance, …
	}
	summary, err := store.Summarize(ctx, items.SelectImportant, 200)
	must(err)
	fmt.Println(summary.Text)
	// Output:
	// 2
	// goal: Find out why orders are late.
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
