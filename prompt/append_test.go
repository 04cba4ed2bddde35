package prompt_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// dialogue makes messages of lines "role: content"; a system message of a block
// alone is "= " and its entities.
func dialogue(lines ...string) []prompt.Message {
	var messages []prompt.Message
	for _, l := range lines {
		if b, ok := strings.CutPrefix(l, "= "); ok {
			messages = append(messages, prompt.Message{Role: "system", Content: pagesBlock(b)})
			continue
		}
		role, content, _ := strings.Cut(l, ": ")
		messages = append(messages, prompt.Message{Role: role, Content: content})
	}
	return messages
}

// pagesBlock is the block of pages: "Home 1, About 2", one on a line.
func pagesBlock(list string) string {
	if list == "" {
		return ""
	}
	lines := []string{"pages:"}
	for p := range strings.SplitSeq(list, ", ") {
		name, id, _ := strings.Cut(p, " ")
		lines = append(lines, "  - "+strconv.Quote(name)+" ("+id+")")
	}
	return block(lines...)
}

func TestPlaceAppend(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		messages []string
		block    string
		want     []string
	}{
		{
			"the first block stands before the user's question",
			[]string{"system: s", "user: u"}, "Home 1",
			[]string{"system: s", "= Home 1", "user: u"},
		},
		{
			"only what is new is appended, behind the tool's result",
			[]string{"system: s", "= Home 1", "user: u", "assistant: a", "tool: t"}, "About 2, Home 1",
			[]string{"system: s", "= Home 1", "user: u", "assistant: a", "tool: t", "= About 2"},
		},
		{
			"or before the user's next question",
			[]string{"= Home 1", "user: u", "assistant: a", "tool: t", "assistant: b", "user: v"}, "About 2, Home 1",
			[]string{"= Home 1", "user: u", "assistant: a", "tool: t", "assistant: b", "= About 2", "user: v"},
		},
		{
			"never before what was in a prompt",
			[]string{"= Home 1", "user: u", "assistant: a"}, "About 2, Home 1",
			[]string{"= Home 1", "user: u", "= About 2", "assistant: a"},
		},
		{
			"behind an earlier block where nothing stands between",
			[]string{"= Home 1", "user: u"}, "About 2, Home 1",
			[]string{"= Home 1", "= About 2", "user: u"},
		},
		{
			"also behind a tool's result",
			[]string{"user: u", "assistant: a", "tool: t", "= Home 1"}, "About 2, Home 1",
			[]string{"user: u", "assistant: a", "tool: t", "= Home 1", "= About 2"},
		},
		{
			"nothing is new",
			[]string{"= Home 1, About 2", "user: u", "assistant: a", "tool: t"}, "About 2",
			[]string{"= Home 1, About 2", "user: u", "assistant: a", "tool: t"},
		},
		{
			"another name is new, and then the old one again",
			[]string{"= Home 1", "user: u", "assistant: a", "= Start 1", "user: v", "assistant: b", "user: w"}, "Home 1",
			[]string{"= Home 1", "user: u", "assistant: a", "= Start 1", "user: v", "assistant: b", "= Home 1", "user: w"},
		},
		{
			"a name that only begins as another is new",
			[]string{"= Homestead 1", "user: u", "assistant: a", "user: v"}, "Home 1",
			[]string{"= Homestead 1", "user: u", "assistant: a", "= Home 1", "user: v"},
		},
		{
			"a name cut shorter or longer is not",
			[]string{"= Hom… 1, About,us 2", "user: u", "assistant: a", "user: v"}, "Homestead 1, Ab… 2",
			[]string{"= Hom… 1, About,us 2", "user: u", "assistant: a", "user: v"},
		},
		{
			"a block within the system prompt counts as shown",
			[]string{"system: s\n\n" + pagesBlock("Home 1"), "user: u"}, "About 2, Home 1",
			[]string{"system: s\n\n" + pagesBlock("Home 1"), "= About 2", "user: u"},
		},
		{
			"a block that others quote does not",
			[]string{"user: " + pagesBlock("Home 1"), "tool: " + pagesBlock("Home 1")}, "Home 1",
			[]string{"user: " + pagesBlock("Home 1"), "tool: " + pagesBlock("Home 1"), "= Home 1"},
		},
		{
			"no block removes all, as everywhere",
			[]string{"system: s\n\n" + pagesBlock("Home 1"), "user: u", "= About 2"}, "",
			[]string{"system: s", "user: u"},
		},
		{
			"too much of the past starts afresh",
			[]string{"system: s", "= a 1, b 2, c 3, d 4, e 5, f 6, g 7, h 8, i 9, j 10, k 11", "user: u", "assistant: a", "tool: t"}, "Home 1",
			[]string{"system: s", "user: u", "assistant: a", "tool: t", "= Home 1"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := dialogue(tt.messages...)
			got := prompt.Place(in, pagesBlock(tt.block), prompt.PlaceAppend)
			assert.Equal(t, dialogue(tt.want...), got)
			assert.Equal(t, dialogue(tt.messages...), in, "the input is not changed")
			assert.Equal(t, got, prompt.Place(got, pagesBlock(tt.block), prompt.PlaceAppend), "once is enough")
		})
	}
}

