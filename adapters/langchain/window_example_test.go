package langchain_test

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

func ExampleNewWindow() {
	ctx := context.Background()
	window, err := langchain.NewWindow(3, nil) // chain.Memory = window
	must(err)

	must(window.AddUserMessage(ctx, "Hello."))
	must(window.AddAIMessage(ctx, "Hello. What can I do?"))
	must(window.AddUserMessage(ctx, "Which orders are late?"))
	must(window.AddMessage(ctx, llms.AIChatMessage{ToolCalls: []llms.ToolCall{{ID: "call_1"}, {ID: "call_2"}}}))
	must(window.AddMessage(ctx, llms.ToolChatMessage{ID: "call_1", Content: "#W1"}))
	must(window.AddMessage(ctx, llms.ToolChatMessage{ID: "call_2", Content: "#W2"}))

	messages, err := window.Messages(ctx)
	must(err)
	for _, m := range messages {
		fmt.Printf("%s %q\n", m.GetType(), m.GetContent())
	}
	// Output:
	// ai "Hello. What can I do?"
	// human "Which orders are late?"
	// ai ""
	// tool "#W1"
	// tool "#W2"
}

// What is older than the window is summarised, here without a model;
// providers.NewSummarizer makes a summarizer of one.
func ExampleNewWindow_summary() {
	ctx := context.Background()
	var summarizer items.TextSummarizer = items.ExtractiveSummarizer{}
	compact := queue.SummarizeOlder(2, func(ctx context.Context, older []*langchain.Exchange) (*langchain.Exchange, error) {
		var texts []string
		for _, e := range older {
			for _, m := range e.Messages() {
				texts = append(texts, m.GetContent())
			}
		}
		summary, err := summarizer.Summarize(ctx, texts, 100)
		return langchain.NewExchange(llms.SystemChatMessage{Content: summary}), err
	})
	window, err := langchain.NewWindow(6, &langchain.WindowOptions{Queue: queue.Options[*langchain.Exchange]{Compact: compact}})
	must(err)

	for i := range 7 {
		must(window.AddUserMessage(ctx, fmt.Sprintf("Order #W%d is late.", i)))
	}
	values, err := window.LoadMemoryVariables(ctx, nil)
	must(err)
	fmt.Println(values["history"])
	// Output:
	// system: Order #W0 is late.
	// Order #W1 is late.
	// Order #W2 is late.
	// Order #W3 is late.
	// Human: Order #W4 is late.
	// Human: Order #W5 is late.
	// Human: Order #W6 is late.
}
