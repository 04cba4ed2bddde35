package prompt_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// byteCounter makes budgets easy to reckon: a token is a byte.
var byteCounter = prompt.TokenCounterFunc(func(text string) int { return len(text) })

// counters are as different as counters can be.
var counters = map[string]prompt.TokenCounter{
	"bytes":     byteCounter,
	"estimator": prompt.Estimator{},
	"words":     prompt.TokenCounterFunc(func(text string) int { return len(strings.Fields(text)) }),
	"constant":  prompt.TokenCounterFunc(func(text string) int { return min(len(text), 1) }),
	"nothing":   prompt.TokenCounterFunc(func(string) int { return 0 }),
	"the whole is more than its parts": prompt.TokenCounterFunc(func(text string) int {
		return len(text) * strings.Count(text, "\n")
	}),
}

func TestBudgetIsNeverExceeded(t *testing.T) {
	t.Parallel()
	for name, counter := range counters {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			entities := rapid.SliceOfN(genEntity(), 0, 40).Draw(t, "entities")
			if rapid.Bool().Draw(t, "without aliases") { // which ids are shown of several depends on the budget
				for i := range entities {
					entities[i].Aliases = nil
				}
			}
			candidates := rapid.SliceOfN(genEntity(), 0, 20).Draw(t, "candidates")
			budget := rapid.IntRange(1, 400).Draw(t, "budget")
			notes := rapid.SliceOfN(genNote(), 0, 20).Draw(t, "notes")
			share := rapid.IntRange(-1, 101).Draw(t, "share")
			r := prompt.NewRenderer(&prompt.Options{Budget: budget, Counter: counter, NoteShare: share})
			for _, content := range []prompt.Content{{Entities: entities}, {Entities: entities, Candidates: candidates}, {Entities: entities, Notes: notes}, {Notes: notes}} {
				got, verdicts := r.Explain(content)
				if n := counter.CountTokens(got); n > budget {
					t.Fatalf("%d tokens at a budget of %d:\n%s", n, budget, got)
				}
				parsed, err := prompt.ParseContent(got)
				if err != nil {
					t.Fatal(err)
				}
				assert.LessOrEqual(t, len(parsed.Notes), len(content.Notes))
				assert.Equal(t, countsByType(parsed.Entities, nil), countsByType(slices.Concat(content.Entities, content.Candidates), verdicts), "what is explained as shown is shown")
				if !slices.ContainsFunc(slices.Concat(content.Entities, content.Candidates), func(e memory.Entity) bool { return len(e.Aliases) > 0 }) {
					assert.Equal(t, refCounts(parsed.Entities, nil), refCounts(slices.Concat(content.Entities, content.Candidates), verdicts))
				}
				assert.Equal(t, got, r.RenderContent(content), "deterministic")
			}
		}))
	}
}

// countsByType counts the entities of each type, or those with VerdictShown.
func countsByType(entities []memory.Entity, verdicts []prompt.Verdict) map[string]int {
	counts := make(map[string]int)
	for ref, n := range refCounts(entities, verdicts) {
		counts[ref.Type] += n
	}
	return counts
}

// refCounts counts the entities of each type and id, or those with VerdictShown.
func refCounts(entities []memory.Entity, verdicts []prompt.Verdict) map[memory.Ref]int {
	counts := make(map[memory.Ref]int)
	for i, e := range entities {
		if verdicts == nil || verdicts[i] == prompt.VerdictShown {
			counts[memory.Ref{Type: cmp.Or(e.Type, memory.FallbackType), ID: e.ID}]++
		}
	}
	return counts
}

// roomy is the size in bytes of a block that has every entity on a line of its own.
func roomy(lines ...string) int { return len(block(lines...)) }