func TestPlaceAppendKeepsTheFormOfTheBlock(t *testing.T) {
	t.Parallel()
	first := block(`pages:`, `  - "a" (1)`, `"x y":`, `  - "" (2)`)
	second := block(`"x y":`, `  - "b, c" (3), "" (2), "d" (4)`, `pages:`, `  - "a" (1)`, `users:`, `  - "Ann" (1), "Bob" (2)`)
	got := prompt.Place(prompt.Place(nil, first, prompt.PlaceAppend), second, prompt.PlaceAppend)
	require.Len(t, got, 2)
	assert.Equal(t, block(`"x y":`, `  - "b, c" (3), "d" (4)`, `users:`, `  - "Ann" (1), "Bob" (2)`), got[1].Content)
}

func TestRemoveStale(t *testing.T) {
	t.Parallel()
	in := dialogue("system: s\n\n"+pagesBlock("Home 1"), "user: "+pagesBlock("Gone 9"), "= About 2, Us 3", "assistant: a")
	knows := func(ids ...string) func(memory.Ref) bool {
		return func(ref memory.Ref) bool { return ref.Type == "page" && slices.Contains(ids, ref.ID) }
	}
	assert.Equal(t, in, prompt.RemoveStale(in, knows("1", "2", "3")))
	assert.Equal(t, dialogue("system: s", "user: "+pagesBlock("Gone 9"), "assistant: a"), prompt.RemoveStale(in, knows("1", "2")))
	assert.Empty(t, prompt.RemoveStale(nil, knows()))
}

// drawEntities draws what a working context may hold: few ids, so that they
// meet again, with hostile names and types.
func drawEntities(t *rapid.T) []memory.Entity {
	names := rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "a, b", "a…", "abc", "Unnamed page", "\n" + prompt.Title, `"`, `" (1), "`, "), (", "{{.x}}"}),
		rapid.String(),
	)
	entity := rapid.Custom(func(t *rapid.T) memory.Entity {
		return memory.Entity{
			Type:        rapid.SampledFrom([]string{"", "page", "x y", "user", "pages:", "\n"}).Draw(t, "type"),
			ID:          rapid.SampledFrom([]string{"1", "2", "3", "(4)", "\n  - ", "id-5", ", "}).Draw(t, "id"),
			Name:        names.Draw(t, "name"),
			Description: names.Draw(t, "description"),
		}
	})
	return rapid.SliceOfN(entity, 0, 12).Draw(t, "entities")
}

// TestAnAppendedPromptShowsWhatTheBlockShows lets a conversation grow as an
// agent's loop does, while entities come, change their names and go.
func TestAnAppendedPromptShowsWhatTheBlockShows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hostile := rapid.OneOf(rapid.String(), rapid.Just(oldBlock), rapid.Just(prompt.Title))
		history := []prompt.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: hostile.Draw(t, "question")}}
		spoken := slices.Clone(history)
		everShown := make(map[memory.Ref]bool)
		var sent []prompt.Message // the prompt before
		for range rapid.IntRange(1, 6).Draw(t, "turns") {
			entities := drawEntities(t)
			renderer := prompt.NewRenderer(&prompt.Options{
				Budget:  rapid.SampledFrom([]int{0, 40, 100}).Draw(t, "budget"),
				PerType: 20, LabelRunes: rapid.IntRange(2, 20).Draw(t, "label runes"),
			})
			current := renderer.Render(entities)
			for ref := range labels(t, current) {
				everShown[ref] = true
			}

			kept := prompt.RemoveStale(history, knownAmong(entities))
			placed := prompt.Place(kept, current, prompt.PlaceAppend)
			assert.Equal(t, placed, prompt.Place(placed, current, prompt.PlaceAppend), "once is enough")
			assert.Equal(t, spoken, withoutOwnBlocks(placed), "nothing else is touched")
			checkShown(t, placed, current, entities, everShown)
			if startedAfresh := blockBytes(placed) == len(current); !startedAfresh {
				assert.Equal(t, sent, placed[:len(sent)], "the prompt begins with the one before it")
			}
			sent = placed

			added := []prompt.Message{{Role: "assistant", Content: hostile.Draw(t, "answer")}}
			for range rapid.IntRange(0, 2).Draw(t, "results") {
				added = append(added, prompt.Message{Role: "tool", Content: hostile.Draw(t, "result")})
			}
			if len(added) == 1 {
				added = append(added, prompt.Message{Role: "user", Content: hostile.Draw(t, "question")})
			}
			history = append(slices.Clone(placed), added...)
			spoken = append(spoken, added...)
		}
	})
}

