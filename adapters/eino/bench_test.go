package eino_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// BenchmarkModelCall is what the handler adds to a call of the model.
func BenchmarkModelCall(b *testing.B) {
	for _, calls := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("calls=%d", calls), func(b *testing.B) {
			w := eino.New(new(middleware.Recorder), nil)
			messages := []*schema.Message{schema.SystemMessage("You edit."), schema.UserMessage("Get the pages.")}
			for n := range calls {
				id := fmt.Sprintf("page-%d", 1_000_000+n)
				messages = append(messages, get(fmt.Sprintf("c%d get_page %s", n, id)), schema.ToolMessage(page(id), fmt.Sprint("c", n)))
			}
			state := &adk.ChatModelAgentState{Messages: messages}
			b.ReportAllocs()
			for b.Loop() {
				_, next, _ := w.BeforeModelRewriteState(b.Context(), state, nil)
				_, _, _ = w.AfterModelRewriteState(b.Context(), next, nil)
			}
		})
	}
}

// BenchmarkToolCall is what the handler adds to a call of a tool, extraction included.
func BenchmarkToolCall(b *testing.B) {
	w, result := eino.New(new(middleware.Recorder), nil), page(homeID)
	b.ReportAllocs()
	for b.Loop() {
		run, _ := w.WrapInvokableToolCall(b.Context(), func(context.Context, string, ...tool.Option) (string, error) {
			return result, nil
		}, &adk.ToolContext{Name: "get_page", CallID: "c1"})
		_, _ = run(b.Context(), arguments)
	}
}
