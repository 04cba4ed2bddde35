package prompt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	const shown, perType, budget, tooOld, invalid = prompt.VerdictShown, prompt.VerdictPerType,
		prompt.VerdictBudget, prompt.VerdictTooOld, prompt.VerdictInvalid
	user := memory.Entity{Type: "user", ID: "9", Name: "U"}
	tests := []struct {
		name     string
		opts     prompt.Options
		entities []memory.Entity
		want     []prompt.Verdict
	}{
		{"nothing", prompt.Options{}, nil, []prompt.Verdict{}},
		{"each type has its own limit", prompt.Options{PerType: 1},
			[]memory.Entity{page("1", "A"), page("2", "B"), user}, []prompt.Verdict{shown, perType, shown}},
		{"the same id under two types", prompt.Options{PerType: 1},
			[]memory.Entity{page("9", "A"), page("1", "B"), user}, []prompt.Verdict{shown, perType, shown}},
		{"what cannot be shown takes no place", prompt.Options{PerType: 1},
			[]memory.Entity{page("", "A"), page("\xff", "B"), page("3", "C"), page(strings.Repeat("4", 600), "D")},
			[]prompt.Verdict{invalid, invalid, shown, invalid}},
		{"an unknown type", prompt.Options{}, []memory.Entity{{ID: "1"}, {Type: memory.FallbackType, ID: "2"}},
			[]prompt.Verdict{shown, shown}},
		{"a budget with room", prompt.Options{Budget: 1000, PerType: 1, Counter: byteCounter},
			[]memory.Entity{page("1", "A"), page("", "B"), page("2", "C")}, []prompt.Verdict{shown, invalid, shown}},
		{"a budget without", prompt.Options{Budget: roomy(`pages:`, `  - "A" (1)`) + 1, Counter: byteCounter},
			[]memory.Entity{page("1", "A"), page("2", "B")}, []prompt.Verdict{shown, budget}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := prompt.NewRenderer(&tt.opts)
			text, verdicts := r.Explain(prompt.Content{Entities: tt.entities})
			assert.Equal(t, r.Render(tt.entities), text)
			assert.Equal(t, tt.want, verdicts)
		})
	}
	t.Run("what is too old for a budget", func(t *testing.T) {
		t.Parallel()
		_, verdicts := prompt.NewRenderer(&prompt.Options{Budget: 64}).Explain(prompt.Content{Entities: pages(1000)})
		assert.Equal(t, shown, verdicts[0])
		assert.Equal(t, budget, verdicts[40])
		assert.Equal(t, tooOld, verdicts[999])
	})
}

// TestExplainAgreesWithTheBlock: an entity is said to be shown exactly if the
// block can be read back to it.
func TestExplainAgreesWithTheBlock(t *testing.T) {
	t.Parallel()
	for name, counter := range counters {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			entities := rapid.SliceOfN(genEntity(), 0, 40).Draw(t, "entities")
			opts := prompt.Options{Counter: counter, Budget: rapid.IntRange(0, 400).Draw(t, "budget"), PerType: rapid.IntRange(0, 4).Draw(t, "per type")}
			r := prompt.NewRenderer(&opts)
			content := prompt.Content{Entities: entities, Notes: rapid.SliceOfN(genNote(), 0, 8).Draw(t, "notes")}
			text, verdicts := r.Explain(content)
			if text != r.RenderContent(content) {
				t.Fatal("another block than RenderContent's")
			}
			parsed, err := prompt.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			inBlock, explained := map[memory.Ref]int{}, map[memory.Ref]int{}
			for _, e := range parsed {
				inBlock[memory.Ref{Type: e.Type, ID: e.ID}]++
			}
			for i, e := range entities {
				if verdicts[i] != prompt.VerdictShown {
					continue
				}
				if e.Type == "" {
					e.Type = memory.FallbackType
				}
				explained[memory.Ref{Type: e.Type, ID: e.ID}]++
			}
			assert.Equal(t, inBlock, explained)
		}))
	}
}
