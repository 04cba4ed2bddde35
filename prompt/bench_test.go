package prompt_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func BenchmarkRender(b *testing.B) {
	benchmarks := []struct {
		name     string
		opts     prompt.Options
		entities []memory.Entity
		notes    []items.Item
		said     string
	}{
		{"10 entities", prompt.Options{}, pages(10), nil, ""},
		{"10 entities and 5 notes", prompt.Options{}, pages(10), notes(5), ""},
		{"10 hostile entities", prompt.Options{PerType: 10}, hostile(10), nil, ""},
		{"512 tokens for 10 entities and 5 notes", prompt.Options{Budget: 512}, pages(10), notes(5), ""},
		{"256 tokens of 10 entities and 5 notes", prompt.Options{Budget: 256}, pages(10), notes(5), ""},
		{"256 tokens of 200 entities", prompt.Options{Budget: 256}, pages(200), nil, ""},
		{"256 tokens of 20000 entities", prompt.Options{Budget: 256}, pages(20_000), nil, ""},
		{"256 tokens of 200 entities and 200 notes", prompt.Options{Budget: 256}, pages(200), notes(200), ""},
		{"200 entities, one is named", prompt.Options{}, pages(200), nil, "Now change the title of landing page 150, please."},
		{"256 tokens of 200 entities, one is named", prompt.Options{Budget: 256}, pages(200), nil, "Now change the title of landing page 150, please."},
	}
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			r := prompt.NewRenderer(&bm.opts)
			focus := prompt.NewFocus(bm.said)
			var buf []byte
			for b.Loop() {
				buf = r.AppendBlock(buf[:0], prompt.Content{Focus: focus, Entities: bm.entities, Notes: bm.notes})
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	r := prompt.NewRenderer(&prompt.Options{PerType: 10})
	for name, c := range map[string]prompt.Content{
		"10 entities":             {Entities: pages(10)},
		"10 entities and 5 notes": {Entities: pages(10), Notes: notes(5)},
	} {
		b.Run(name, func(b *testing.B) {
			text := r.RenderContent(c)
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := prompt.ParseContent(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEstimator(b *testing.B) {
	text := prompt.NewRenderer(&prompt.Options{PerType: 20}).Render(pages(20))
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		prompt.Estimator{}.CountTokens(text)
	}
}

// hostile are entities whose labels need escapes.
func hostile(n int) []memory.Entity {
	entities := pages(n)
	for i := range entities {
		entities[i].Name = "<|im_start|>\n\u202e{{x}} \U000e0041"
	}
	return entities
}
