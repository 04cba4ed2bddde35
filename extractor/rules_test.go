package extractor_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
)

func TestRules(t *testing.T) {
	t.Parallel()
	const crm = `{"payload":{"rows":[{"ref":{"v":"L-1001"},"who":"Ann","city":"Oslo"},{"ref":{"v":"L-1002"},"who":"Ben","city":"Rome"},{"who":"no id"}]}}`
	for _, tc := range []struct {
		name, tool, result string
		rule               extractor.Rule
		want               []string
	}{
		{"paths", "crm_query", crm, extractor.Rule{Tool: "crm_*", Type: "lead", List: "payload.rows.*", ID: "ref.v", Name: "who", Description: "city"}, []string{"lead L-1001 Ann", "lead L-1002 Ben"}},
		{"list without star", "crm_query", crm, extractor.Rule{Tool: "crm_*", Type: "lead", List: "payload.rows", ID: "ref.v"}, []string{"lead L-1001 Unnamed lead"}},
		{"an array is entered", "crm_query", crm, extractor.Rule{Tool: "crm_*", Type: "lead", List: "payload", ID: "rows.ref.v"}, []string{"lead L-1001 Unnamed lead"}},
		{"top-level list", "crm_query", `[{"n":"L-1001"},{"n":"L-1002"}]`, extractor.Rule{Tool: "crm_*", Type: "lead", ID: "n"}, []string{"lead L-1001 Unnamed lead", "lead L-1002 Unnamed lead"}},
		{"values of a map", "crm_query", `{"a":{"n":"L-1001"},"b":{"n":"L-1002"}}`, extractor.Rule{Tool: "crm_*", Type: "lead", List: "*", ID: "n"}, []string{"lead L-1001 Unnamed lead", "lead L-1002 Unnamed lead"}},
		{"no secret for a name", "crm_query", `{"n":"L-1001","who":"ghp_0123456789abcdefghij"}`, extractor.Rule{Tool: "crm_*", Type: "lead", ID: "n", Name: "who"}, []string{"lead L-1001 Unnamed lead"}},
		{"other tool", "cms_getPage", `{"id":"p-1001","name":"Home"}`, extractor.Rule{Tool: "crm_*", Type: "lead", ID: "n"}, []string{"page p-1001 Home"}},
		{"type only", "crm_query", `{"id":"p-1001","name":"Home"}`, extractor.Rule{Tool: "crm_*", Type: "lead"}, []string{"lead p-1001 Home"}},
		{"skip", "crm_query", `{"id":"p-1001","name":"Home"}`, extractor.Rule{Tool: "crm_*", Skip: true}, []string{}},
		{"inside MCP text", "crm_query", `{"content":[{"type":"text","text":"{\"rows\":[{\"n\":\"L-1001\"}]}"}]}`, extractor.Rule{Tool: "crm_*", Type: "lead", List: "content.*.text.rows.*", ID: "n"}, []string{"lead L-1001 Unnamed lead"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			x, err := extractor.New(&extractor.Options{Rules: []extractor.Rule{tc.rule}})
			require.NoError(t, err)
			out, err := x.Extract(context.Background(), extractor.Input{Tool: tc.tool, Result: tc.result})
			require.NoError(t, err)
			assert.Equal(t, tc.want, lines(out.Entities), out.Reason)
		})
	}
}

func TestBadRules(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]extractor.Rule{
		"no tool":       {Type: "lead"},
		"bad glob":      {Tool: "[", Type: "lead"},
		"nothing":       {Tool: "*"},
		"id, no type":   {Tool: "*", ID: "n"},
		"paths, no id":  {Tool: "*", Type: "lead", Name: "n"},
		"empty step":    {Tool: "*", Type: "lead", ID: "a..b"},
		"type too long": {Tool: "*", Type: strings.Repeat("x", 200)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := extractor.New(&extractor.Options{Rules: []extractor.Rule{{Tool: "ok", Skip: true}, rule}})
			var bad *extractor.RuleError
			require.ErrorAs(t, err, &bad)
			assert.Equal(t, 1, bad.Index)
			assert.Equal(t, rule.Tool, bad.Tool)
			assert.NotNil(t, errors.Unwrap(bad))
		})
	}
}

func TestReadRules(t *testing.T) {
	t.Parallel()
	rules, err := extractor.ReadRules(strings.NewReader("rules:\n  - tool: crm_*\n    type: lead\n    list: rows.*\n    id: n\n  - {tool: ping, skip: true}\n"))
	require.NoError(t, err)
	assert.Equal(t, []extractor.Rule{{Tool: "crm_*", Type: "lead", List: "rows.*", ID: "n"}, {Tool: "ping", Skip: true}}, rules)

	rules, err = extractor.ReadRules(strings.NewReader(`{"rules":[{"tool":"ping","skip":true}]}`))
	require.NoError(t, err)
	assert.Len(t, rules, 1)

	rules, err = extractor.ReadRules(strings.NewReader(""))
	require.NoError(t, err)
	assert.Empty(t, rules)

	for name, text := range map[string]string{
		"unknown field": "rules:\n  - tool: x\n    typo: y\n", "no YAML": "rules: [", "other shape": "rules: 7",
		"too long": strings.Repeat("#", 1<<20+1), "bad rule": "rules:\n  - type: x\n",
	} {
		_, err := extractor.ReadRules(strings.NewReader(text))
		require.Error(t, err, name)
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	errMine := errors.New("mine")
	mine := extractor.Func(func(_ context.Context, in extractor.Input) (extractor.Extraction, error) {
		switch in.Tool {
		case "mine":
			return extractor.Extraction{Entities: []memory.Entity{{Type: "thing", ID: "t-1001"}}}, nil
		case "broken":
			return extractor.Extraction{}, errMine
		}
		return extractor.Extraction{}, nil
	})
	x := extractor.First(mine, extractor.Default(extractor.Limits{}))
	ask := func(tool string) (extractor.Extraction, error) {
		return x.Extract(context.Background(), extractor.Input{Tool: tool, Arguments: `{"page_id":"p-1000"}`, Result: `{"id":"p-1001","name":"Home"}`})
	}
	out, err := ask("mine")
	require.NoError(t, err)
	assert.Equal(t, []string{"thing t-1001 Unnamed thing"}, lines(out.Entities))
	assert.NotEmpty(t, out.Used, "what mine leaves open comes from ours")
	assert.Equal(t, extractor.ActionRead, out.Action)

	out, err = ask("get_page")
	require.NoError(t, err)
	assert.Equal(t, []string{"page p-1001 Home"}, lines(out.Entities))

	out, err = ask("broken")
	require.ErrorIs(t, err, errMine)
	assert.Len(t, out.Entities, 1)
}
