package items_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/items"
)

func ExampleStore() {
	ctx := context.Background()
	s, err := items.New(&items.Options{MaxItems: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range []items.ItemInput{
		{Type: items.TypeGoal, Text: "Find out where order W123 is.", Importance: new(0.9)},
		{Type: items.TypeConversation, Text: "Nice weather today!", Importance: new(0.1)},
		{Type: items.TypeObservation, Text: "Order W123 left the warehouse on Monday."},
		{Type: items.TypeObservation, Text: "The parcel is in Berlin."},
	} {
		m, err := s.Memorize(ctx, in)
		if err != nil {
			fmt.Println(err)
		}
		for _, e := range m.Evicted {
			fmt.Printf("evicted: %s (%s)\n", e.Item.Text, e.Reason)
		}
	}

	items, err := s.Remember(ctx, "What about W123?", items.Criteria{}, 5)
	fmt.Println(len(items), err)
	for _, it := range items {
		fmt.Println("found:", it.Text)
	}
	// Output:
	// evicted: Nice weather today! (low importance)
	// evicted: Order W123 left the warehouse on Monday. (normal importance)
	// 1 <nil>
	// found: Find out where order W123 is.
}

// wordCounter is a TokenCounter for examples.
type wordCounter struct{}

func (wordCounter) CountTokens(text string) int { return len(strings.Fields(text)) }

func ExampleStore_Summarize() {
	ctx := context.Background()
	s, _ := items.New(&items.Options{Counter: wordCounter{}})
	for _, in := range []items.ItemInput{
		{Type: items.TypeGoal, Text: "Find out where order W123 is.", Importance: new(0.9)},
		{Type: items.TypeObservation, Text: "Parcel P-77 left on Monday. It weighs four kilograms."},
	} {
		_, _ = s.Memorize(ctx, in)
	}

	// Identifiers are kept even if there is no room for the rest.
	for _, maxTokens := range []int{20, 13, 9} {
		summary, err := s.Summarize(ctx, items.SelectAll, maxTokens)
		fmt.Printf("%s\n(%d tokens, %v)\n", summary.Text, summary.Tokens, err)
	}
	// Output:
	// goal: Find out where order W123 is.
	// observation: Parcel P-77 left on Monday. It weighs four kilograms.
	// (17 tokens, <nil>)
	// goal: Find out where order W123 is.
	// observation: Parcel P-77 left on Monday.
	// (13 tokens, <nil>)
	// goal: Find out where order W123 is.
	// observation: P-77
	// (9 tokens, <nil>)
}
