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
	home := []memory.Entity{page("1", "Home")}
	tests := []struct {
		name    string
		opts    prompt.Options
		content prompt.Content
		want    string
	}{
		{"behind the entities", prompt.Options{},
			prompt.Content{Entities: home, Notes: []items.Item{goal(0, "Ship it."), {Type: items.TypeObservation, Text: "#W123 is pending", Position: 1}}},
			block(`pages:`, `  - "Home" (1)`, `[NOTES]`, `  - goal: "Ship it."`, `  - observation: "#W123 is pending"`)},
		{"alone", prompt.Options{}, prompt.Content{Notes: []items.Item{goal(0, "Ship it.")}},
			block(`[NOTES]`, `  - goal: "Ship it."`)},
		{"none", prompt.Options{}, prompt.Content{Entities: home, Notes: []items.Item{}}, block(`pages:`, `  - "Home" (1)`)},
		{"in the order of their positions", prompt.Options{},
			prompt.Content{Notes: []items.Item{goal(5, "third"), goal(0, "first"), goal(2, "second")}},
			block(`[NOTES]`, `  - goal: "first"`, `  - goal: "second"`, `  - goal: "third"`)},
		{"of one position as given", prompt.Options{}, prompt.Content{Notes: []items.Item{goal(1, "a"), goal(1, "b"), goal(0, "c")}},
			block(`[NOTES]`, `  - goal: "c"`, `  - goal: "a"`, `  - goal: "b"`)},
		{"five by default, the most important", prompt.Options{},
			prompt.Content{Notes: []items.Item{goal(5, "a"), goal(4, "b"), goal(3, "c"), goal(2, "d"), goal(1, "e"), goal(0, "f")}},
			block(`[NOTES]`, `  - goal: "e"`, `  - goal: "d"`, `  - goal: "c"`, `  - goal: "b"`, `  - goal: "a"`)},
		{"fewer", prompt.Options{Notes: 1}, prompt.Content{Notes: []items.Item{goal(1, "a"), goal(0, "b")}},
			block(`[NOTES]`, `  - goal: "a"`)},
		{"what cannot be shown takes no place", prompt.Options{Notes: 1},
			prompt.Content{Notes: []items.Item{
				goal(0, ""), {Type: "\xff", Text: "a"}, {Type: items.Type(strings.Repeat("x", memory.MaxTypeBytes+1)), Text: "b"},
				{Type: items.TypeGoal, Text: "forgotten", Deleted: true}, goal(1, strings.Repeat("x", 241)), goal(2, "c"),
			}},
			block(`[NOTES]`, `  - goal: "c"`)},
		{"no type is custom", prompt.Options{}, prompt.Content{Notes: []items.Item{{Text: "a"}}}, block(`[NOTES]`, `  - custom: "a"`)},
		{"types that are no plain words", prompt.Options{}, prompt.Content{Notes: []items.Item{{Type: "to do", Text: "a"}, {Type: "a\":\n", Text: "b"}, {Type: "[NOTES]", Text: "c"}}},
			block(`[NOTES]`, `  - "to do": "a"`, `  - "a\":\n": "b"`, `  - "[NOTES]": "c"`)},
		{"not UTF-8", prompt.Options{}, prompt.Content{Notes: []items.Item{goal(0, "a\xffb")}}, block(`[NOTES]`, `  - goal: "a\ufffdb"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := prompt.NewRenderer(&tt.opts)
			assert.Equal(t, tt.want, r.RenderContent(tt.content))
			assert.Equal(t, "before\n"+tt.want, string(r.AppendBlock([]byte("before\n"), tt.content)))
			explained, verdicts := r.Explain(tt.content)
			assert.Equal(t, tt.want, explained)
			assert.Len(t, verdicts, len(tt.content.Entities))
		})
	}
}

func TestRenderDoesNotReorderItsInput(t *testing.T) {
	t.Parallel()
	given := []items.Item{goal(2, "a"), goal(0, "b"), goal(1, "c")}
	for _, opts := range []*prompt.Options{nil, {Budget: 100}, {Budget: 20}} {
		prompt.NewRenderer(opts).RenderContent(prompt.Content{Notes: given})
		assert.Equal(t, []items.Item{goal(2, "a"), goal(0, "b"), goal(1, "c")}, given)
	}
}

func TestLongNotesAreCutBehindAWord(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		runes      int
		want       string // "" means that it is not shown
	}{
		{"whole", "order W123", 10, "order W123"},
		{"an identifier at the cut", "order W123 is pending", 9, "order …"},
		{"one that just fits", "order W123 is pending", 12, "order W123 …"},
		{"one that would fit without the mark", "order W123 is pending", 11, "order …"},
		{"several spaces", "order  \n W123", 9, "order …"},
		{"a line break", "order\nW123 is pending", 12, `order\nW123 …`},
		{"letters of several bytes", "größer als Überlänge", 12, "größer als …"},
		{"marks of scripts without spaces", "订单已发货。请查收包裹", 8, "订单已发货。 …"},
		{"JSON without spaces", `{"id":"W123","state":"pending"}`, 20, `\u007b\"id\":\"W123\", …`},
		{"a number with a comma", "1,234,567 items", 8, ""},
		{"a word that is too long", "550e8400-e29b-41d4-a716-446655440000", 20, ""},
		{"spaces only before it", "   550e8400-e29b-41d4", 10, ""},
		{"no room but for the mark", "a b c", 2, ""},
		{"less than that", "a b c", 1, ""},
		{"one letter", "a b c", 3, "a …"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := ""
			if tt.want != "" {
				want = block(`[NOTES]`, `  - goal: "`+tt.want+`"`)
			}
			r := prompt.NewRenderer(&prompt.Options{NoteRunes: tt.runes})
			assert.Equal(t, want, r.RenderContent(prompt.Content{Notes: []items.Item{goal(0, tt.text)}}))
		})
	}
	t.Run("240 by default", func(t *testing.T) {
		t.Parallel()
		words := strings.Repeat("é ", 200)
		got := prompt.NewRenderer(nil).RenderContent(prompt.Content{Notes: []items.Item{goal(0, words)}})
		assert.Equal(t, block(`[NOTES]`, `  - goal: "`+strings.Repeat("é ", 119)+`…"`), got)
	})
}

