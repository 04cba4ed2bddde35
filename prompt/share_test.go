package prompt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestBudgetOfNotes(t *testing.T) {
	t.Parallel()
	three := []memory.Entity{page("1", "A"), page("2", "B"), page("3", "C")}
	nine := slices.Concat(three, []memory.Entity{page("4", "D"), page("5", "E"), page("6", "F"), page("7", "G"), page("8", "H"), page("9", "I")})
	abc := []items.Item{goal(2, "a note"), goal(1, "b note"), goal(0, "c note")}
	const slack = 1 // the costs of parts of entities are counted on the high side
	whole := roomy(`pages:`, `  - "A" (1)`, `  - "B" (2)`, `  - "C" (3)`, `[NOTES]`, `  - goal: "c note"`, `  - goal: "b note"`, `  - goal: "a note"`)
	tests := []struct {
		name          string
		budget, share int
		entities      []memory.Entity
		notes         []items.Item
		want          string
	}{
		{"all while everything fits, whatever the share", whole, 1, three, abc,
			block(`pages:`, `  - "A" (1)`, `  - "B" (2)`, `  - "C" (3)`, `[NOTES]`, `  - goal: "c note"`, `  - goal: "b note"`, `  - goal: "a note"`)},
		{"what entities do not need goes to notes", whole - 1, 1, three, abc,
			block(`pages:`, `  - "A" (1)`, `  - "B" (2)`, `  - "C" (3)`, `[NOTES]`, `  - goal: "b note"`, `  - goal: "a note"`)},
		{"what notes do not need goes to entities", roomy(`pages:`, `  - "A" (1), "B" (2)`, `[NOTES]`, `  - goal: "a note"`) + slack, 60, three, abc[:1],
			block(`pages:`, `  - "A" (1), "B" (2)`, `[NOTES]`, `  - goal: "a note"`)},
		{"else notes take their share, forty percent by default", 115, 0, nine, abc,
			block(`pages:`, `  - "A" (1), "B" (2), "C" (3), "D" (4)`, `[NOTES]`, `  - goal: "b note"`, `  - goal: "a note"`)},
		{"and no more", 114, 40, nine, abc,
			block(`pages:`, `  - "A" (1), "B" (2), "C" (3), "D" (4), "E" (5), "F" (6)`, `[NOTES]`, `  - goal: "a note"`)},
		{"without a share only what is left", roomy(`pages:`, `  - "A" (1), "B" (2), "C" (3)`) + slack, -1, nine, abc,
			block(`pages:`, `  - "A" (1), "B" (2), "C" (3)`)},
		{"no note fits", roomy(`pages:`, `  - "A" (1), "B" (2)`) + slack, 40, three, []items.Item{goal(0, strings.Repeat("a ", 50))},
			block(`pages:`, `  - "A" (1), "B" (2)`)},
		{"all of it is not more than there is", roomy(`pages:`, `  - "A" (1)`, `[NOTES]`, `  - goal: "a note"`) + slack, 1000, three, []items.Item{abc[0], goal(3, strings.Repeat("b ", 50))},
			block(`pages:`, `  - "A" (1)`, `[NOTES]`, `  - goal: "a note"`)},
		{"one that does not fit is passed over", roomy(`[NOTES]`, `  - goal: "c note"`), 40, nil,
			[]items.Item{goal(0, "a note too long"), goal(1, "c note"), goal(2, "b note")},
			block(`[NOTES]`, `  - goal: "c note"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := prompt.NewRenderer(&prompt.Options{Budget: tt.budget, NoteShare: tt.share, Counter: byteCounter})
			content := prompt.Content{Entities: tt.entities, Notes: tt.notes}
			assert.Equal(t, tt.want, r.RenderContent(content))
			assert.Equal(t, "before"+tt.want, string(r.AppendBlock([]byte("before"), content)))
		})
	}
}

func TestSearchForSmallerNotesEnds(t *testing.T) {
	t.Parallel()
	r := prompt.NewRenderer(&prompt.Options{Budget: 100, Counter: byteCounter})
	missed := slices.Repeat([]items.Item{goal(0, strings.Repeat("too long ", 12))}, 16)
	b, c := []items.Item{goal(1, "b")}, []items.Item{goal(2, "c")}
	assert.Equal(t, block(`[NOTES]`, `  - goal: "b"`, `  - goal: "c"`),
		r.RenderContent(prompt.Content{Notes: slices.Concat(missed[:15], b, missed[:15], c)}))
	assert.Empty(t, r.RenderContent(prompt.Content{Notes: slices.Concat(missed, b)}))
}

func TestTheLeastImportantNoteIsDropped(t *testing.T) {
	t.Parallel()
	counter := prompt.TokenCounterFunc(func(text string) int {
		if strings.Count(text, "goal") > 2 {
			return 1000
		}
		return len(text)
	})
	r := prompt.NewRenderer(&prompt.Options{Budget: 500, Counter: counter})
	got := r.RenderContent(prompt.Content{Entities: []memory.Entity{page("1", "A")}, Notes: []items.Item{goal(2, "a"), goal(0, "b"), goal(1, "c")}})
	assert.Equal(t, block(`pages:`, `  - "A" (1)`, `[NOTES]`, `  - goal: "b"`, `  - goal: "a"`), got)
}

// TestNotesShareABudget checks what a share means with a counter whose parts add
// up: entities look as within a budget from which notes took at most their share,
// and no note is missing that there is room for.
func TestNotesShareABudget(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		budget, share := rapid.IntRange(1, 250).Draw(t, "budget"), rapid.IntRange(1, 100).Draw(t, "share")
		content := prompt.Content{
			Entities: rapid.SliceOfN(genEntity(), 0, 20).Draw(t, "entities"),
			Notes:    rapid.SliceOfN(genNote(), 1, 12).Draw(t, "notes"),
		}
		r := prompt.NewRenderer(&prompt.Options{Budget: budget, NoteShare: share, Counter: byteCounter})
		got := r.RenderContent(content)
		entities, notes, _ := strings.Cut(got, "[NOTES]\n")
		entities = strings.TrimSuffix(strings.TrimSuffix(entities, "\n"), prompt.Title)

		possible := map[string]bool{prompt.NewRenderer(&prompt.Options{PerType: 20}).Render(content.Entities): true}
		for left := budget - budget*share/100; left <= budget; left++ {
			possible[prompt.NewRenderer(&prompt.Options{Budget: left, Counter: byteCounter}).Render(content.Entities)] = true
		}
		assert.Contains(t, possible, entities)

		room := budget - max(len(got), len(prompt.Title))
		if notes == "" {
			room -= len("\n[NOTES]")
		}
		shown, err := prompt.ParseContent(got)
		require.NoError(t, err)
		for _, item := range content.Notes {
			alone := prompt.NewRenderer(nil).RenderContent(prompt.Content{Notes: []items.Item{item}})
			if line, ok := strings.CutPrefix(alone, block(`[NOTES]`)); ok && !strings.Contains("\n"+notes+"\n", line+"\n") {
				assert.Greater(t, len(line), room, "%d notes shown", len(shown.Notes))
			}
		}
	})
}
