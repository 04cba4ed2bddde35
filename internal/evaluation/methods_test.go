package evaluation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// call returns a tool step.
func call(tool, args, result string) string {
	return fmt.Sprintf(`{"kind":"tool","name":%q,"args":%s,"result":%s}`, tool, args, result)
}

func page(id string) string {
	return call("get_page", `{"slug":"x"}`, fmt.Sprintf(`{"page":{"id":%q,"title":"Page %s"}}`, id, id))
}

// evaluate runs a method on an episode of some steps.
func evaluate(t *testing.T, m evaluation.Method, steps ...string) evaluation.Report {
	t.Helper()
	e := evaluation.Comparison{Methods: []evaluation.Method{m}, Counter: counter, Misses: 10, Prefix: true}
	traces := fmt.Sprintf(`{"id":"e","steps":[%s]}`, strings.Join(steps, ","))
	reports, err := e.Run(context.Background(), evaluation.Episodes(strings.NewReader(traces)))
	require.NoError(t, err)
	return reports[0]
}

func TestMissesSayWhy(t *testing.T) {
	t.Parallel()
	use := call("publish", `{"page_id":"page-0001"}`, `"ok"`)
	pages := `[{"id":"page-0009","title":"Nine"},{"id":"page-0001","title":"One"}]`
	var many []string // one more than fit as an entity and candidates
	for i := range 1 + memory.DefaultCandidates + 1 {
		many = append(many, page(fmt.Sprintf("page-%04d", i+1)))
	}
	for _, tc := range []struct {
		name     string
		settings evaluation.Settings
		steps    []string
		kind     evaluation.MissKind
		detail   string
		reason   string
	}{
		{"evicted", evaluation.Settings{Capacity: 1}, append(many, use), evaluation.MissEvicted, "", "evicted by page page-0514 at step 513"},
		{"removed", evaluation.Settings{}, []string{page("page-0001"), call("delete_page", `{"page_id":"page-0001"}`, `{"success":true}`), use},
			evaluation.MissRemoved, "", "removed by a delete at step 1"},
		{"per type", evaluation.Settings{PerType: 1}, []string{call("list_pages", `{}`, pages), use},
			evaluation.MissNoRoom, "", "record 2 of 2"},
		{"budget", evaluation.Settings{Budget: 22, Counter: counter}, []string{call("list_pages", `{}`, pages), use},
			evaluation.MissNoRoom, "", "record 2 of 2"},
		{"never extracted", evaluation.Settings{}, []string{call("read_log", `{}`, `{"password":"page-0001"}`), use},
			evaluation.MissNeverExtracted, `field under "password", shape a-9`, `never extracted; first in a result as field under "password"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := evaluate(t, evaluation.WorkingMemory(tc.settings), tc.steps...)
			require.NotEmpty(t, r.Misses)
			require.Len(t, r.Misses[0].Examples, 1)
			miss := r.Misses[0].Examples[0]
			assert.Equal(t, tc.kind, r.Misses[0].Kind)
			assert.Equal(t, tc.detail, r.Misses[0].Detail)
			assert.Equal(t, tc.reason, miss.Reason)
			assert.Equal(t, []any{"e", len(tc.steps) - 1, "publish", "page_id", "page-0001"}, []any{miss.Episode, miss.Step, miss.Tool, miss.Key, miss.Value})
			assert.Equal(t, 1, r.MissKinds[tc.kind])
		})
	}
}

// fixed returns a method that always shows the same block.
func fixed(block string) evaluation.Method {
	return evaluation.Method{Name: "fixed", New: func() evaluation.Memory { return fixedMemory(block) }}
}

type fixedMemory string

func (m fixedMemory) Block() string                                       { return string(m) }
func (m fixedMemory) Record(context.Context, int, *evaluation.Step) error { return nil }

// TestHeadersMayFitTheSource: the header of a ticket may be tickets, even if the
// argument has another name.
func TestHeadersMayFitTheSource(t *testing.T) {
	t.Parallel()
	r := evaluate(t, evaluation.WorkingMemory(evaluation.Settings{}),
		call("get_ticket", `{}`, `{"ticket":{"id":"tick-0001","title":"Printer"}}`), call("assign", `{"person":"tick-0001"}`, `"ok"`))
	assert.Empty(t, r.Misses)
	assert.Equal(t, 1, r.References)
}

func TestMissesOfLabels(t *testing.T) {
	t.Parallel()
	steps := []string{page("page-0001"), call("publish", `{"page_id":"page-0001"}`, `"ok"`)}
	r := evaluate(t, fixed("orders:\n  - \"Page page-0001\" (page-0001)"), steps...)
	require.Len(t, r.Misses, 1)
	assert.Equal(t, evaluation.MissType, r.Misses[0].Kind)
	assert.Equal(t, `order for argument "page_id"`, r.Misses[0].Detail)
	assert.Equal(t, "header order does not fit: none of page", r.Misses[0].Examples[0].Reason)

	r = evaluate(t, fixed("pages:\n  - \"Unnamed\" (page-0001)"), page("page-0001"), call("publish", `{"page_id":"page-0001"}`, `"ok"`))
	require.Len(t, r.Misses, 1)
	assert.Equal(t, evaluation.MissSilent, r.Misses[0].Kind)
	assert.InDelta(t, 1.0, r.Typed, 0)

	r = evaluate(t, fixed("pages:\n  - \"Home\" (page-0001)\n  - \"Home\" (page-0002)"),
		call("list_pages", `{}`, `[{"id":"page-0001","title":"Home","language":"en"},{"id":"page-0002","title":"Home","language":"fr"}]`), steps[1])
	require.Len(t, r.Misses, 1)
	assert.Equal(t, evaluation.MissTwin, r.Misses[0].Kind)
	assert.Equal(t, `label "Home" does not distinguish it from page-0002`, r.Misses[0].Examples[0].Reason)
	assert.InDelta(t, 1.0, r.Described, 0)
	assert.Equal(t, 1, r.AmongSeveral)
	assert.Zero(t, r.Distinct)

	r = evaluate(t, fixed(""), steps...)
	assert.Equal(t, evaluation.MissAbsent, r.Misses[0].Kind)
}

// TestMissesAreGroupedByCause: each cause has its count and no more examples than asked for.
func TestMissesAreGroupedByCause(t *testing.T) {
	t.Parallel()
	results := []struct{ result, id, detail string }{
		{`{"password":"page-0001"}`, "page-0001", `field under "password", shape a-9`},
		{`{"password":"page-0002"}`, "page-0002", `field under "password", shape a-9`},
		{`{"password":["b/1234"]}`, "b/1234", `list item under "password", shape path`},
		{`"{\"note\":\"{\\\"pin\\\":12345}\"}"`, "12345", `field under "pin" inside a string, shape number`},
		{`"page-0003"`, "page-0003", "text, shape a-9"},
		{`{"pages":{"550e8400-e29b-41d4-a716-446655440000":{}}}`, "550e8400-e29b-41d4-a716-446655440000", "map key, shape UUID"},
		{`["page-3f0b"]`, "page-3f0b", "list item, shape a-x"},
	}
	var steps []string
	for _, r := range results {
		steps = append(steps, call("read", `{}`, r.result))
	}
	for _, r := range results {
		steps = append(steps, call("use", fmt.Sprintf(`{"x":%q}`, r.id), `"ok"`))
	}
	e := evaluation.Comparison{Methods: []evaluation.Method{fixed("")}, Counter: counter, Misses: 1}
	reports, err := e.Run(context.Background(), evaluation.Episodes(strings.NewReader(`{"id":1,"steps":[`+strings.Join(steps, ",")+`]}`)))
	require.NoError(t, err)
	counts := map[string]int{}
	for _, cause := range reports[0].Misses {
		assert.Equal(t, evaluation.MissAbsent, cause.Kind)
		assert.Len(t, cause.Examples, 1)
		counts[cause.Detail] = cause.Count
	}
	want := map[string]int{}
	for _, r := range results {
		want[r.detail]++
	}
	assert.Equal(t, want, counts)
	assert.Equal(t, `field under "password", shape a-9`, reports[0].Misses[0].Detail, "the most frequent first")
}

func TestBlocksMayShowSeveralIDsOfAnEntity(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"ED-1001", "10002"} {
		r := evaluate(t, fixed("issues:\n  - \"Login broken\" (ED-1001, 10002)\n  - \"Logout broken\" (ED-1002)"),
			call("list_issues", `{}`, `[{"id":10002,"key":"ED-1001","title":"Login broken"},{"id":10003,"key":"ED-1002","title":"Logout broken"}]`),
			call("close", fmt.Sprintf(`{"issue":%q}`, id), `"ok"`))
		assert.Empty(t, r.Misses)
		assert.InDelta(t, 1.0, r.Typed, 0)
		assert.Equal(t, 1, r.AmongSeveral)
		assert.InDelta(t, 1.0, r.Distinct, 0)
	}
}

// TestFewReferences: shares of few references are null as JSON.
func TestFewReferences(t *testing.T) {
	t.Parallel()
	for describable, want := range map[int]string{29: `"described":null`, 30: `"described":0.5`} {
		encoded, err := json.Marshal(evaluation.Report{Method: "m", Figures: evaluation.Figures{Coverage: 0.25, Described: 0.5, Describable: describable}})
		require.NoError(t, err)
		assert.Contains(t, string(encoded), want)
		assert.Contains(t, string(encoded), `"distinct":null`)
		assert.Contains(t, string(encoded), `"coverage":0.25`)
	}
}

// TestFloorOfReports: a method with a budget has the floor of that budget.
func TestFloorOfReports(t *testing.T) {
	t.Parallel()
	e := evaluation.Comparison{Counter: counter, Methods: []evaluation.Method{
		evaluation.WorkingMemory(evaluation.Settings{}), evaluation.WorkingMemory(evaluation.Settings{Budget: 40, Counter: counter}),
		evaluation.WorkingMemory(evaluation.Settings{Budget: 50, Counter: counter}), evaluation.Floor(40, counter),
	}}
	reports, err := e.Run(context.Background(), evaluation.Episodes(open(t, "small.traces.jsonl")))
	require.NoError(t, err)
	require.NotNil(t, reports[1].Floor)
	assert.InDelta(t, reports[3].Coverage, *reports[1].Floor, 0)
	for _, i := range []int{0, 2, 3} {
		assert.Nil(t, reports[i].Floor)
	}
}

// TestParts: each episode is in one part, whatever else the traces hold.
func TestParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var traces strings.Builder
		n := rapid.IntRange(0, 40).Draw(t, "episodes")
		for i := range n {
			fmt.Fprintf(&traces, `{"id":"e-%d","steps":[]}`+"\n", i)
		}
		of := rapid.IntRange(1, 5).Draw(t, "parts")
		seen := map[string]int{}
		for i := range of {
			part, err := evaluation.ParsePart(fmt.Sprintf("%d/%d", i+1, of))
			require.NoError(t, err)
			for ep, err := range part.Episodes(evaluation.Episodes(strings.NewReader(traces.String()))) {
				require.NoError(t, err)
				seen[ep.ID.Text]++
			}
		}
		assert.Len(t, seen, n)
		for id, times := range seen {
			assert.Equal(t, 1, times, id)
		}
	})
	for _, bad := range []string{"", "1", "0/3", "4/3", "-1/3", "a/b", "1/0", "1/3/3"} {
		_, err := evaluation.ParsePart(bad)
		require.ErrorIs(t, err, evaluation.ErrPart, bad)
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	items := make([]string, 7)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id":"entry-%d","name":"Entry %d"}`, i+1, i+1)
	}
	list := "[" + strings.Join(items, ",") + "]"
	for _, tc := range []struct{ name, tool, result, want string }{
		{"single", "cms_getPage", `{"id":"p-1","title":"Home"}`, "pages:\n  - \"Home\" (p-1)"},
		{"no name", "cms_getPage", `{"id":"p-1"}`, ""},
		{"wrapped", "cms_getPage", `{"page":{"id":"p-1","title":"Home"}}`, ""},
		{"explicit type", "get", `{"id":"p-1","title":"Home","type":"Media"}`, "medias:\n  - \"Home\" (p-1)"},
		{"sections", "cms_getPageSections", `{"id":"s-1","name":"x","sectionKey":"hero"}`, "sections:\n  - \"hero\" (s-1)"},
		{"list, reversed and cut", "cms_listEntries", list, "entrys:\n  - \"Entry 5\" (entry-5)\n  - \"Entry 4\" (entry-4)\n  - \"Entry 3\" (entry-3)"},
		{"matches", "cms_findResource", `{"matches":[{"id":"a","type":"page"},{"id":"b","name":"B"},{"id":"c"},{"id":"d"}]}`,
			"resources:\n  - \"Unnamed resource\" (c)\n  - \"B\" (b)\npages:\n  - \"Unnamed page\" (a)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.want != "" {
				tc.want = "[WORKING MEMORY]\n" + tc.want
			}
			assert.Equal(t, tc.want, blockAfter(t, evaluation.Seed(), call(tc.tool, `{}`, tc.result)))
		})
	}
}

