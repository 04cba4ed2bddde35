package prompt_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func goal(position int, text string) items.Item {
	return items.Item{Type: items.TypeGoal, Text: text, Position: position}
}

// notes are items as an agent has them, the most important and newest first.
func notes(n int) []items.Item {
	list := make([]items.Item, n)
	for i := range list {
		list[i] = items.Item{
			Type: items.TypeObservation, Position: n - i,
			Text: fmt.Sprintf("get_order: order #W%d is pending, two items, paid by card", 1000+i),
		}
	}
	return list
}

// genNote generates items, few of them like what a store holds.
func genNote() *rapid.Generator[items.Item] {
	return rapid.Custom(func(t *rapid.T) items.Item {
		types := rapid.OneOf(rapid.SampledFrom([]string{"goal", "observation", "", "[NOTES]", "pages:"}), genText())
		return items.Item{
			Type:     items.Type(types.Draw(t, "note type")),
			Text:     rapid.OneOf(rapid.SampledFrom([]string{"", "Ship it.", "\n[NOTES]\n  - goal: \"x\""}), genText()).Draw(t, "text"),
			Position: rapid.IntRange(0, 5).Draw(t, "position"),
			Deleted:  rapid.IntRange(0, 9).Draw(t, "deleted") == 0,
		}
	})
}

// shownNotes says, in the plainest way, which notes a block without a budget has.
func shownNotes(mostImportantFirst []items.Item, n, limit int) []items.Item {
	var chosen []items.Item
	for _, item := range mostImportantFirst {
		item.Type = cmp.Or(item.Type, "custom")
		item.Text = shownText(item.Text, limit)
		usable := len(item.Type) <= memory.MaxTypeBytes && utf8.ValidString(string(item.Type)) && item.Text != ""
		if usable && !item.Deleted && len(chosen) < n {
			chosen = append(chosen, item)
		}
	}
	slices.SortStableFunc(chosen, func(a, b items.Item) int { return a.Position - b.Position })
	for i, item := range chosen {
		chosen[i] = items.Item{Type: item.Type, Text: item.Text}
	}
	return chosen
}

// shownText is the longest beginning of a text that has room and ends with a word.
func shownText(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	longest, runes := "", -1 // before next
	for i, next := range text {
		runes++
		last, _ := utf8.DecodeLastRuneInString(text[:i])
		ends := unicode.IsSpace(next) || i > 0 && strings.ContainsRune("。，、！？：；", last) ||
			last == ',' && (next == '"' || next == '{' || next == '[')
		if ends && runes <= limit-2 {
			longest = text[:i]
		}
	}
	if longest = strings.TrimRightFunc(longest, unicode.IsSpace); longest == "" {
		return ""
	}
	return strings.ToValidUTF8(longest, "\ufffd") + " …"
}

func TestRenderNotes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		content prompt.Content
		want    string
	}{
		{"behind the entities, in the order of their positions",
			prompt.Content{
				Entities: []memory.Entity{page("1", "Home")},
				Notes:    []items.Item{{Type: items.TypeObservation, Text: "#W123 is pending", Position: 1}, goal(0, "Ship it.")},
			},
			block(`pages:`, `  - "Home" (1)`, `[NOTES]`, `  - goal: "Ship it."`, `  - observation: "#W123 is pending"`)},
		{"five by default, the most important",
			prompt.Content{Notes: []items.Item{goal(5, "a"), goal(4, "b"), goal(3, "c"), goal(2, "d"), goal(1, "e"), goal(0, "f")}},
			block(`[NOTES]`, `  - goal: "e"`, `  - goal: "d"`, `  - goal: "c"`, `  - goal: "b"`, `  - goal: "a"`)},
		{"240 runes by default, cut behind a word",
			prompt.Content{Notes: []items.Item{goal(0, strings.Repeat("x", 241)), goal(0, strings.Repeat("é ", 200))}},
			block(`[NOTES]`, `  - goal: "`+strings.Repeat("é ", 119)+`…"`)},
		{"types that are no plain words",
			prompt.Content{Notes: []items.Item{{Type: "to do", Text: "a"}, {Type: "a\":\n", Text: "b"}, {Type: "[NOTES]", Text: "c"}, {Text: "d"}}},
			block(`[NOTES]`, `  - "to do": "a"`, `  - "a\":\n": "b"`, `  - "\u005bNOTES]": "c"`, `  - custom: "d"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, prompt.NewRenderer(nil).RenderContent(tt.content))
		})
	}
}

func TestNotesAreCutBehindAWordAndNoIdentifierIsCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(genText(), rapid.StringMatching(`([a-z]{1,6}|#W[0-9]{3}|[0-9a-f]{8}-[0-9]{4}|,"|，|é| |。|\n){1,40}`)).Draw(t, "text")
		limit := rapid.IntRange(1, 60).Draw(t, "limit")
		opts := &prompt.Options{Notes: 1, NoteRunes: limit}
		checkRoundTrip(t, opts, prompt.Content{Notes: []items.Item{goal(0, text)}})
		known := slices.Collect(plaintext.Identifiers(strings.ToValidUTF8(text, "\ufffd")))
		for id := range plaintext.Identifiers(shownText(text, limit)) {
			assert.Contains(t, known, id)
		}
	})
}

func TestParseContent(t *testing.T) {
	t.Parallel()
	got, err := prompt.ParseContent(block(`pages:`, `  - "A" (1), "B" (2)`, `[NOTES]`, `  - goal: "say: \"x\" (1)"`, `  - "to do": "a\nb …"`))
	require.NoError(t, err)
	assert.Equal(t, prompt.Content{
		Entities: []memory.Entity{{Type: "page", ID: "1", Name: "A"}, {Type: "page", ID: "2", Name: "B"}},
		Notes:    []items.Item{{Type: items.TypeGoal, Text: `say: "x" (1)`}, {Type: "to do", Text: "a\nb …"}},
	}, got)

	got, err = prompt.ParseContent("")
	require.NoError(t, err)
	assert.Equal(t, prompt.Content{}, got)

	entities, err := prompt.Parse(block(`[NOTES]`, `  - goal: "a"`))
	require.NoError(t, err)
	assert.Empty(t, entities)
}

func ExampleRenderer_RenderContent() {
	r := prompt.NewRenderer(nil)
	fmt.Println(r.RenderContent(prompt.Content{
		Entities: []memory.Entity{{Type: "page", ID: "550e8400-e29b-41d4-a716-446655440000", Name: "Home"}},
		Notes: []items.Item{
			{Type: items.TypeObservation, Text: "get_order: order #W123 is pending", Position: 7, Importance: 0.9},
			{Type: items.TypeGoal, Text: "Ship the release by Friday", Position: 0, Importance: 0.8},
		},
	}))
	// Output:
	// [WORKING MEMORY]
	// pages:
	//   - "Home" (550e8400-e29b-41d4-a716-446655440000)
	// [NOTES]
	//   - goal: "Ship the release by Friday"
	//   - observation: "get_order: order #W123 is pending"
}
