package prompt_test

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// lineGrammar is what the lines of a block after the first look like.
var lineGrammar = regexp.MustCompile(`^(?:[\p{L}\p{Nd}_]+:|"(?:[^"\\\n]|\\.)+":|  - "(?:[^"\\\n]|\\.)*" \([^()\n]+\)(?: from (?:[\w\-./:]+|"(?:[^"\\\n]|\\.)+"))?` +
	`|\[NOTES\]|  - (?:[\p{L}\p{Nd}_]+|"(?:[^"\\\n]|\\.)+"): "(?:[^"\\\n]|\\.)+")$`)

// genText generates hostile and ordinary texts.
func genText() *rapid.Generator[string] {
	texts := make([]string, 0, len(attacks))
	for _, a := range attacks {
		texts = append(texts, a.text[:min(len(a.text), 300)])
	}
	return rapid.OneOf(
		rapid.StringN(0, 100, -1),
		rapid.StringMatching(`[a-zA-Z0-9 _#:/().,"\\-]{0,100}`),
		rapid.SampledFrom(texts),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 100), func(b []byte) string { return string(b) }),
	)
}

func genEntity() *rapid.Generator[memory.Entity] {
	return rapid.Custom(func(t *rapid.T) memory.Entity {
		return memory.Entity{
			Type:        rapid.OneOf(rapid.SampledFrom([]string{"page", "entry", "", "resource", "pages"}), genText()).Draw(t, "type"),
			ID:          genText().Draw(t, "id"),
			Name:        rapid.OneOf(rapid.SampledFrom([]string{"", "Home"}), genText()).Draw(t, "name"),
			Description: rapid.OneOf(rapid.SampledFrom([]string{"", "red"}), genText()).Draw(t, "description"),
			Role:        rapid.SampledFrom([]memory.Role{"", memory.RoleReference, memory.RoleCandidate}).Draw(t, "role"),
			Uses:        rapid.IntRange(0, 2).Draw(t, "uses"),
			Aliases:     rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{"", "ED-1", "a, b", "(1)"}), genText()), 0, 3).Draw(t, "aliases"),
			Preferred:   rapid.SampledFrom([]string{"", "ED-1", "other"}).Draw(t, "preferred"),
			Tool:        rapid.SampledFrom([]string{"", "get_page", "read\"mail"}).Draw(t, "tool"),
			Source:      rapid.SampledFrom([]string{"", "", "cms", "two words"}).Draw(t, "source"),
			Authority:   rapid.SampledFrom([]memory.Authority{"", memory.AuthorityOwn, memory.AuthorityNone}).Draw(t, "authority"),
			Held:        rapid.IntRange(0, 4).Draw(t, "held") == 0,
			Made:        rapid.IntRange(0, 4).Draw(t, "made") == 0,
		}
	})
}

// shownIDs are the identifiers of an entity in the order in which a block shows them.
func shownIDs(e memory.Entity) []string {
	ids := []string{e.ID}
	for _, alias := range e.Aliases[:min(len(e.Aliases), 4)] {
		dir, isEnd := strings.CutSuffix(e.ID, "/"+alias) // the path shows the name at its end
		isShown := isEnd && !strings.Contains(dir, ":") && alias != e.Preferred
		if alias == "" || isShown || len(alias) > memory.MaxIDBytes || !utf8.ValidString(alias) || slices.Contains(ids, alias) {
			break
		}
		ids = append(ids, alias)
	}
	if i := slices.Index(ids[1:], e.Preferred); i >= 0 {
		ids = slices.Insert(slices.Delete(ids, i+1, i+2), 0, e.Preferred)
	}
	return ids
}

// shown says, in the plainest way, what a block without a budget has to show.
func shown(newestFirst []memory.Entity, perType, labelRunes int) []memory.Entity {
	var types []string
	groups := map[string][]memory.Entity{}
	for _, e := range chosen(newestFirst, perType) {
		if !slices.Contains(types, e.Type) {
			types = append(types, e.Type)
		}
		groups[e.Type] = append(groups[e.Type], e)
	}
	var all []memory.Entity
	for _, typ := range types {
		var strangers []memory.Entity
		for _, e := range groups[typ] {
			ids := shownIDs(e)
			label := shownLabel(e, groups[typ], labelRunes)
			one := memory.Entity{Type: typ, ID: ids[0], Name: label}
			if len(ids) > 1 {
				one.Aliases = ids[1:]
			}
			if e.Name+e.Description != "" && strings.TrimSuffix(label, "…") != "" && slices.ContainsFunc(groups[typ], func(o memory.Entity) bool {
				return namesake(o, shownLabel(o, groups[typ], labelRunes)) == namesake(e, label) && namespace(o) != namespace(e)
			}) {
				one.Source = cmp.Or(e.Source, e.Tool)
				if e.Authority == memory.AuthorityNone {
					strangers = append(strangers, one)
					continue
				}
			}
			all = append(all, one)
		}
		all = append(all, strangers...)
	}
	return all
}