// TestNoIdentifierIsCut: whatever a block shows of a note, the identifiers in it
// are the note's own.
func TestNoIdentifierIsCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(genText(), rapid.StringMatching(`([a-z]{1,6}|#W[0-9]{3}|[0-9a-f]{8}-[0-9]{4}|,"|，| |。|\n){1,40}`)).Draw(t, "text")
		limit := rapid.IntRange(1, 60).Draw(t, "limit")
		got := prompt.NewRenderer(&prompt.Options{NoteRunes: limit}).RenderContent(prompt.Content{Notes: []items.Item{goal(0, text)}})
		parsed, err := prompt.ParseContent(got)
		require.NoError(t, err)
		known := slices.Collect(plaintext.Identifiers(strings.ToValidUTF8(text, "\ufffd")))
		for _, note := range parsed.Notes {
			assert.LessOrEqual(t, utf8.RuneCountInString(note.Text), limit)
			for id := range plaintext.Identifiers(note.Text) {
				assert.Contains(t, known, id)
			}
		}
	})
}

func TestAttacksStayNotes(t *testing.T) {
	t.Parallel()
	for _, tt := range attacks {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.ToValidUTF8(tt.text[:min(len(tt.text), memory.MaxTypeBytes)], "")
			list := []items.Item{{Type: items.Type(text), Text: text}, goal(1, "Next")}
			got := prompt.NewRenderer(nil).RenderContent(prompt.Content{Notes: list})
			assert.Len(t, strings.Split(got, "\n"), 4)
			parsed, err := prompt.ParseContent(got)
			require.NoError(t, err)
			assert.Equal(t, []items.Item{{Type: items.Type(text), Text: text}, {Type: items.TypeGoal, Text: "Next"}}, parsed.Notes)
		})
	}
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

