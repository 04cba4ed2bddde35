package evaluation

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// answering is a Memory that shows the same block whatever the user names.
type answering struct {
	block string
	heard []string
}

func (a *answering) Block() string                            { return "" }
func (a *answering) Record(context.Context, int, *Step) error { return nil }
func (a *answering) asked(_ context.Context, message string) string {
	a.heard = append(a.heard, message)
	return a.block
}

// namedBy measures an episode of calls of list_things, or of another tool: "tool: result".
func namedBy(t *testing.T, m Method, results ...string) Report {
	t.Helper()
	var steps []string
	for _, result := range results {
		tool, text, ok := strings.Cut(result, ": ")
		if !ok {
			tool, text = "list_things", result
		}
		steps = append(steps, fmt.Sprintf(`{"kind":"tool","name":%q,"args":{"id":"a1"},"result":%s}`, tool, text))
	}
	ep, err := parseEpisode(`{"id":1,"steps":[` + strings.Join(steps, ",") + `]}`)
	require.NoError(t, err)
	e := Comparison{Methods: []Method{m}, Counter: prompt.Estimator{}, Misses: 9, Named: true}
	reports, err := e.Run(t.Context(), func(yield func(*Episode, error) bool) { yield(ep, nil) })
	require.NoError(t, err)
	return reports[0]
}

// TestRecordsThatTheUserNames: a record counts if it has siblings, an id, and a label of its own.
func TestRecordsThatTheUserNames(t *testing.T) {
	t.Parallel()
	const pair = `[{"id":"a1","name":"Home"},{"id":"a2","name":"News"}]`
	var many []string
	for i := range 50 {
		many = append(many, fmt.Sprintf(`{"id":"a%d","name":"Room %d"}`, i, i))
	}
	for _, tc := range []struct {
		name    string
		results []string
		heard   string // the labels
	}{
		{"words", []string{pair}, "Home News"},
		{"one letter", []string{`[{"id":"a1","name":"J"},{"id":"a2","name":"é"}]`}, "J é"},
		{"Chinese", []string{`[{"id":"a1","title":"招聘"},{"id":"a2","title":"第10章"}]`}, "招聘 第10章"},
		{"numbers", []string{`[{"id":"a1","title":"9"},{"id":"a2","title":"10"}]`}, "9 10"},
		{"signs are no label", []string{`[{"id":"a1","title":"--"},{"id":"a2","title":"10"},{"id":"a3","title":"11"}]`}, "10 11"},
		{"numeric ids, in text", []string{`"{\"data\":[{\"number\":1,\"subject\":\"x\"},{\"number\":2,\"subject\":\"y\"}]}"`}, "x y"},
		{"an id and a name of one stem", []string{`[{"GroupId":"sg-1","GroupName":"web","OwnerName":"Ann"},{"GroupId":"sg-2","GroupName":"db","OwnerName":"Bob"}]`}, "web db"},
		{"the name of something else", []string{`[{"id":"a1","OwnerName":"Ann"},{"id":"a2","OwnerName":"Bob"}]`}, ""},
		{"no siblings", []string{`[{"id":"a1","name":"Home"}]`, `{"id":"a1","name":"Home"}`}, ""},
		{"no id", []string{`[{"name":"Home","type":"text"},{"name":"News","type":"text"}]`}, ""},
		{"an id of all is an id of none", []string{`[{"site_id":"s1","name":"Home"},{"site_id":"s1","name":"News"}]`}, ""},
		{"label of several", []string{`[{"id":"a1","name":"Home"},{"id":"a2","name":"home"},{"id":"a3","name":"News"}]`}, "News"},
		{"spread over the result", []string{"[" + strings.Join(many, ",") + "]"}, "Room 0 Room 7 Room 14 Room 21 Room 28 Room 35 Room 42 Room 49"},
		{"again three results later", []string{pair, `"x"`, `"x"`, `"x"`, `"x"`}, "Home News Home News"},
		{"unless it may be gone", []string{pair, `"x"`, `delete_page: "ok"`, `"x"`, `"x"`}, "Home News News"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			memory := &answering{}
			r := namedBy(t, Method{New: func() Memory { return memory }}, tc.results...)
			var labels []string
			for _, message := range memory.heard {
				labels = append(labels, strings.TrimSuffix(strings.TrimPrefix(message, "Open "), "."))
			}
			assert.Equal(t, tc.heard, strings.Join(labels, " "))
			assert.Equal(t, len(labels), r.Nameable)
			assert.Zero(t, r.Named)
		})
	}
}

// TestNamed: a line has to have the id and the whole label, or most of a long one.
func TestNamed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("very ", 20) + "long"
	for _, tc := range []struct {
		name, label, line string
		named             bool
	}{
		{"id and label", "J", `"J" (a1)`, true},
		{"beside facts and other ids", "Page J", `"draft: Page J, 2 days" (b7, a1) from list_pages`, true},
		{"escaped", `a \"b\"  <c>`, `"a \"b\" \u003cc>" (a1)`, true},
		{"no label", "J", `"" (a1)`, false},
		{"part of the label", "Opening hours", `"Opening…" (a1)`, false},
		{"beginning of a long label", long, `"` + long[:79] + `…" (a1)`, true},
		{"too little of it", long, `"` + long[:40] + `…" (a1)`, false},
		{"the label is an id too", "README.md", `"" (README.md)`, true},
		{"on the line of another", "J", `"J" (a3)`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			list := fmt.Sprintf(`[{"id":"a1","name":"%s","path":"%[1]s"},{"id":"a2","name":"other"}]`, tc.label)
			r := namedBy(t, Method{New: func() Memory { return &answering{block: "[WORKING MEMORY]\nthings:\n  - " + tc.line} }}, list)
			want := 0.0
			if tc.named {
				want = 0.5
			}
			assert.InDelta(t, want, r.Named, 0)
			assert.Equal(t, 2-int(2*want), r.MissKinds[MissNamed])
		})
	}
}

// TestNamingLeavesTheEpisodeAlone: what the user is made to name changes no other figure.
func TestNamingLeavesTheEpisodeAlone(t *testing.T) {
	t.Parallel()
	const list = `[{"id":"a1","name":"J"},{"id":"a2","name":"招聘"},{"id":"a3","name":"10"}]`
	m := WorkingMemory(Settings{Budget: 1000})
	silent := m
	silent.New = func() Memory { return struct{ Memory }{m.New()} } // without asked
	got, want := namedBy(t, m, list, list), namedBy(t, silent, list, list)
	assert.InDelta(t, 1, got.Named, 0)
	assert.Equal(t, 6, got.Nameable)
	got.Named, got.Nameable = 0, 0
	assert.Equal(t, want.Figures, got.Figures)
}