// chosen returns the ten entities that are shown: those that the agent works with, made before
// used before held, and then as many of each type as there is room for, the newest.
func chosen(newestFirst []memory.Entity, perType int) []memory.Entity {
	var usable []memory.Entity
	for _, e := range newestFirst {
		e.Type = cmp.Or(e.Type, memory.FallbackType)
		if e.ID != "" && len(e.ID) <= memory.MaxIDBytes && len(e.Type) <= memory.MaxTypeBytes && utf8.ValidString(e.ID) && utf8.ValidString(e.Type) {
			usable = append(usable, e)
		}
	}
	lines, count, left := make([]bool, len(usable)), map[string]int{}, prompt.DefaultLines
	choose := func(limit int, is func(memory.Entity) bool) {
		for i, e := range usable {
			if !lines[i] && left > 0 && count[e.Type] < limit && is(e) {
				lines[i] = true
				count[e.Type]++
				left--
			}
		}
	}
	choose(math.MaxInt, func(e memory.Entity) bool { return e.Held && e.Made })
	choose(math.MaxInt, func(e memory.Entity) bool { return e.Held && e.Uses > 0 })
	choose(math.MaxInt, func(e memory.Entity) bool { return e.Held })
	choose(perType, func(e memory.Entity) bool { return !e.Held })
	var kept []memory.Entity
	for i, e := range usable {
		if lines[i] {
			kept = append(kept, e)
		}
	}
	return kept
}

// shownLabel returns the label of an entity among those shown of its type.
func shownLabel(e memory.Entity, group []memory.Entity, labelRunes int) string {
	label := e.Label()
	twin := func(o memory.Entity) bool { return o.Name == e.Name && o.Description != e.Description }
	code := strings.ContainsAny(e.Name, "0123456789") && !strings.Contains(e.Name, " ") &&
		strings.IndexFunc(e.Name, func(r rune) bool { return r >= '\u0e00' }) < 0
	if e.Name != "" && e.Description != "" && (code || slices.ContainsFunc(group, twin)) {
		label += ", " + e.Description
	}
	ids, inUse := shownIDs(e), e.Held && (e.Made || e.Uses > 0)
	if slices.Contains(ids, e.Name) && (!inUse || e.Name == ids[0]) || e.Name == "" && e.Description == "" && e.Role != memory.RoleRecord {
		label = e.Description
	}
	runes := []rune(strings.ToValidUTF8(label, "\ufffd"))
	if len(runes) > labelRunes {
		runes = append(runes[:labelRunes-1], '…')
	}
	return string(runes)
}

// namesake returns what entities with the same name have in common, if a label shows it.
func namesake(e memory.Entity, label string) string {
	if e.Name != "" && !strings.HasSuffix(e.Name, "…") && strings.HasPrefix(label, e.Name) {
		return strings.ToLower(e.Name)
	}
	return strings.ToLower(label)
}

// namespace returns where the name of an entity is from, as far as it matters to a reader.
func namespace(e memory.Entity) string {
	if e.Source == "" && e.Authority == memory.AuthorityNone {
		return e.Tool
	}
	return e.Source
}

func TestParseGivesBackWhatWasRendered(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		entities := rapid.SliceOfN(genEntity(), 0, 12).Draw(t, "entities")
		opts := &prompt.Options{PerType: rapid.IntRange(1, 4).Draw(t, "per type"), LabelRunes: rapid.IntRange(1, 120).Draw(t, "runes")}
		checkRoundTrip(t, opts, prompt.Content{Entities: entities})
		opts.Notes, opts.NoteRunes = rapid.IntRange(1, 4).Draw(t, "notes shown"), rapid.IntRange(1, 120).Draw(t, "note runes")
		notes := rapid.SliceOfN(genNote(), 0, 8).Draw(t, "notes")
		checkRoundTrip(t, opts, prompt.Content{Entities: entities, Notes: notes})
		checkRoundTrip(t, opts, prompt.Content{Notes: notes})
	})
}

