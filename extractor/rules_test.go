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

func TestBadRules(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]extractor.Rule{
		"no tool":       {Type: "lead"},
		"bad glob":      {Tool: "[", Type: "lead"},
		"nothing":       {Tool: "*"},
		"id, no type":   {Tool: "*", ID: "n"},
		"paths, no id":  {Tool: "*", Type: "lead", Name: "n"},
		"empty step":    {Tool: "*", Type: "lead", ID: "a..b"},
		"glob of words": {Command: "kiln [", Type: "lead", Form: "table", ID: "n"},
		"lines of tool": {Tool: "*", Type: "lead", Lines: []string{`(?P<id>\S+)`}},
		"form of tool":  {Tool: "*", Type: "lead", Form: "table", ID: "n"},
		"no group":      {Command: "kiln", Type: "lead", Lines: []string{`^(\S+)`}},
		"no *":          {Command: "kiln get", Type: "$1", Form: "table", ID: "n"},
		"of, no effect": {Command: "kiln", Type: "lead", Of: "first"},
		"wrong of":      {Command: "kiln", Type: "lead", Effect: "gone", Of: "second"},
		"nothing gone":  {Command: "kiln", Effect: "gone"},
		"type too long": {Tool: "*", Type: strings.Repeat("x", 200)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := extractor.New(&extractor.Options{Rules: []extractor.Rule{{Tool: "ok", Skip: true}, rule}})
			var bad *extractor.RuleError
			require.ErrorAs(t, err, &bad)
			assert.Equal(t, 1, bad.Index)
			assert.Equal(t, rule.Tool+rule.Command, bad.Tool)
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