func TestParseErrorsOfNotes(t *testing.T) {
	t.Parallel()
	const entity, note = `  - "A" (1)`, `  - goal: "a"`
	tests := []struct {
		name, text string
		line       int
	}{
		{"title only", block(`[NOTES]`), 2},
		{"title only, behind entities", block(`pages:`, entity, `[NOTES]`), 4},
		{"behind an empty group", block(`pages:`, `[NOTES]`, note), 3},
		{"title twice", block(`[NOTES]`, note, `[NOTES]`, note), 4},
		{"title with a colon", block(`[NOTES]:`, note), 2},
		{"title with a space", block(`[NOTES] `, note), 2},
		{"without title", block(note), 2},
		{"among entities", block(`pages:`, note), 3},
		{"an entity among notes", block(`[NOTES]`, entity), 3},
		{"a group behind notes", block(`[NOTES]`, note, `pages:`, entity), 4},
		{"line break at the end", block(`[NOTES]`, note, ``), 4},
		{"CRLF", block(`[NOTES]`, note+"\r", note), 3},
		{"no type", block(`[NOTES]`, `  - "a"`), 3},
		{"empty type", block(`[NOTES]`, `  - : "a"`), 3},
		{"empty type in quotes", block(`[NOTES]`, `  - "": "a"`), 3},
		{"plain type in quotes", block(`[NOTES]`, `  - "goal": "a"`), 3},
		{"other type without quotes", block(`[NOTES]`, `  - to do: "a"`), 3},
		{"open quotes of a type", block(`[NOTES]`, `  - "to do: a`), 3},
		{"type too long", block(`[NOTES]`, `  - `+strings.Repeat("x", memory.MaxTypeBytes+1)+`: "a"`), 3},
		{"needless escape in a type", block(`[NOTES]`, `  - "to\u0020do": "a"`), 3},
		{"no space", block(`[NOTES]`, `  - goal:"a"`), 3},
		{"no text", block(`[NOTES]`, `  - goal: `), 3},
		{"empty text", block(`[NOTES]`, `  - goal: ""`), 3},
		{"no quotes", block(`[NOTES]`, `  - goal: a`), 3},
		{"open quotes", block(`[NOTES]`, `  - goal: "a`), 3},
		{"a quote alone", block(`[NOTES]`, `  - goal: "`), 3},
		{"text behind it", block(`[NOTES]`, `  - goal: "a" b`), 3},
		{"two on a line", block(`[NOTES]`, `  - goal: "a", goal: "b"`), 3},
		{"missing escape", block(`[NOTES]`, `  - goal: "<b>"`), 3},
		{"needless escape", block(`[NOTES]`, `  - goal: "\u0041"`), 3},
		{"invisible character", block(`[NOTES]`, "  - goal: \"a\u200bb\""), 3},
		{"not UTF-8", block(`[NOTES]`, "  - goal: \"a\xffb\""), 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := prompt.ParseContent(tt.text)
			assert.Equal(t, prompt.Content{}, got)
			var parseErr *prompt.ParseError
			require.ErrorAs(t, err, &parseErr)
			assert.Equal(t, tt.line, parseErr.Line, err)
			assert.NotEmpty(t, parseErr.Reason)
			entities, err := prompt.Parse(tt.text)
			assert.Nil(t, entities)
			assert.Equal(t, parseErr, err)
		})
	}
}

func TestFindWithNotesIsLinear(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("[WORKING MEMORY]\n[NOTES]\n", 100_000)
	assert.Equal(t, text, prompt.Remove(text))
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
