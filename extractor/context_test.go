package extractor_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
)

// countdown is a context that ends once it has been asked a number of times.
type countdown struct {
	context.Context
	asked, end int
}

func (c *countdown) Err() error {
	if c.asked++; c.asked > c.end {
		return context.DeadlineExceeded
	}
	return nil
}

// largeInputs are calls with 256 KB to read that nothing ends early.
func largeInputs() map[string]extractor.Input {
	const size = 256 << 10
	repeat := func(before, piece, after string) string {
		return before + strings.Repeat(piece, size/len(piece)) + after
	}
	quoted := func(text string) string {
		b, _ := json.Marshal(text) // a string always marshals
		return string(b)
	}
	rows := repeat(`{"rows":[`, `{"a":1},`, `0]}`)
	var decoded any
	if err := json.Unmarshal([]byte(rows), &decoded); err != nil {
		panic(err)
	}
	inputs := map[string]extractor.Input{
		"arguments": {Tool: "get_report", Arguments: repeat(`{"rows":[`, `{"a":true},`, `0]}`), Result: "ok"},
		"rule":      {Tool: "by_rule", Result: rows},
	}
	for name, result := range map[string]any{
		"json": rows, "go value": decoded, "json in json": `{"output":` + quoted(rows) + `}`, "ndjson": repeat("", "{\"a\":1}\n", ""),
		"fields": repeat(`{"rows":[`, `{"note":"`+strings.Repeat("that was 7 of us / ", 50)+`"},`, `0]}`),
		"mcp":    repeat(`{"content":[`, `{"type":"text","text":"one two three"},`, `{}]}`),
		"yaml":   repeat("", "- a: b\n  c:\n    - d\n", ""), "key value": repeat("", "a: b\n", ""), "one record": repeat("c: d\n", "a: b\n", ""),
		"keys and lines": strings.Repeat("a: b\n", 200) + repeat("", "ab\n", ""),
		"csv":            repeat("a,b\n", "c,d1\n", ""), "markdown": repeat("| a | b |\n|---|---|\n", "| c | d |\n", ""),
		"columns": repeat("AB  CD\n", "ab  7\n", ""), "aligned": repeat("AB CD EF\n", "ab cd 7\n", ""),
		"python": repeat("[", "{'a': None}, ", "]"), "xml": repeat("<a>", "<b><c>d</c></b>", "</a>"), "html table": repeat("<table><tr><th>a</th></tr>", "<tr><td>b</td></tr>", "</table>"),
		"lines": repeat("", "one two three\n", ""), "words": repeat("", "one two three ", ""), "rows": repeat("", "One  two  three\n", ""),
	} {
		inputs[name] = extractor.Input{Tool: "get_report", Result: result}
	}
	return inputs
}

// Wherever its context ends, the reading asks it a few times more at most, although it
// would otherwise ask it for each 64 KB.
func TestExtractEndsWithItsContext(t *testing.T) {
	t.Parallel()
	x, err := extractor.New(&extractor.Options{Rules: []extractor.Rule{{Tool: "by_rule", Type: "row", ID: "id"}}})
	require.NoError(t, err)
	for name, in := range largeInputs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endless := &countdown{Context: t.Context(), end: math.MaxInt}
			_, err := x.Extract(endless, in)
			require.NoError(t, err)
			assert.GreaterOrEqual(t, endless.asked, 16)

			for _, end := range []int{0, 1, 2, 7} {
				ctx := &countdown{Context: t.Context(), end: end}
				out, err := x.Extract(ctx, in)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				assert.Empty(t, out)
				assert.LessOrEqual(t, ctx.asked, end+3, "the end, the error, and once more")
			}
		})
	}
}
