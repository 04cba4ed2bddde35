package evaluation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/internal/soak"
)

// why returns the events of an id in an episode.
func why(t *testing.T, s evaluation.Settings, id string, steps ...string) []string {
	t.Helper()
	var lines []string
	for ep, err := range evaluation.Episodes(strings.NewReader(`{"id":"e","steps":[` + strings.Join(steps, ",") + `]}`)) {
		require.NoError(t, err)
		events, err := evaluation.Why(context.Background(), ep, s, id)
		require.NoError(t, err)
		for _, e := range events {
			lines = append(lines, strings.Join(strings.Fields(fmt.Sprintln(e.Step, e.Tool, e.Type, e.What)), " "))
		}
	}
	return lines
}

func TestWhy(t *testing.T) {
	t.Parallel()
	ask := call("get_page", `{"page_id":"page-0001"}`, `"ok"`)
	for name, tc := range map[string]struct {
		settings evaluation.Settings
		steps    []string
		want     []string
	}{
		"unknown": {evaluation.Settings{}, []string{page("page-0002")}, nil},
		"written": {evaluation.Settings{}, []string{`{"kind":"user","text":"Open page-0001."}`, `{"kind":"user","text":"Not page-00012."}`, ask},
			[]string{"0 written by the user"}},
		"shown": {evaluation.Settings{}, []string{page("page-0001"), ask},
			[]string{"0 get_page page seen at $.page", "1 page shown", "1 get_page needed as page_id: the block shows it", "1 get_page page used"}},
		"evicted": {evaluation.Settings{Capacity: 1}, []string{page("page-0001"), page("page-0002"), ask},
			[]string{"0 get_page page seen at $.page", "1 page shown", "1 get_page page evicted by page page-0002",
				"2 get_page needed as page_id: the block does not show it"}},
		"hidden": {evaluation.Settings{PerType: 1}, []string{page("page-0001"), page("page-0002"), ask},
			[]string{"0 get_page page seen at $.page", "1 page shown", "2 page hidden: over the limit per type",
				"2 get_page needed as page_id: the block does not show it", "2 get_page page used"}},
		"removed": {evaluation.Settings{}, []string{page("page-0001"), call("delete_page", `{"id":"page-0001"}`, `{"success":true}`)},
			[]string{"0 get_page page seen at $.page", "1 page shown", "1 delete_page needed as id: the block shows it", "1 delete_page page removed"}},
		"overlooked": {evaluation.Settings{}, []string{call("find", `{}`, `{"a":{"b":"page-0001"}}`), ask},
			[]string{"0 find in the result, but not taken as an entity", "1 get_page needed as page_id: the block does not show it"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, why(t, tc.settings, "page-0001", tc.steps...))
		})
	}
}

// TestWhyAgreesWithTheMisses: the events of each missed reference give the reason that
// the evaluation found independently.
func TestWhyAgreesWithTheMisses(t *testing.T) {
	t.Parallel()
	for _, s := range []evaluation.Settings{{}, {Capacity: 3}, {Capacity: 40, PerType: 1}, {Budget: 24}, {Budget: 96}} {
		for _, name := range []string{"small", "servers", "mixed"} {
			t.Run(name+", "+s.String(), func(t *testing.T) {
				t.Parallel()
				e := evaluation.Comparison{Methods: []evaluation.Method{evaluation.WorkingMemory(s)}, Counter: counter, Misses: 10_000}
				reports, err := e.Run(context.Background(), evaluation.Episodes(open(t, name+".traces.jsonl")))
				require.NoError(t, err)
				episodes := map[string]*evaluation.Episode{}
				for ep, err := range evaluation.Episodes(open(t, name+".traces.jsonl")) {
					require.NoError(t, err)
					episodes[ep.ID.Text] = ep
				}
				for i, miss := range reports[0].Misses {
					if i%soak.Times(5, 1) != 0 || strings.Contains(miss.Value, "(") {
						continue // a value with "(" is shown escaped, which the score does not know
					}
					events, err := evaluation.Why(context.Background(), episodes[miss.Episode], s, miss.Value)
					require.NoError(t, err)
					checkMiss(t, &miss, events)
				}
			})
		}
	}
}

func checkMiss(t *testing.T, miss *evaluation.Miss, events []evaluation.Event) {
	t.Helper()
	last, needed := evaluation.EventOverlooked, false
	prefix := "needed: "
	if miss.Key != "" {
		prefix = "needed as " + miss.Key + ": "
	}
	for _, e := range events {
		if e.Kind == evaluation.EventNeeded && e.Step == miss.Step && strings.HasPrefix(e.What, prefix) {
			needed = true
			found := miss.Kind == evaluation.MissLabel || miss.Kind == evaluation.MissDescription || miss.Kind == evaluation.MissDistinct
			assert.Equal(t, found, strings.Contains(e.What, "the block shows it"), "%+v: %s", miss, e.What)
			break
		}
		switch e.Kind {
		case evaluation.EventNeeded, evaluation.EventOverlooked, "used", "repeated", "merged":
		default:
			last = e.Kind
		}
	}
	assert.True(t, needed, "%+v", miss)
	want, known := map[evaluation.MissKind]evaluation.EventKind{
		evaluation.MissEvicted: "evicted", evaluation.MissRemoved: "removed", evaluation.MissBudget: "hidden",
		evaluation.MissPerType: "hidden", evaluation.MissNeverExtracted: evaluation.EventOverlooked,
		evaluation.MissLabel: "shown", evaluation.MissDescription: "shown", evaluation.MissDistinct: "shown",
	}[miss.Kind]
	assert.True(t, known, "%+v", miss)
	assert.Equal(t, want, last, "%+v", miss)
}
