// Itemstore runs a long task under 64 items and 4,000 tokens: an agent looks
// through 120 orders, and its memory decides what to keep. Each eviction has a reason. The goal
// and the findings are protected by their importance and outlive the steps between.
//
//	go run ./examples/itemstore
package main

import (
	"context"
	"fmt"
	"log"
	"maps"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	evictions := make(map[items.EvictionReason]int)
	store, err := items.New(&items.Options{ // 64 items, 4,000 tokens
		StepTTL: -1, // by default an item expires after 20 steps, and then leaves first, be it a goal
		Audit: func(r items.AuditRecord) {
			if r.Operation != items.OpEvict {
				return
			}
			if evictions[r.Reason]++; evictions[r.Reason] <= 3 {
				fmt.Printf("evicted: %-12s class %-8s reason: %s\n", r.ItemID, r.Class, r.Reason)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	block := prompt.Options{Budget: 256}
	recorder, err := middleware.NewRecorder(&middleware.Options{
		Workspace: workspace.New(&workspace.Options{
			Items:   store,
			Context: memory.NewWorkingContext(&memory.ContextOptions{Capacity: middleware.CapacityFor(block)}),
		}),
		Item: func(call middleware.ToolCall, found extractor.Extraction) (items.ItemInput, bool) {
			item, ok := middleware.ItemFromCall(call, found)
			item.ID = call.ID
			return item, ok
		},
		Notes: true,
		Block: block,
	})
	if err != nil {
		log.Fatal(err)
	}

	memorize(ctx, store, items.ItemInput{ID: "goal", Type: items.TypeGoal, Text: "Find out why orders of warehouse B2 are late.", Importance: new(0.95)})
	for n := range 120 {
		lookAt(ctx, recorder, n)
		switch {
		case n == 30:
			memorize(ctx, store, items.ItemInput{ID: "finding", Type: items.TypeFact, Text: "Late orders have carrier QX-7 in common.", Importance: new(0.8), Tags: []string{"finding"}})
		case n%3 == 0:
			memorize(ctx, store, items.ItemInput{ID: fmt.Sprint("progress ", n), Type: items.TypeConversation, Text: fmt.Sprintf("Still looking, %d orders done.", n+1), Importance: new(0.1)})
		}
	}

	fmt.Println("\nEvictions by reason:")
	for _, reason := range slices.Sorted(maps.Keys(evictions)) {
		fmt.Printf("  %4d  %s\n", evictions[reason], reason)
	}
	info := store.Capacity(ctx)
	fmt.Printf("In the store: %d of %d items, %d of %d tokens\n", info.Items, info.MaxItems, info.Tokens, info.MaxTokens)
	fmt.Printf("\nThe block:\n%s\n", recorder.Block())

	found, err := store.Remember(ctx, "which carrier?", items.Criteria{AnyTag: []string{"finding"}}, 1)
	if err != nil {
		log.Fatal(err)
	}
	summary, err := store.Summarize(ctx, items.SelectImportant, 60)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("\nThe summary, %d tokens:\n%s\n", summary.Tokens, summary.Text)
	if len(found) != 1 || !strings.Contains(summary.Text, "QX-7") || info.Items > 64 || info.Tokens > 4000 {
		log.Fatal("FAILED: a finding was lost, or a limit exceeded")
	}
}

// lookAt records a tool call, as the middleware does.
func lookAt(ctx context.Context, recorder *middleware.Recorder, n int) {
	id := fmt.Sprintf("#W%05d", 70000+n)
	_ = recorder.Record(ctx, middleware.ToolCall{
		ID: fmt.Sprint("call ", n), Name: "get_order", Arguments: fmt.Sprintf(`{"order_id": %q}`, id),
		Result: fmt.Sprintf(`{"order_id": %q, "status": "late", "warehouse": "B2", "carrier": "QX-7", "days": %d}`, id, n%9),
	})
}

func memorize(ctx context.Context, store *items.Store, item items.ItemInput) {
	if _, err := store.Memorize(ctx, item); err != nil {
		log.Fatal(err)
	}
}