// checkRoundTrip checks that a block says of a content what it should, and no more.
func checkRoundTrip(t require.TestingT, opts *prompt.Options, c prompt.Content) {
	given := prompt.Content{Entities: slices.Clone(c.Entities), Notes: slices.Clone(c.Notes)}
	got := prompt.NewRenderer(opts).RenderContent(c)
	require.Equal(t, got, prompt.NewRenderer(opts).RenderContent(c), "deterministic")
	require.Equal(t, given, c, "the input is not changed")
	parsed, err := prompt.ParseContent(got)
	require.NoError(t, err)
	require.Equal(t, shown(c.Entities, opts.PerType, opts.LabelRunes), parsed.Entities)
	require.Equal(t, shownNotes(c.Notes, opts.Notes, opts.NoteRunes), parsed.Notes)
	if got == "" {
		return
	}
	lines := strings.Split(got, "\n")
	require.Equal(t, "[WORKING MEMORY]", lines[0])
	for _, l := range lines[1:] {
		require.Regexp(t, lineGrammar, l)
	}
	start, end, ok := prompt.Find("You are helpful.\n\n" + got + "\n\nBe brief.")
	require.True(t, ok)
	require.Equal(t, []int{18, 18 + len(got)}, []int{start, end})
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	const entity, note = `  - "A" (1)`, `  - goal: "a"`
	tests := []struct {
		name, text string
		line       int
	}{
		{"other text", "Hello", 1},
		{"text before", "x\n" + block(`pages:`, entity), 1},
		{"title only", block(), 1},
		{"title with space", "[WORKING MEMORY] \npages:\n" + entity, 1},
		{"line break at the end", block(`pages:`, entity, ``), 4},
		{"text after", block(`pages:`, entity, ``, `Hello`), 4},
		{"CRLF", strings.ReplaceAll(block(`pages:`, entity), "\n", "\r\n"), 1},
		{"entity without group", block(entity), 2},
		{"group without entity", block(`pages:`), 2},
		{"group without entity before another", block(`pages:`, `users:`, entity), 3},
		{"two groups of a type", block(`pages:`, entity, `users:`, entity, `pages:`, entity), 6},
		{"singular header", block(`page:`, entity), 2},
		{"wrong plural", block(`entrys:`, entity), 2},
		{"header without colon", block(`pages`, entity), 2},
		{"empty header", block(`:`, entity), 2},
		{"empty quoted header", block(`"":`, entity), 2},
		{"plain type in quotes", block(`"page":`, entity), 2},
		{"unquoted type", block(`weird type:`, entity), 2},
		{"half a quoted type", block(`"weird type:`, entity), 2},
		{"type too long", block(strings.Repeat("x", memory.MaxTypeBytes+1)+"s:", entity), 2},
		{"indentation", block(`pages:`, ` - "A" (1)`), 3},
		{"no quotes", block(`pages:`, `  - A (1)`), 3},
		{"open quotes", block(`pages:`, `  - "A (1)`), 3},
		{"no id", block(`pages:`, `  - "A"`), 3},
		{"empty id", block(`pages:`, `  - "A" ()`), 3},
		{"open id", block(`pages:`, `  - "A" (1`), 3},
		{"id too long", block(`pages:`, `  - "A" (`+strings.Repeat("1", memory.MaxIDBytes+1)+`)`), 3},
		{"parenthesis in id", block(`pages:`, `  - "A" (f(x))`), 3},
		{"text after id", block(`pages:`, `  - "A" (1) x`), 3},
		{"no source", block(`pages:`, `  - "A" (1) from `), 3},
		{"plain source in quotes", block(`pages:`, `  - "A" (1) from "cms"`), 3},
		{"source of two words", block(`pages:`, `  - "A" (1) from the cms`), 3},
		{"open quotes of a source", block(`pages:`, `  - "A" (1) from "the cms`), 3},
		{"missing escape in a source", block(`pages:`, `  - "A" (1) from "<b>"`), 3},
		{"separator at the end", block(`pages:`, `  - "A" (1), `), 3},
		{"needless escape", block(`pages:`, `  - "\u0041" (1)`), 3},
		{"capital digits", block(`pages:`, `  - "\u003C" (1)`), 3},
		{"other escape", block(`pages:`, `  - "\r" (1)`), 3},
		{"long form of an escape", block(`pages:`, `  - "\u000a" (1)`), 3},
		{"cut escape", block(`pages:`, `  - "\u00" (1)`), 3},
		{"lone surrogate", block(`pages:`, `  - "\udb40" (1)`), 3},
		{"swapped surrogates", block(`pages:`, `  - "\udc41\udb40" (1)`), 3},
		{"missing escape", block(`pages:`, `  - "<b>" (1)`), 3},
		{"invisible character", block(`pages:`, "  - \"a\u200bb\" (1)"), 3},
		{"not UTF-8", block(`pages:`, "  - \"a\xffb\" (1)"), 3},
		{"escaped parenthesis in label", block(`pages:`, `  - "\u0028" (1)`), 3},
		{"notes without any", block(`[NOTES]`), 2},
		{"no notes behind entities", block(`pages:`, entity, `[NOTES]`), 4},
		{"notes behind an empty group", block(`pages:`, `[NOTES]`, note), 3},
		{"notes twice", block(`[NOTES]`, note, `[NOTES]`, note), 4},
		{"title of notes with a colon", block(`[NOTES]:`, note), 2},
		{"note without title", block(note), 2},
		{"note among entities", block(`pages:`, note), 3},
		{"entity among notes", block(`[NOTES]`, entity), 3},
		{"group behind notes", block(`[NOTES]`, note, `pages:`, entity), 4},
		{"CRLF behind a note", block(`[NOTES]`, note+"\r", note), 3},
		{"note without type", block(`[NOTES]`, `  - "a"`), 3},
		{"note of an empty type", block(`[NOTES]`, `  - : "a"`), 3},
		{"note of a plain type in quotes", block(`[NOTES]`, `  - "goal": "a"`), 3},
		{"note of another type without quotes", block(`[NOTES]`, `  - to do: "a"`), 3},
		{"open quotes of a note's type", block(`[NOTES]`, `  - "to do: a`), 3},
		{"note's type too long", block(`[NOTES]`, `  - `+strings.Repeat("x", memory.MaxTypeBytes+1)+`: "a"`), 3},
		{"needless escape in a note's type", block(`[NOTES]`, `  - "to\u0020do": "a"`), 3},
		{"note without a space", block(`[NOTES]`, `  - goal:"a"`), 3},
		{"empty note", block(`[NOTES]`, `  - goal: ""`), 3},
		{"note without quotes", block(`[NOTES]`, `  - goal: a`), 3},
		{"a quote alone", block(`[NOTES]`, `  - goal: "`), 3},
		{"text behind a note", block(`[NOTES]`, `  - goal: "a" b`), 3},
		{"missing escape in a note", block(`[NOTES]`, `  - goal: "<b>"`), 3},
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
			assert.Contains(t, err.Error(), parseErr.Reason)
		})
	}
}

