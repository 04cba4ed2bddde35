package evaluation_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
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
				`2 get_page needed as page_id: the block shows it, but label "Page page-0001" does not distinguish it from page-0002`,
				"2 get_page page promoted", "2 get_page page used"}},
		"hidden": {evaluation.Settings{PerType: 1}, []string{call("browse", `{}`, `{"page":{"id":"page-0001"}}`), page("page-0002"), ask},
			[]string{"0 browse page seen at $.page", "1 page shown", "2 page hidden: over the limit of lines or per type",
				"2 get_page needed as page_id: the block does not show it", "2 get_page page used"}},
		"removed": {evaluation.Settings{}, []string{page("page-0001"), call("delete_page", `{"id":"page-0001"}`, `{"success":true}`)},
			[]string{"0 get_page page seen at $.page", "1 page shown", "1 delete_page needed as id: the block shows it", "1 delete_page page removed"}},
		"overlooked": {evaluation.Settings{}, []string{call("find", `{}`, `{"password":"page-0001"}`), ask},
			[]string{"0 find in the result, but not taken as an entity", "1 get_page needed as page_id: the block does not show it"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, why(t, tc.settings, "page-0001", tc.steps...))
		})
	}
}

func TestWhyMarksCandidates(t *testing.T) {
	t.Parallel()
	steps := []string{call("find", `{}`, `{"a":{"b":"page-0001"}}`), call("get_page", `{"page_id":"page-0001"}`, `{"id":"page-0001","title":"Home"}`)}
	for ep, err := range evaluation.Episodes(strings.NewReader(`{"id":"e","steps":[` + strings.Join(steps, ",") + `]}`)) {
		require.NoError(t, err)
		events, err := evaluation.Why(context.Background(), ep, evaluation.Settings{Budget: 40, Counter: counter}, "page-0001")
		require.NoError(t, err)
		require.NotEmpty(t, events)
		assert.True(t, events[0].Candidate, "no record yet")
		assert.False(t, events[len(events)-1].Candidate, "a record since step 1")
	}
}
