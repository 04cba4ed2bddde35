package middleware_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/sidebyside"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// BenchmarkToolCall is all that working memory costs a turn (extract, add,
// render), beside what encoding/json takes for the same bytes in the same run:
//
//	x-Unmarshal  time, as a share of json.Unmarshal into any
//	x-Valid      time, as a share of json.Valid
//
// Each call brings other entities than the one before it.
func BenchmarkToolCall(b *testing.B) {
	const kb, mb = 1 << 10, 1 << 20
	for _, setting := range []struct {
		name string
		opts *middleware.Options
	}{
		{"constants", nil}, {"256 tokens", &middleware.Options{Block: prompt.Options{Budget: 256}}},
	} {
		for _, size := range []int{kb, 5 * kb, 10 * kb, 100 * kb, mb, 10 * mb} {
			for _, layout := range []string{"compact", "pretty"} {
				if layout == "pretty" && size != kb && size != 10*kb {
					continue // larger ones take as long as compact ones
				}
				b.Run(fmt.Sprintf("%s/%dKB/%s", setting.name, size/kb, layout), func(b *testing.B) {
					benchmarkToolCall(b, setting.opts, orders(size, layout == "pretty"))
				})
			}
		}
	}
	b.Run("unchanged", func(b *testing.B) {
		rec := new(middleware.Recorder)
		_ = rec.Record(context.Background(), pageCall(1))
		b.ReportAllocs()
		for b.Loop() {
			_ = rec.Block()
		}
	})
}

func benchmarkToolCall(b *testing.B, opts *middleware.Options, results [][]byte) {
	rec := newRecorder(b, opts)
	n := 0
	call := func() {
		_ = rec.Record(context.Background(), middleware.ToolCall{
			Name: "list_orders", Arguments: `{"status":"pending","limit":50}`, Result: results[n%len(results)],
		})
		_ = rec.Block()
		n++
	}
	b.SetBytes(int64(len(results[0])))
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
	b.ReportMetric(sidebyside.Share(call, func() {
		var v any
		_ = json.Unmarshal(results[0], &v)
	}), "x-Unmarshal")
	b.ReportMetric(sidebyside.Share(call, func() { json.Valid(results[0]) }), "x-Valid")
}

// orders are results of about so many bytes each, with ids of their own.
func orders(size int, pretty bool) [][]byte {
	results := make([][]byte, 4)
	for r := range results {
		var b bytes.Buffer
		b.WriteString(`{"success":true,"orders":[`)
		for i := 0; b.Len() < size || i == 0; i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"id":"ord_%d%07d","name":"Cordless Drill %d","status":"pending","created_at":"2026-03-14T09:26:53Z","total":%d.95,"quantity":%d,"gift":false,"address":{"city":"Oslo","zip":"0150"},"customer_id":"cus_%d%05d"}`,
				r, i*7919%9999999, i, 20+i%400, 1+i%9, r, i%1000)
		}
		b.WriteString(`],"total":1000,"has_more":false}`)
		results[r] = b.Bytes()
		if pretty {
			var out bytes.Buffer
			_ = json.Indent(&out, results[r], "", "  ")
			results[r] = out.Bytes()
		}
	}
	return results
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
				rec := newRecorder(b, opts)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					_ = rec.Record(context.Background(), middleware.ToolCall{Name: "list_pages", Result: found(entities[i%len(entities)]...)})
					_ = rec.Block()
				}
			})
		}
	}
}

// BenchmarkHistory is what the calls of a prompt cost that are all recorded: given whole, as by
// most frameworks, and continued by one more.
func BenchmarkHistory(b *testing.B) {
	result := `{"page":{"id":"page-1001","title":"Home","text":"` + strings.Repeat("lorem ipsum ", 80) + `"}}`
	for _, n := range []int{10, 100, 1000} {
		add := func(h *middleware.History, i int) {
			call := middleware.ToolCall{ID: fmt.Sprintf("call_%d", i), Name: "get_page", Arguments: `{"page_id":"page-1001"}`, Result: result}
			h.AddRequests(call)
			h.AddResult(call)
		}
		b.Run(fmt.Sprintf("whole/calls=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			rec := new(middleware.Recorder)
			for b.Loop() {
				h := &middleware.History{View: "v"}
				for i := range n {
					add(h, i)
				}
				_ = rec.RecordHistory(b.Context(), h)
			}
		})
		b.Run(fmt.Sprintf("continued/calls=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			rec, h := new(middleware.Recorder), &middleware.History{View: "v"}
			for i := range n {
				add(h, i)
			}
			_ = rec.RecordHistory(b.Context(), h)
			for i := 0; b.Loop(); i++ {
				next := h.Clone()
				add(next, i%n) // shown again
				_ = rec.RecordHistory(b.Context(), next)
			}
		})
	}
}

// BenchmarkJournal is what a journal adds to recording a call of 5 KB in a stored session, without
// one, in the process and in the store. bytes/call is the size of an entry.
func BenchmarkJournal(b *testing.B) {
	for _, entities := range []int{memory.DefaultCapacity, middleware.BudgetCapacity} {
		for _, kind := range []string{"none", "process", "stored"} {
			b.Run(fmt.Sprintf("%d entities/%s", entities, kind), func(b *testing.B) {
				store := memstore.New(nil)
				opts := &middleware.SessionsOptions{Decisions: middleware.NewSessionLogs(nil).Log}
				if kind != "none" {
					opts.Journal = middleware.NewJournal(&middleware.JournalOptions{Stored: kind == "stored"})
				}
				manager := newManager(b, store, &session.Options{Context: &memory.ContextOptions{Capacity: entities}})
				s, err := middleware.NewSessions(manager, opts)
				require.NoError(b, err)
				results, n := orders(5<<10, false), 0
				b.ReportAllocs()
				for b.Loop() {
					_, err := s.Record(b.Context(), conversation, middleware.ToolCall{Name: "list_orders", Result: results[n%len(results)]})
					require.NoError(b, err)
					n++
				}
				if infos, _ := store.Results(b.Context(), conversation, driver.JournalEntry); len(infos) > 0 {
					last := infos[len(infos)-1]
					b.ReportMetric(float64(last.Size)+float64(len(last.Meta)), "bytes/call")
				}
			})
		}
	}
}