func TestBudget(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(e memory.Entity, callsAgo int) memory.Entity {
		e.Timestamp = now.Add(-time.Duration(callsAgo) * time.Second)
		return e
	}
	user := func(id, name string) memory.Entity { return memory.Entity{Type: "user", ID: id, Name: name} }
	used := func(e memory.Entity) memory.Entity { e.Uses = 1; return e }
	note := memory.Entity{Type: "note", ID: "7", Name: "N", Timestamp: now}
	reference := func(e memory.Entity) memory.Entity { e.Role = memory.RoleReference; return e }
	numbered := func(e memory.Entity, number string) memory.Entity { e.Aliases = []string{number}; return e }
	byNumber := func(e memory.Entity) memory.Entity { e.Preferred = e.Aliases[0]; return e }
	const slack = 1 // the costs of parts are counted on the high side
	tests := []struct {
		name     string
		budget   int
		entities []memory.Entity
		want     string
	}{
		{"too small for one", roomy(`pages:`, `  - "A" (1)`) - 1, []memory.Entity{page("1", "A")}, ""},
		{"else a line a group", roomy(`pages:`, `  - "A" (1), "B" (2)`) + slack, []memory.Entity{page("1", "A"), page("2", "B"), page("3", "C")},
			block(`pages:`, `  - "A" (1), "B" (2)`)},
		{"what does not fit is passed over", roomy(`pages:`, `  - "A" (1), "B" (3)`) + slack,
			[]memory.Entity{page("1", "A"), page(strings.Repeat("2", 40), "too long"), page("3", "B")},
			block(`pages:`, `  - "A" (1), "B" (3)`)},
		{"what is left over after labels goes to the first words of names", roomy(`pages:`, `  - "Annual report" (1), "Budget plans" (2), "Career" (3)`) + slack,
			[]memory.Entity{page("1", "Annual report"), page("2", "Budget plans"), page("3", "Career paths"), page("4", "Dinner menus")},
			block(`pages:`, `  - "Annual report" (1), "Budget plans" (2), "Career" (3)`)},
		{"a record with a name has no bare id", roomy(`pages:`, `  - "Annual report" (1), "Budget plans" (2), "" (3)`) + slack,
			[]memory.Entity{page("1", "Annual report"), page("2", "Budget plans"), page("3", "Career paths"), page("4", "Dinner menus")},
			block(`pages:`, `  - "Annual report" (1), "Budget plans" (2)`)},
		{"one without a name has", roomy(`pages:`, `  - "Annual report" (1), "Budget plans" (2), "" (3)`) + slack,
			[]memory.Entity{page("1", "Annual report"), page("2", "Budget plans"), {Type: "page", ID: "3", Description: "of Ann"}, page("4", "Dinner menus")},
			block(`pages:`, `  - "Annual report" (1), "Budget plans" (2), "" (3)`)},
		{"types take turns", roomy(`notes:`, `  - "N" (7)`, `pages:`, `  - "A" (1)`, `users:`, `  - "U" (9)`) + 3*slack,
			[]memory.Entity{note, at(page("1", "A"), 1), at(user("9", "U"), 2), at(page("2", "B"), 3)},
			block(`notes:`, `  - "N" (7)`, `pages:`, `  - "A" (1)`, `users:`, `  - "U" (9)`)},
		{"records of the latest call have more turns", roomy(`pages:`, `  - "A" (1), "B" (2), "C" (3)`) + slack,
			[]memory.Entity{page("1", "A"), page("2", "B"), page("3", "C"), page("4", "D"), at(user("9", "U"), 2)},
			block(`pages:`, `  - "A" (1), "B" (2), "C" (3)`)},
		{"so have types of which an id was used", roomy(`notes:`, `  - "N" (7)`, `pages:`, `  - "A" (1), "B" (2)`) + slack,
			[]memory.Entity{note, at(page("1", "A"), 1), at(page("2", "B"), 1), at(used(page("3", "C")), 1), at(user("9", "U"), 2)},
			block(`notes:`, `  - "N" (7)`, `pages:`, `  - "A" (1), "B" (2)`)},
		{"what is only pointed to comes behind", roomy(`pages:`, `  - "A" (1)`) + slack,
			[]memory.Entity{reference(user("9", "U")), page("1", "A")}, block(`pages:`, `  - "A" (1)`)},
		{"what tools do not ask for is forgotten sooner", roomy(`users:`, `  - "U" (9)`) + slack,
			[]memory.Entity{at(page("1", "A"), 2), at(user("8", "V"), 3), at(used(user("9", "U")), 4)}[1:],
			block(`users:`, `  - "V" (8)`)},
		{"numbers come before ids where tools take numbers", roomy(`pages:`, `  - "A" (11)`) + slack,
			[]memory.Entity{numbered(page("1", "A"), "11"), used(byNumber(numbered(page("2", "B"), "22")))},
			block(`pages:`, `  - "A" (11)`)},
		{"and behind where tools take ids", roomy(`pages:`, `  - "A" (1), "B" (2)`) + slack,
			[]memory.Entity{numbered(page("1", "A"), "11"), used(numbered(page("2", "B"), "22"))},
			block(`pages:`, `  - "A" (1), "B" (2)`)},
		{"labels are short where room is short", roomy(`pages:`, `  - "red, small" (1), "A name" (2)`) + slack,
			[]memory.Entity{{Type: "page", ID: "1", Description: "red, small, cotton, imported"}, page("2", "A name of many words"), page("3", "C")},
			block(`pages:`, `  - "red, small" (1), "A name" (2)`)},
		{"a code goes with what it is of", roomy(`pages:`, `  - "web-2, running" (1)`) + slack,
			[]memory.Entity{{Type: "page", ID: "1", Name: "web-2", Description: "running, eu-west-1, t3.large"}, page("2", "B")},
			block(`pages:`, `  - "web-2, running" (1)`)},
		{"a long name is cut", roomy(`pages:`, `  - "A name of ma…" (1)`) + slack,
			[]memory.Entity{page("1", "A name of many words"), page("2", "B")}, block(`pages:`, `  - "A name of ma…" (1)`)},
		{"what cannot be spent on ids goes into labels", roomy(`pages:`, `  - "red, small, cotton, imported" (1)`) + slack,
			[]memory.Entity{{Type: "page", ID: "1", Description: "red, small, cotton, imported"}, page(strings.Repeat("2", 40), "B")},
			block(`pages:`, `  - "red, small, cotton, imported" (1)`)},
		{"aliases go before entities", roomy(`pages:`, `  - "A" (1), "B" (2), "C" (3)`) + slack,
			[]memory.Entity{numbered(page("1", "A"), "11"), page("2", "B"), used(page("3", "C"))},
			block(`pages:`, `  - "A" (1), "B" (2), "C" (3)`)},
		{"placeholders are left out", roomy(`pages:`, `  - "" (1), "" (2)`) + slack,
			[]memory.Entity{{Type: "page", ID: "1"}, {Type: "page", ID: "2", Role: memory.RoleReference, Description: "of X"}},
			block(`pages:`, `  - "" (1), "" (2)`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := prompt.NewRenderer(&prompt.Options{Budget: tt.budget, Counter: byteCounter})
			assert.Equal(t, tt.want, r.Render(tt.entities))
			assert.Equal(t, "before", string(r.AppendBlock([]byte("before"), prompt.Content{})))
		})
	}
}

