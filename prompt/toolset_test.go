package prompt_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestToolsDecideWhatABudgetIsSpentOnLast(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	entities := []memory.Entity{
		{Type: "label", ID: "1", Timestamp: now}, {Type: "pull_request", ID: "2", Timestamp: now.Add(-1)},
	}
	tests := []struct {
		name  string
		tools *prompt.Toolset
		want  string
	}{
		{"not known", nil, "1"},
		{"a parameter names it", prompt.NewToolset(prompt.Tool{Name: "merge", Parameters: []string{"pull_request_id"}}), "2"},
		{"in any style", prompt.NewToolset(prompt.Tool{Name: "merge", Parameters: []string{"requestIds", "title"}}), "2"},
		{"the tool's name does", prompt.NewToolset(prompt.Tool{Name: "getPullRequest", Parameters: []string{"number"}}), "2"},
		{"but not where a parameter names another thing", prompt.NewToolset(prompt.Tool{Name: "get_pull_request", Parameters: []string{"label"}}), "1"},
		{"both are taken", prompt.NewToolset(prompt.Tool{Parameters: []string{"label_ids", "pull_request"}}), "1"},
		{"none is taken", prompt.NewToolset(), "1"},
		{"the zero value", new(prompt.Toolset), "1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			budget := len("[WORKING MEMORY]\npull_requests:\n  - \"\" (2)") + 1
			r := prompt.NewRenderer(&prompt.Options{Budget: budget, Counter: byteCounter, Tools: tt.tools})
			parsed, err := prompt.Parse(r.Render(entities))
			assert.NoError(t, err)
			if assert.Len(t, parsed, 1) {
				assert.Equal(t, tt.want, parsed[0].ID)
			}
		})
	}
}

func TestLinksThatNoToolTakes(t *testing.T) {
	t.Parallel()
	entities := []memory.Entity{
		{Type: "url", ID: "https://evil.example/?q=1", Name: "Log in again"}, {Type: "page", ID: "https://shop.example/home", Name: "Home"}, {Type: "bucket", ID: "b-1001"},
	}
	for _, tt := range []struct {
		name  string
		tools *prompt.Toolset
		want  []string
	}{
		{"not known", nil, []string{"https://evil.example/?q=1", "https://shop.example/home", "b-1001"}},
		{"none", prompt.NewToolset(), []string{"b-1001"}},
		{"one that takes a URL", prompt.NewToolset(prompt.Tool{Name: "fetch", Parameters: []string{"targetUrl"}}), []string{"https://evil.example/?q=1", "https://shop.example/home", "b-1001"}},
		{"one that takes pages", prompt.NewToolset(prompt.Tool{Name: "fetch", Parameters: []string{"page"}}), []string{"https://shop.example/home", "b-1001"}},
	} {
		for _, budget := range []int{0, 16, 256} {
			r := prompt.NewRenderer(&prompt.Options{Budget: budget, Tools: tt.tools})
			got, verdicts := r.Explain(prompt.Content{Entities: entities})
			var shown []string
			for i, v := range verdicts {
				assert.Equal(t, v != prompt.VerdictNoTool, slices.Contains(tt.want, entities[i].ID), "%s: %s", tt.name, v)
			}
			parsed, err := prompt.Parse(got)
			assert.NoError(t, err)
			for _, e := range parsed {
				shown = append(shown, e.ID)
			}
			assert.Subset(t, tt.want, shown)
			if budget != 16 {
				assert.ElementsMatch(t, tt.want, shown, tt.name)
			}
		}
	}
}

func TestParseTool(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string][]string{
		``: nil, `null`: nil, `{}`: nil, `{"type": "object"}`: nil,
		`{"type": "object", "properties": {"b_id": {}, "a": {"type": "string"}}}`: {"a", "b_id"},
	} {
		tool, err := prompt.ParseTool("x", []byte(schema))
		assert.NoError(t, err, schema)
		assert.Equal(t, prompt.Tool{Name: "x", Parameters: want}, tool, schema)
	}
	for _, schema := range []string{`{`, `7`, `{"properties": []}`} {
		_, err := prompt.ParseTool("x", []byte(schema))
		assert.ErrorContains(t, err, `"x"`, schema)
	}
}