// blockAfter returns the block of a method after some steps.
func blockAfter(t *testing.T, m evaluation.Method, steps ...string) string {
	t.Helper()
	traces := fmt.Sprintf(`{"id":1,"steps":[%s]}`, strings.Join(append(steps, call("end", `{}`, `null`)), ","))
	for ep, err := range evaluation.Episodes(strings.NewReader(traces)) {
		require.NoError(t, err)
		blocks, err := evaluation.Replay(context.Background(), m, ep)
		require.NoError(t, err)
		return blocks[len(blocks)-1].Text
	}
	return ""
}

func TestFloor(t *testing.T) {
	t.Parallel()
	steps := []string{
		call("get_order_details", `{"order_id":"#W100001"}`, `{"order":{"id":"#W100001","name":"Big \"one\""},"users":["u_77","u_78"],"u_79":{"note":"2024-05-20"}}`),
		call("whoami", `{"user":"u_77"}`, `"logged in as ada_1815, not as u_78"`),
	}
	want := "[WORKING MEMORY]\nids:"
	for _, id := range []string{"ada_1815", "u_78", "u_77", "#W100001", "u_79"} {
		want += "\n  - \"\" (" + id + ")"
	}
	assert.Equal(t, want, blockAfter(t, evaluation.Floor(100, counter), steps...), "newest first, each once")
	assert.Equal(t, "[WORKING MEMORY]\nids:\n  - \"\" (ada_1815)", blockAfter(t, evaluation.Floor(25, counter), steps...))
	assert.Empty(t, blockAfter(t, evaluation.Floor(1, counter), steps...))
}

