package items_test

import (
	"context"
	"fmt"

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
