package document_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// takeAll is a visitor that takes everything and keeps nothing; skipAll skips
// everything.
type (
	takeAll struct{}
	skipAll struct{ takeAll }
)

func (takeAll) Object()                      {}
func (takeAll) Array()                       {}
func (takeAll) Key([]byte) document.Decision { return document.Take }
func (takeAll) Item() document.Decision      { return document.Take }
func (takeAll) End()                         {}
func (takeAll) Scalar(document.Kind, []byte) {}
func (skipAll) Key([]byte) document.Decision { return document.Skip }
func (skipAll) Item() document.Decision      { return document.Skip }

// orders returns a JSON result of about size bytes.
func orders(size int, indent string) []byte {
	address := map[string]any{"city": "Lund", "street": "Long \"Street\" 5", "zip": "12345"}
	items := []any{
		map[string]any{"item_id": "1001", "name": "Lamp, blue", "price": 19.5},
		map[string]any{"item_id": "1002", "name": "Chair é", "price": 80.25},
	}
	var list []any
	for n := 0; n < size; n += 300 {
		list = append(list, map[string]any{
			"order_id": fmt.Sprintf("#W%07d", n), "user_id": fmt.Sprintf("user_%d", n%97),
			"address": address, "items": items, "paid": n%2 == 0, "note": nil,
		})
	}
	result := map[string]any{"orders": list, "count": len(list)}
	text, err := json.Marshal(result)
	if indent != "" {
		text, err = json.MarshalIndent(result, "", indent)
	}
	if err != nil {
		panic(err)
	}
	return text
}

func BenchmarkJSON(b *testing.B) {
	for _, size := range []int{1 << 10, 10 << 10, 1 << 20} {
		for _, indent := range []string{"", "  "} {
			text := orders(size, indent)
			name := fmt.Sprintf("%dKB%s", size>>10, strings.Repeat("/indented", len(indent)/2))
			run := func(what string, f func()) {
				b.Run(name+"/"+what, func(b *testing.B) {
					b.ReportAllocs()
					b.SetBytes(int64(len(text)))
					for b.Loop() {
						f()
					}
				})
			}
			run("take", func() { document.ReadText(text, takeAll{}, document.Limits{}) })
			run("skip", func() { document.ReadText(text, skipAll{}, document.Limits{}) })
			run("valid", func() { json.Valid(text) })
			run("unmarshal", func() {
				var v any
				_ = json.Unmarshal(text, &v)
			})
		}
	}
}

// BenchmarkFormats reads texts of about 16 KB, those without a format with the documents and lines in them.
func BenchmarkFormats(b *testing.B) {
	for name, line := range map[string]string{
		"keyvalue": "Order ID: W%d\nCustomer: Ann Lee\n**Total:** 19.50 EUR\n- Created: 2024-05-01 12:30\nURL: https://example.com\n\n",
		"headings": "## Issue %d: Login fails\nStatus: open\n\n",
		"inline":   "Received {\"id\": \"W%d\", \"items\": [1, 2]} after a while.\nNothing else happened (see [1] and {note}).\n",
		"prose":    "The fox jumps over dog %d; it was 12:30 when it did so.\n",
		"source":   "func f%d(x []int) map[string]int {\n\treturn map[string]int{\"a\": x[0]}\n}\n",
		"markdown": "| Issue | Card |\n|---|---|\n| [WEB-%d](https://example.com/WEB) | [Paint the hull](/cards/7) |\n",
		"yaml":     "- id: %d\n  name: Lamp # blue\n  meta:\n    url: https://example.com\n",
		"columns":  "NAME      READY  STATUS\npod-%d  1/1    Running\n\n",
		"xml":      "<item id=\"%d\"><name lang=\"en\">Lamp</name></item>",
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(strings.Repeat(strings.ReplaceAll(line, "%d", "1001"), 16<<10/len(line)))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if document.ReadText(text, takeAll{}, document.Limits{}).Format != document.FormatText {
					continue
				}
				for part := range document.Parts(text) {
					part.Read(takeAll{}, document.Limits{})
				}
				for range document.Unkeyed(text) {
				}
			}
		})
	}
}