func TestLastCallsCoverage(t *testing.T) {
	t.Parallel()
	steps := []string{
		page("page-0001"), page("page-00012"),
		call("publish", `{"page_id":"page-0001"}`, `"ok"`),
	}
	assert.Zero(t, evaluate(t, evaluation.LastCalls(1), steps...).Coverage, "part of a longer identifier is no mention")
	r := evaluate(t, evaluation.LastCalls(2), steps...)
	assert.InDelta(t, 1.0, r.Coverage, 0)
	assert.True(t, r.Text)
	assert.Nil(t, r.Prefix)
	assert.Equal(t, "whole history", evaluation.LastCalls(0).Name)
}

// TestPrefixTokens: the messages since the last call are uncached, and at the tail
// also the block.
func TestPrefixTokens(t *testing.T) {
	t.Parallel()
	const form = 4 // tokens beside a message's content
	block := "[WORKING MEMORY]\npages:\n  - \"Home\" (page-0001)"
	asked, done, thanks := "Publish the home page.", "I have published it.", "Thank you."
	reuse := evaluate(t, fixed(block), `{"kind":"user","text":"`+asked+`"}`, `{"kind":"assistant","text":"`+done+`"}`,
		`{"kind":"user","text":"`+thanks+`"}`, `{"kind":"assistant","text":"You are welcome."}`).Prefix
	uncached := map[string]float64{}
	for _, p := range reuse {
		require.Equal(t, 1, p.Calls)
		uncached[p.Placement] = p.UncachedTokens
		assert.InDelta(t, p.Share/reuse[0].Share, p.Kept, 0.001, "the first placement is none")
		assert.InDelta(t, p.PromptTokens, p.Cost(1), 1e-9)
		assert.InDelta(t, p.UncachedTokens, p.Cost(0), 1e-9)
		assert.InDelta(t, (p.PromptTokens+p.UncachedTokens)/2, p.Cost(0.5), 1e-9)
	}
	tokens := func(texts ...string) (n float64) {
		for _, text := range texts {
			n += float64(form + counter.CountTokens(text))
		}
		return n
	}
	assert.InDelta(t, tokens(done, thanks), uncached["none"], 0)
	assert.InDelta(t, tokens(done, thanks), uncached["system"], 0, "a block that stays as it is costs nothing")
	assert.InDelta(t, tokens(asked, done, prompt.WithGuidance(block), thanks), uncached["tail"], 0, "it stood before the question")
}
