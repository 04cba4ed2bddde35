package prompt_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestPlaceAppendLeavesOutNotesThatWereShown(t *testing.T) {
	t.Parallel()
	const page1, page2, ship, test = `  - "A" (1)`, `  - "B" (2)`, `  - goal: "Ship it."`, `  - goal: "Test it."`
	tests := []struct{ name, earlier, block, news string }{
		{"new notes under their title", block(`pages:`, page1, `[NOTES]`, ship), block(`pages:`, page1, `[NOTES]`, ship, test), block(`[NOTES]`, test)},
		{"a new entity without notes", block(`pages:`, page1, `[NOTES]`, ship), block(`pages:`, page2, page1, `[NOTES]`, ship), block(`pages:`, page2)},
		{"both", block(`pages:`, page1, `[NOTES]`, ship), block(`pages:`, page2, `[NOTES]`, test, ship), block(`pages:`, page2, `[NOTES]`, test)},
		{"notes behind a block without any", block(`pages:`, page1), block(`pages:`, page1, `[NOTES]`, ship), block(`[NOTES]`, ship)},
		{"entities behind a block of notes", block(`[NOTES]`, ship), block(`pages:`, page1, `[NOTES]`, ship), block(`pages:`, page1)},
		{"the same text of another type", block(`[NOTES]`, `  - fact: "Ship it."`), block(`[NOTES]`, ship), block(`[NOTES]`, ship)},
		{"a note that goes on", block(`[NOTES]`, `  - goal: "Ship …"`), block(`[NOTES]`, ship), block(`[NOTES]`, ship)},
		{"nothing new", block(`pages:`, page1, `[NOTES]`, ship, test), block(`pages:`, page1, `[NOTES]`, test), ""},
		{"nothing new but without some", block(`pages:`, page1, `[NOTES]`, ship), block(`pages:`, page1), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := dialogue("system: s\n\n"+tt.earlier, "user: u")
			got := prompt.Place(want, tt.block, prompt.PlaceAppend)
			if tt.news != "" {
				want = slices.Insert(want, 1, prompt.Message{Role: "system", Content: tt.news})
			}
			assert.Equal(t, want, got)
			assert.Equal(t, got, prompt.Place(got, tt.block, prompt.PlaceAppend), "once is enough")
		})
	}
}

func TestPlaceAppendDoesNotTakeOthersNotesForItsOwn(t *testing.T) {
	t.Parallel()
	current := block(`[NOTES]`, `  - goal: "a"`)
	in := []prompt.Message{{Role: "system", Content: "[NOTES]\n  - goal: \"a\""}, {Role: "user", Content: current}}
	assert.Len(t, prompt.Place(in, current, prompt.PlaceAppend), 3)
}

func TestRemoveForgotten(t *testing.T) {
	t.Parallel()
	long := items.Item{Type: items.TypeFact, Text: `say "a" to all of them`}
	goal := items.Item{Type: items.TypeGoal, Text: "b"}
	r := prompt.NewRenderer(&prompt.Options{NoteRunes: 12})
	shown := block(`pages:`, `  - "A" (1)`, `[NOTES]`, `  - fact: "say \"a\" to …"`, `  - goal: "b"`)
	require.Equal(t, shown, r.RenderContent(prompt.Content{
		Entities: []memory.Entity{{Type: "page", ID: "1", Name: "A"}}, Notes: []items.Item{long, goal},
	}))
	in := dialogue("system: s", "system: "+shown, "user: "+shown)
	without := dialogue("system: s", "user: "+shown)
	deleted, other := goal, goal
	deleted.Deleted, other.Type = true, items.TypeFact
	for name, tt := range map[string]struct {
		items []items.Item
		want  []prompt.Message
	}{
		"all are known":        {[]items.Item{goal, {Text: "new"}, long}, in},
		"one is gone":          {[]items.Item{long}, without},
		"one that was cut":     {[]items.Item{goal}, without},
		"one is Deleted":       {[]items.Item{long, deleted}, without},
		"one of another type":  {[]items.Item{long, other}, without},
		"the store is emptied": {nil, without},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := r.RemoveForgotten(in, slices.Values(tt.items))
			assert.Equal(t, tt.want, got)
			got[0].Content = "changed"
			assert.Equal(t, "s", in[0].Content, "the input is not changed")
		})
	}
	noNotes := dialogue("system: " + block(`pages:`, `  - "A" (1)`))
	assert.Equal(t, noNotes, r.RemoveForgotten(noNotes, slices.Values[[]items.Item](nil)))
}

// TestAnAppendedPromptHasTheNotesOfTheBlock lets a conversation grow while notes
// come and go.
func TestAnAppendedPromptHasTheNotesOfTheBlock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		history := dialogue("system: Be brief.", "user: Hello")
		renderer := prompt.NewRenderer(&prompt.Options{Budget: rapid.SampledFrom([]int{0, 60, 150}).Draw(t, "budget")})
		for range rapid.IntRange(1, 6).Draw(t, "turns") {
			current := renderer.RenderContent(prompt.Content{
				Entities: drawEntities(t),
				Notes:    rapid.SliceOfN(genNote(), 0, 6).Draw(t, "notes"),
			})
			placed := prompt.Place(history, current, prompt.PlaceAppend)
			assert.Equal(t, placed, prompt.Place(placed, current, prompt.PlaceAppend), "once is enough")
			assert.LessOrEqual(t, blockBytes(placed), prompt.MaxAppended*len(current))
			assert.Equal(t, withoutOwnBlocks(history), withoutOwnBlocks(placed), "nothing else is touched")
			want, err := prompt.ParseContent(current)
			require.NoError(t, err)
			assert.Subset(t, notesIn(t, placed), want.Notes)
			history = append(placed, prompt.Message{Role: "assistant", Content: "Done."}, prompt.Message{Role: "user", Content: "And now?"})
		}
	})
}

func notesIn(t require.TestingT, messages []prompt.Message) []items.Item {
	found := []items.Item{}
	for _, m := range messages {
		if start, end, ok := prompt.Find(m.Content); ok && m.Role == "system" {
			c, err := prompt.ParseContent(m.Content[start:end])
			require.NoError(t, err)
			found = append(found, c.Notes...)
		}
	}
	return found
}