func TestWorkDependsOnTheBudgetOnly(t *testing.T) {
	t.Parallel()
	work := func(entities, items int) (calls int) {
		counter := prompt.TokenCounterFunc(func(text string) int { calls++; return prompt.Estimator{}.CountTokens(text) })
		r := prompt.NewRenderer(&prompt.Options{Budget: 256, Counter: counter})
		r.RenderContent(prompt.Content{Entities: pages(entities), Notes: notes(items)})
		return calls
	}
	assert.Equal(t, work(200, 0), work(20_000, 0))
	assert.Less(t, work(20_000, 0), 60)
	assert.Equal(t, work(200, 200), work(20_000, 20_000))
	assert.Less(t, work(20_000, 20_000), 100)
}

func TestLabelsUnderABudgetTellApartWhatWasConsidered(t *testing.T) {
	t.Parallel()
	r := prompt.NewRenderer(&prompt.Options{Budget: 45, Counter: byteCounter})
	got := r.Render([]memory.Entity{
		{Type: "page", ID: "1", Name: "X", Description: "red"},
		{Type: "page", ID: "2", Name: "X", Description: "blue"},
	})
	assert.Equal(t, block(`pages:`, `  - "X, red" (1)`), got)
}

// pages are entities as a CMS has them.
func pages(n int) []memory.Entity {
	entities := make([]memory.Entity, n)
	for i := range entities {
		entities[i] = page(fmt.Sprintf("550e8400-e29b-41d4-a716-%012d", i), fmt.Sprintf("Landing page %d", i))
	}
	return entities
}