// checkShown checks the union of a prompt's blocks, with the latest label of each entity.
func checkShown(t *rapid.T, placed []prompt.Message, current string, entities []memory.Entity, ever map[memory.Ref]bool) {
	shown := make(map[memory.Ref]string)
	for _, m := range placed {
		if m.Role == "system" {
			if start, end, ok := prompt.Find(m.Content); ok {
				for ref, label := range labels(t, m.Content[start:end]) {
					shown[ref] = label
				}
			}
		}
	}
	known := knownAmong(entities)
	for ref := range shown {
		assert.True(t, ever[ref], "%v was in a block", ref)
		assert.True(t, known(ref), "%v was not forgotten", ref)
	}
	for ref, label := range labels(t, current) {
		got, ok := shown[ref]
		assert.True(t, ok, "%v is shown", ref)
		assert.True(t, sayTheSame(got, label, ref.Type), "%v: %q for %q", ref, got, label)
	}
	assert.LessOrEqual(t, blockBytes(placed), prompt.MaxAppended*len(current))
}

// sayTheSame reports whether one of two labels is the other shortened.
func sayTheSame(shown, label, typ string) bool {
	if label == "" || label == shown || label == memory.Placeholder(typ) {
		return true
	}
	shown, label = strings.TrimSuffix(shown, "…"), strings.TrimSuffix(label, "…")
	return strings.HasPrefix(shown, label) || strings.HasPrefix(label, shown)
}

func labels(t *rapid.T, block string) map[memory.Ref]string {
	entities, err := prompt.Parse(block)
	require.NoError(t, err)
	out := make(map[memory.Ref]string)
	for _, e := range entities {
		out[memory.Ref{Type: e.Type, ID: e.ID}] = e.Name
	}
	return out
}

func knownAmong(entities []memory.Entity) func(memory.Ref) bool {
	return func(ref memory.Ref) bool {
		return slices.ContainsFunc(entities, func(e memory.Entity) bool {
			return e.ID == ref.ID && (e.Type == ref.Type || e.Type == "" && ref.Type == memory.FallbackType)
		})
	}
}

func blockBytes(messages []prompt.Message) int {
	n := 0
	for _, m := range messages {
		if m.Role == "system" {
			if start, end, ok := prompt.Find(m.Content); ok {
				n += end - start
			}
		}
	}
	return n
}

func withoutOwnBlocks(messages []prompt.Message) []prompt.Message {
	return prompt.Place(messages, "", prompt.PlaceTail)
}

// An agent's loop goes on from the messages that Place returned.
func ExamplePlace_append() {
	known := memory.NewWorkingContext(nil)
	exists := func(ref memory.Ref) bool { _, ok := known.Get(ref); return ok }
	history := []prompt.Message{{Role: "system", Content: "You edit a website."}}
	ask := func(question string) {
		history = append(history, prompt.Message{Role: "user", Content: question})
		history = prompt.RemoveStale(history, exists)
		history = prompt.Place(history, prompt.Render(known), prompt.PlaceAppend)
		// Here you would call your model with the history.
		history = append(history, prompt.Message{Role: "assistant", Content: "Done."})
	}
	_ = known.Add(memory.Entity{Type: "page", ID: "p-1", Name: "Home"})
	ask("Which page is it?")
	_ = known.Add(memory.Entity{Type: "page", ID: "p-2", Name: "About"})
	ask("And now?")
	for _, m := range history {
		fmt.Printf("%s: %s\n", m.Role, m.Content)
	}
	// Output:
	// system: You edit a website.
	// system: [WORKING MEMORY]
	// pages:
	//   - "Home" (p-1)
	// user: Which page is it?
	// assistant: Done.
	// system: [WORKING MEMORY]
	// pages:
	//   - "About" (p-2)
	// user: And now?
	// assistant: Done.
}
