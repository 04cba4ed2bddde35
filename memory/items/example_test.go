package items_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

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
			fmt.Printf("left: %s (%s)\n", e.Item.Text, e.Reason)
		}
	}

	items, err := s.Remember(ctx, "What about W123?", items.Criteria{}, 5)
	fmt.Println(len(items), err)
	for _, it := range items {
		fmt.Println("found:", it.Text)
	}
	// Output:
	// left: Nice weather today! (low importance)
	// left: Order W123 left the warehouse on Monday. (normal importance)
	// 1 <nil>
	// found: Find out where order W123 is.
}

func ExampleStore_Forget() {
	ctx := context.Background()
	s, _ := items.New(nil)
	for _, text := range []string{"one", "two", "three"} {
		_, _ = s.Memorize(ctx, items.ItemInput{ID: text, Text: text})
	}

	f, _ := s.Forget(ctx, "oldest", items.ForgetHard)
	fmt.Println(f.Items[0].Text, "is gone,", f.Size, "are left")
	f, _ = s.Forget(ctx, "position:1", items.ForgetSoft)
	fmt.Println(f.Items[0].Text, "is hidden,", f.Size, "are left")
	fmt.Println(s.Restore(ctx, "three"))
	_, err := s.Forget(ctx, "whatever you like", items.ForgetHard)
	fmt.Println(err)
	// Output:
	// one is gone, 2 are left
	// three is hidden, 2 are left
	// <nil>
	// items: unknown instruction; valid are: oldest, least important, position:N, before:step_N
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

	// Identifiers are kept even where there is no room for the rest.
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

func ExampleStore_MarshalJSON() {
	s, _ := items.New(&items.Options{Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }})
	_, _ = s.Memorize(context.Background(), items.ItemInput{ID: "1", Text: "The parcel is in Berlin."})

	state, err := json.Marshal(s)
	fmt.Println(string(state), err)
	restored, _ := items.New(nil)
	err = json.Unmarshal(state, restored)
	fmt.Println(restored.Len(), err)
	// Output:
	// {"step":0,"items":[{"id":"1","type":"custom","text":"The parcel is in Berlin.","tokens":6,"timestamp":"2026-01-02T03:04:05Z","position":0,"step_index":0,"importance":0.5}]} <nil>
	// 1 <nil>
}

func ExampleAuditTo() {
	s, _ := items.New(&items.Options{
		Audit: func(r items.AuditRecord) { fmt.Println(r.Operation, r.AgentID, r.TurnID, r.Status) },
		// or AuditTo(slog.Default())
	})
	ctx := items.WithOrigin(context.Background(), items.Origin{AgentID: "support", TurnID: "7"})
	_, _ = s.Memorize(ctx, items.ItemInput{Text: "The parcel is in Berlin."})
	_, _ = s.Memorize(ctx, items.ItemInput{})
	// Output:
	// memorize support 7 ok
	// memorize support 7 error
}

func ExampleExtractiveSummarizer() {
	s := items.ExtractiveSummarizer{Counter: wordCounter{}}
	summary, err := s.Summarize(context.Background(), []string{
		"Order W123 was made on Sunday. It was a gift.",
		"The parcel left on Monday.",
	}, 12)
	fmt.Println(summary, err)
	// Output:
	// Order W123 was made on Sunday.
	// The parcel left on Monday. <nil>
}
