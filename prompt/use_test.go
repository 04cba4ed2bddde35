package prompt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// inUse returns an entity of each kind of use, the oldest of 30 others, which are listed.
func inUse(typ string) []memory.Entity {
	return append(rows(memory.Entity{Type: "page", ID: "550e8400-e29b-41d4-a716-446655440000", Name: "Listed last"}, "Memo %d"),
		memory.Entity{Type: typ, ID: "page-1000", Name: "Held", Held: true},
		memory.Entity{Type: typ, ID: "page-1001", Name: "Used", Held: true, Uses: 1},
		memory.Entity{Type: typ, ID: "page-1002", Name: "Made", Held: true, Made: true},
		memory.Entity{Type: typ, ID: "page-1003", Name: "Named"},
	)
}

// TestOrderOfUse: what is named has room before what was made, and that before what was used,
// held and listed.
func TestOrderOfUse(t *testing.T) {
	t.Parallel()
	order := []string{"Named", "Made", "Used", "Held"}
	for _, typ := range []string{"page", "user"} {
		content := prompt.Content{Focus: prompt.NewFocus("Open the one named named."), Entities: inUse(typ)}
		names := func(opts prompt.Options) []string {
			parsed, err := prompt.Parse(prompt.NewRenderer(&opts).RenderContent(content))
			assert.NoError(t, err)
			var out []string
			for _, e := range parsed {
				out = append(out, e.Name)
			}
			return out
		}
		for lines := 1; lines <= 4; lines++ {
			assert.ElementsMatch(t, order[:lines], names(prompt.Options{Lines: lines, PerType: 1}))
		}
		listed := map[string]int{"page": 0, "user": 3}[typ] // beyond three of a type come only those in use
		assert.Len(t, names(prompt.Options{}), len(order)+listed)
		for budget := 64; budget <= 300; budget++ {
			got := names(prompt.Options{Budget: budget})
			n := 0
			for ; n < len(order) && slices.Contains(got, order[n]); n++ {
			}
			for _, later := range order[n:] {
				assert.NotContains(t, got, later, "budget %d of %v", budget, got)
			}
			assert.True(t, budget < 128 || n >= 3, "what is only listed does not hide what was used: budget %d of %v", budget, got)
			assert.True(t, budget < 256 || n == 4, "nor what is held: budget %d of %v", budget, got)
		}
	}
}

// TestTenLines: without a budget a block has ten lines, with candidates.
func TestTenLines(t *testing.T) {
	t.Parallel()
	many := func(n int, mark func(i int, e *memory.Entity)) []memory.Entity {
		out := pages(n)
		for i := range out {
			mark(i, &out[i])
		}
		return out
	}
	types := func(i int, e *memory.Entity) { e.Type = fmt.Sprintf("type_%c", 'a'+i) }
	held := func(_ int, e *memory.Entity) { e.Held = true }
	inText := func(i int, e *memory.Entity) {
		types(i, e)
		e.Role, e.ID = memory.RoleCandidate, fmt.Sprintf("file-%04d.txt", i)
	}
	for _, test := range []struct {
		name    string
		opts    prompt.Options
		content prompt.Content
		want    int
	}{
		{"many types", prompt.Options{}, prompt.Content{Entities: many(20, types)}, 10},
		{"many held", prompt.Options{PerType: 1}, prompt.Content{Entities: many(20, held)}, 10},
		{"entities and candidates", prompt.Options{}, prompt.Content{Entities: many(6, types), Candidates: many(20, inText)}, 10},
		{"candidates alone", prompt.Options{}, prompt.Content{Candidates: many(20, inText)}, 10},
		{"candidates that are named", prompt.Options{}, prompt.Content{Focus: prompt.NewFocus("file-0012.txt"), Entities: many(20, held), Candidates: many(20, inText)}, 10},
		{"fewer", prompt.Options{Lines: 2}, prompt.Content{Entities: many(20, types), Candidates: many(20, inText)}, 2},
		{"more", prompt.Options{Lines: 12}, prompt.Content{Entities: many(20, types)}, 12},
		{"less than there is room for", prompt.Options{}, prompt.Content{Entities: pages(20)}, 3},
		{"types without a name", prompt.Options{PerType: 2}, prompt.Content{Entities: many(20, func(i int, e *memory.Entity) { e.Type = []string{"", memory.FallbackType}[i%2] })}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := prompt.NewRenderer(&test.opts).RenderContent(test.content)
			assert.Equal(t, test.want, strings.Count(got, "\n  - "), got)
			if ids := test.content.Focus; test.name == "candidates that are named" {
				assert.True(t, containsID(t, got, "file-0012.txt"), "%v\n%s", ids, got)
			}
		})
	}
}

// TestWhatWasMadeHasItsWholeName: under a budget a name of a sixth of its tokens is whole.
func TestWhatWasMadeHasItsWholeName(t *testing.T) {
	t.Parallel()
	const id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	name := "Summer catalogue of the garden centres in the north of the country"
	for budget, runes := range map[int]int{64: 20, 128: 21, 256: 42, 512: len(name)} {
		for what, e := range map[string]memory.Entity{
			"made": {Held: true, Made: true}, "used": {Held: true, Uses: 1},
		} {
			e.Type, e.ID, e.Name = "page", id, strings.TrimSpace(name[:runes])
			label, _ := shownAs(t, prompt.NewRenderer(&prompt.Options{Budget: budget}).Render(rows(e, "Memo about the gardens, part %d")), id)
			assert.Equal(t, e.Name, label, "%s, budget %d", what, budget)
		}
	}
}

// TestListsHaveNoBareIDs: records whose names are known are shown with a word of these, or not at
// all.
func TestListsHaveNoBareIDs(t *testing.T) {
	t.Parallel()
	all := rows(memory.Entity{Type: "page", ID: "6ba7b810-9dad-11d1-80b4-00c04fd430c8", Name: "Quarterly report of the northern region", Held: true}, "Quarterly report, part %d")
	all = append(all, rows(memory.Entity{Type: "user", ID: "user-1001", Name: "Ann"}, "User %d")...)
	for budget := 20; budget <= 600; budget += 4 {
		parsed, err := prompt.Parse(prompt.NewRenderer(&prompt.Options{Budget: budget}).Render(all))
		assert.NoError(t, err)
		for _, e := range parsed {
			assert.NotEmpty(t, e.Name, "%s, budget %d", e.ID, budget)
		}
	}
}