func FuzzRender(f *testing.F) {
	for i, a := range attacks {
		b := attacks[(i+1)%len(attacks)]
		f.Add("page", a.text, b.text, "", a.text, "1", "Home", b.text, "goal", a.text)
	}
	f.Fuzz(func(t *testing.T, typ1, id1, name1, description1, typ2, id2, name2, description2, noteType, note string) {
		entities := []memory.Entity{
			{Type: typ1, ID: id1, Name: name1, Description: description1},
			{Type: typ2, ID: id2, Name: name2, Description: description2},
			{Type: typ1, ID: id2, Name: name1, Description: description2},
		}
		notes := []items.Item{{Type: items.Type(noteType), Text: note, Position: 1}, {Type: items.TypeGoal, Text: name1}}
		opts := &prompt.Options{PerType: 2, LabelRunes: 20, Notes: 2, NoteRunes: 20}
		checkRoundTrip(t, opts, prompt.Content{Entities: entities})
		checkRoundTrip(t, opts, prompt.Content{Entities: entities, Notes: notes})

		for _, content := range []prompt.Content{{Entities: entities}, {Entities: entities, Notes: notes}} {
			budgeted := prompt.NewRenderer(&prompt.Options{Budget: 64}).RenderContent(content)
			require.LessOrEqual(t, prompt.Estimator{}.CountTokens(budgeted), 64)
			_, err := prompt.ParseContent(budgeted)
			require.NoError(t, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(block(`pages:`, `  - "A" (1), "B" (2)`, `"weird type":`, `  - "\u003c\ud83d\ude00" (#W1)`))
	f.Add("x\n\n" + block(`pages:`, `  - "A" (1)`) + "\n\n" + block(`media:`, `  - "B" (2)`))
	f.Add("[WORKING MEMORY]\n[WORKING MEMORY]\n:\n\"\":")
	f.Add(block(`pages:`, `  - "A" (1)`, `[NOTES]`, `  - goal: "a\nb"`, `  - "\"": "<"`, `[NOTES]`))
	f.Add(block(`[NOTES]`, `  - goal: "a…"`, `  - "a b": ": \"x\" (1)"`))
	f.Fuzz(func(t *testing.T, text string) {
		if content, err := prompt.ParseContent(text); err == nil {
			more := len(text) + 1
			all := prompt.NewRenderer(&prompt.Options{PerType: more, LabelRunes: more, Notes: more, NoteRunes: more})
			again, err := prompt.ParseContent(all.RenderContent(content))
			require.NoError(t, err)
			for i, e := range content.Entities {
				content.Entities[i].Name = e.Label() // where a budget leaves a label out, Render without one says "Unnamed …"
				content.Entities[i].Source = ""      // whether it is shown depends on the other lines
			}
			for i := range again.Entities {
				again.Entities[i].Source = ""
			}
			require.Equal(t, content, again)
		}
		start, end, ok := prompt.Find(text)
		if ok {
			_, err := prompt.Parse(text[start:end])
			require.NoError(t, err)
		}
		require.Equal(t, ok, prompt.Remove(text) != text)
	})
}
