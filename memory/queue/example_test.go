package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/queue"
)

func ExampleSummarizeOlder() {
	ctx := context.Background()
	summarize := func(_ context.Context, older []string) (string, error) { // usually with a model
		return fmt.Sprintf("%d items, the last of them %s", len(older), older[len(older)-1]), nil
	}
	q, _ := queue.New(6, &queue.Options[string]{Compact: queue.SummarizeOlder(2, summarize)})
	for _, item := range strings.Fields("a b c d e f g") {
		_ = q.Append(ctx, item)
	}
	fmt.Println(strings.Join(q.Items(), "\n"))
	// Output:
	// 4 items, the last of them d
	// e
	// f
	// g
}

func ExampleHookRegistry() {
	ctx := context.Background()
	errLong := errors.New("too long to be kept")
	short := queue.NewHook("short", func(_ context.Context, e queue.HookEvent[string]) error {
		for _, item := range e.Subject {
			if len(item) > 10 {
				return errLong
			}
		}
		return nil
	})
	archive := queue.NewHook("archive", func(_ context.Context, e queue.HookEvent[string]) error {
		fmt.Println("archived", e.Subject)
		return nil
	})
	registry, _ := queue.NewHookRegistry(short, archive)

	q, _ := queue.New(2, &queue.Options[string]{Hooks: queue.Hooks[string]{
		BeforeAppend: []*queue.Hook[string]{short},
		OnEvict:      []*queue.Hook[string]{archive},
	}})
	fmt.Println(q.Append(ctx, "a", "b", "c"))
	fmt.Println(q.Append(ctx, "a long story"))

	// The state contains the names of the hooks, by which the registry finds them.
	state, _ := json.Marshal(q)
	fmt.Println(string(state))
	restored, _ := queue.New(queue.DefaultLimit, &queue.Options[string]{Registry: registry})
	fmt.Println(json.Unmarshal(state, restored))
	fmt.Println(restored.Append(ctx, "d"))

	var missing *queue.UnregisteredHookError
	fmt.Println(errors.As(json.Unmarshal(state, new(queue.Queue[string])), &missing), missing.Hook)
	// Output:
	// archived [a]
	// <nil>
	// queue: before_append hook "short": too long to be kept
	// {"limit":2,"items":["b","c"],"hooks":{"before_append":["short"],"on_evict":["archive"]}}
	// <nil>
	// archived [b]
	// <nil>
	// true short
}

func ExamplePool() {
	ctx := context.Background()
	var pool queue.Pool
	_ = pool.Add(ctx, queue.ContextItem{ID: "report", Description: "sales of May", Content: "Oslo 12, Rome 7"})
	_ = pool.Add(ctx, queue.ContextItem{ID: "policy", Description: "who may travel", Content: "everybody"})
	fmt.Println(pool.Add(ctx, queue.ContextItem{ID: "note", Content: "no description"}))

	// The model sees the catalogue and requests items by id.
	fmt.Println(pool.Catalogue())
	item, err := pool.Get("report")
	fmt.Println(item.Content, err)
	_, err = pool.Get("note")
	fmt.Println(err)
	// Output:
	// queue: no description
	// - [report] sales of May
	// - [policy] who may travel
	// Oslo 12, Rome 7 <nil>
	// memory: no item has this id
}
