package prompt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	const shown, perType, budget, tooOld, invalid = prompt.VerdictShown, prompt.VerdictConstants,
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
		{"what cannot be shown takes no place", prompt.Options{PerType: 1},
			[]memory.Entity{page("", "A"), page("\xff", "B"), page("3", "C"), page(strings.Repeat("4", 600), "D")},
			[]prompt.Verdict{invalid, invalid, shown, invalid}},
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
