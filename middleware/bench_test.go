package middleware_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// BenchmarkToolCall is all that working memory costs a turn: extract, add, render.
func BenchmarkToolCall(b *testing.B) {
	var items []string
	for i := range 20 {
		items = append(items, fmt.Sprintf(`{"item_id":"%010d","name":"Lamp %d","options":{"color":"red","size":"S"},"price":%d.5}`, i, i, i))
	}
	for name, opts := range map[string]*middleware.Options{
		"Constants": nil, "Budget256": {Block: prompt.Options{Budget: 256}},
	} {
		b.Run(name, func(b *testing.B) {
			rec := middleware.NewRecorder(nil, opts)
			results := make([]string, 16)
			for i := range results {
				results[i] = fmt.Sprintf(`{"order_id":"#W%07d","user_id":"ann_lee_9620","status":"pending","items":[%s]}`, i, strings.Join(items, ","))
			}
			b.SetBytes(int64(len(results[0])))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_ = rec.Record(context.Background(), middleware.ToolCall{Name: "get_order", Arguments: `{"order_id":"#W1001"}`, Result: results[i%len(results)]})
				_ = rec.Block()
			}
		})
	}
	b.Run("Unchanged", func(b *testing.B) {
		rec := middleware.NewRecorder(nil, nil)
		_ = rec.Record(context.Background(), pageCall(1))
		b.ReportAllocs()
		for b.Loop() {
			_ = rec.Block()
		}
	})
}

// BenchmarkDecisionLog is what a tool call costs without and with a log, in a
// context that is full: each call evicts as many entities as it brings.
func BenchmarkDecisionLog(b *testing.B) {
	var entities [16][]memory.Entity
	for i := range entities {
		for j := range 20 {
			entities[i] = append(entities[i], memory.Entity{Type: "page", ID: fmt.Sprintf("550e8400-e29b-41d4-%04d-%012d", i, j), Name: "Landing page", Path: "$.pages[0]"})
		}
	}
	for _, budget := range []int{0, 256} {
		for _, logged := range []bool{false, true} {
			b.Run(fmt.Sprintf("Budget%d/Log=%t", budget, logged), func(b *testing.B) {
				opts := &middleware.Options{Extractor: scripted, Block: prompt.Options{Budget: budget}}
				if logged {
					opts.Decisions = middleware.NewDecisionLog(nil)
				}
				rec := middleware.NewRecorder(nil, opts)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					_ = rec.Record(context.Background(), middleware.ToolCall{Name: "list_pages", Result: found(entities[i%len(entities)]...)})
					_ = rec.Block()
				}
			})
		}
	}
}
