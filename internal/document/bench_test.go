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
	type item struct {
		ID    string  `json:"item_id"`
		Name  string  `json:"name"`
		Price float64 `json:"price"`
	}
	type order struct {
		ID      string            `json:"order_id"`
		User    string            `json:"user_id"`
		Address map[string]string `json:"address"`
		Items   []item            `json:"items"`
		Paid    bool              `json:"paid"`
		Note    *string           `json:"note"`
	}
	var list []order
	for n := 0; n < size; n += 400 {
		list = append(list, order{
			ID: fmt.Sprintf("#W%07d", n), User: fmt.Sprintf("user_%d", n%97),
			Address: map[string]string{"city": "Lund", "street": "Long \"Street\" 5", "zip": "12345"},
			Items:   []item{{"1001", "Lamp, blue", 19.5}, {"1002", "Desk", 250}, {"1003", "Chair é", 80.25}},
			Paid:    n%2 == 0,
		})
	}
	var text []byte
	var err error
	if indent == "" {
		text, err = json.Marshal(map[string]any{"orders": list, "count": len(list)})
	} else {
		text, err = json.MarshalIndent(map[string]any{"orders": list, "count": len(list)}, "", indent)
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
