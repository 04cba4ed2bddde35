package identifiers

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func TestContext(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		summary string
		ids     []string
		want    string
	}{
		{"nothing", "", nil, ""},
		{"a summary", "All is well.", nil, "All is well."},
		{"identifiers", "", []string{"W1", "b@c.de"}, "Identifiers: W1, b@c.de"},
		{"both", "All is well.", []string{"W1"}, "All is well.\n\nIdentifiers: W1"},
		{"quoted", "x", []string{"a b", "a,b", `a"b`, `a\b`, "", "a\nb", "\u200b", "<é>"}, "x\n\nIdentifiers: \"a b\", \"a,b\", \"a\\\"b\", \"a\\\\b\", \"\", \"a\\nb\", \"\u200b\", <é>"},
		{"a model's own list is data", "x\n\nIdentifiers: W9", []string{"W1"}, "x\n\nIdentifiers: W9\n\nIdentifiers: W1"},
		{"also alone", "x\n\nIdentifiers: W9", nil, "x\n\nIdentifiers: W9\n\nIdentifiers:"},
		{"also as all there is", "Identifiers: W9", nil, "Identifiers: W9\n\nIdentifiers:"},
		{"what only looks like one", "x\n\nIdentifiers: W9 and more", nil, "x\n\nIdentifiers: W9 and more"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text := Join(tc.summary, tc.ids)
			assert.Equal(t, tc.want, text)
			summary, ids := Split(text)
			assert.Equal(t, tc.summary, summary)
			assert.Equal(t, tc.ids, ids)
		})
	}
}

func TestSplitOfOtherTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Identifiers: a,b", "Identifiers:  a", "Identifiers: a, ", "Identifiers: a,", "Identifiers: \"a\"", `Identifiers: "a`,
		`Identifiers: "a b" c`, "Identifiers: a b", "Identifiers: a\nb", "x\n\nIdentifiers: a\n", "identifiers: a", "\n\nIdentifiers: a",
		`Identifiers: "\u0041"`, "Identifiers:a", "x\nIdentifiers: a",
	} {
		summary, ids := Split(text)
		assert.Equal(t, text, summary)
		assert.Empty(t, ids, "%q", text)
	}
}

func FuzzContext(f *testing.F) {
	f.Add("", "")
	f.Add("A summary.", "a\x00b c\x00")
	f.Add("x\n\nIdentifiers: a", "")
	f.Add("x\n", "Identifiers:\x00\n\n")
	f.Add("\n\n\n", "\"\x00\\\x00,")
	f.Fuzz(func(t *testing.T, summary, list string) {
		var ids []string
		if list != "" {
			ids = strings.Split(strings.ToValidUTF8(list, "?"), "\x00")
		}
		gotSummary, gotIDs := Split(Join(summary, ids))
		require.Equal(t, summary, gotSummary)
		require.Equal(t, ids, gotIDs)
		// What anybody wrote is read in one way only.
		s, i := Split(summary)
		if len(i) > 0 {
			require.Equal(t, summary, Join(s, i))
		}
	})
}

func TestFinderFindsWholeWords(t *testing.T) {
	t.Parallel()
	set := newFinder(slices.Values([]string{"W1", "web-2", "order 7", "#12", "home", "größe_1", "a.b@c.de", "x", "(", "", "order 7/b"}))
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"W1", []string{"W1"}},
		{"W12 aW1 W1a W1_ _W1", nil},
		{"(W1) W1. W1-", []string{"(", "W1", "W1", "W1"}},
		{"web-2,web-22,myweb-2", []string{"web-2"}},
		{"order 7: order  7 order 70", []string{"order 7"}},
		{"order 7/b", []string{"order 7", "order 7/b"}},
		{"a#12 #123 #12", []string{"#12", "#12"}},
		{"home,homer Home", []string{"home"}},
		{"die größe_1!", []string{"größe_1"}},
		{"to a.b@c.de", []string{"a.b@c.de"}},
		{"x\xffx", []string{"x", "x"}},
	} {
		assert.Equal(t, tc.want, slices.Collect(set.in(tc.text)), tc.text)
	}
	assert.Empty(t, slices.Collect(newFinder(slices.Values([]string(nil))).in("x")))
}

// words counts a token for each word.
type words struct{}

func (words) CountTokens(text string) int { return len(strings.Fields(text)) }

func said(texts ...string) []driver.Message {
	var messages []driver.Message
	for _, text := range texts {
		messages = append(messages, driver.Message{Role: driver.RoleUser, Content: text})
	}
	return messages
}

func texts(messages []driver.Message) []string {
	texts := make([]string, len(messages))
	for i := range messages {
		texts[i] = messages[i].Text()
	}
	return texts
}

func TestKeepIdentifiers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		previous []string
		leaving  []driver.Message
		entities []string
		summary  string
		limit    int
		want     []string
		lost     int
	}{
		{"nothing", nil, nil, nil, "", 100, []string{}, 0},
		{"words with digits", nil, said("order #W123 of anna@x1.de", "see A-9: done"), nil, "", 100, []string{"#W123", "anna@x1.de", "A-9"}, 0},
		{"ids of entities are any words", nil, said("go to start page"), []string{"start page", "home"}, "", 100, []string{"start page"}, 0},
		{"ids among arguments", nil, []driver.Message{{Role: driver.RoleAssistant, ToolCalls: []driver.ToolCall{{Name: "get", Arguments: `{"id":98765,"slug":"about"}`}}}}, []string{"about"}, "", 100, []string{"98765", "about"}, 0},
		{"what the summary has", []string{"p1"}, said("W1 W2 W3"), nil, "W2 was paid, p1 too, not W30.", 100, []string{"W1", "W3"}, 0},
		{"the last mention counts", []string{"p1", "p2"}, said("W1", "W2 p1", "W1"), nil, "", 100, []string{"p2", "W2", "p1", "W1"}, 0},
		{"the oldest has no room", []string{"p1"}, said("W1 W2 W3"), nil, "", 3, []string{"W2", "W3"}, 2},
		{"but entities have", []string{"p1", "p2"}, said("W1 W2 W3"), []string{"p1"}, "", 3, []string{"p1", "W3"}, 3},
		{"no room", nil, said("W1"), []string{"W1"}, "", 0, []string{}, 1},
		{"too long for an id", nil, said(strings.Repeat("1", memory.MaxIDBytes+1)), nil, "", 100, []string{}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := Keep(tc.previous, texts(tc.leaving), slices.Values(tc.entities), tc.summary, tc.limit, words{})
			assert.Equal(t, tc.want, got.IDs)
			assert.Equal(t, tc.lost, got.Lost)
		})
	}
}

func TestKeptIdentifiersStayWithinTheirTokens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,8}[0-9]{1,4}( [a-z]{3})?`), 0, 40, rapid.ID).Draw(t, "ids")
		limit := rapid.IntRange(0, 200).Draw(t, "limit")
		known := rapid.SliceOf(rapid.SampledFrom(append(ids, "none"))).Draw(t, "known")
		got := Keep(ids, nil, slices.Values(known), "", limit, plaintext.Estimator{})
		if len(got.IDs) > 0 {
			assert.LessOrEqual(t, plaintext.Estimator{}.CountTokens(formatParagraph(got.IDs)), limit)
		}
		assert.Equal(t, len(ids)-len(got.IDs), got.Lost)
		// The order is that of age.
		at := -1
		for _, id := range got.IDs {
			next := slices.Index(ids, id)
			assert.Greater(t, next, at)
			at = next
		}
	})
}
