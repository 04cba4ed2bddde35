package prompt_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/prompt"
)

func quoted(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

func TestRemoveEchoTakesBlocksOutOfJSON(t *testing.T) {
	t.Parallel()
	own := block(`pages:`, `  - "A" (1)`, `[NOTES]`, `  - fact: "a \"b\" c"`)
	for _, tt := range []struct{ name, text, want string }{
		{"text", "x\n\n" + own, "x"},
		{"no block", `{"a": "[WORKING MEMORY]", "b" : 1.50}`, `{"a": "[WORKING MEMORY]", "b" : 1.50}`},
		{"a string", quoted(t, own), `""`},
		{"in a value", `{"n": 10000000000000000001, "a" : ` + quoted(t, "x <y>\n\n"+own) + `, "z":"\u00e9\\"}`, `{"n": 10000000000000000001, "a" : "x \u003cy\u003e", "z":"\u00e9\\"}`},
		{"in a name", `{` + quoted(t, own) + `: 1}`, `{"": 1}`},
		{"JSON in JSON", `[` + quoted(t, `{"a": `+quoted(t, own+"\n\nz")+`}`) + `]`, `["{\"a\": \"z\"}"]`},
		{"no JSON", `{"a": ` + quoted(t, own), `{"a": ` + quoted(t, own)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, prompt.RemoveEcho(tt.text))
		})
	}
}

func FuzzRemoveEcho(f *testing.F) {
	own := block(`pages:`, `  - "A" (1)`)
	f.Add(own, "x")
	f.Add(quoted(f, own), "\"\\")
	f.Add(`{"a": `+quoted(f, quoted(f, own))+`}`, own)
	f.Fuzz(func(t *testing.T, text, value string) {
		once := prompt.RemoveEcho(text)
		require.LessOrEqual(t, len(prompt.RemoveEcho(once)), len(once)+len(text))
		if json.Valid([]byte(text)) && !strings.Contains(prompt.Remove(text), prompt.Title) {
			require.Equal(t, prompt.Remove(text), once)
		}
		if json.Valid([]byte(prompt.Remove(text))) {
			require.True(t, json.Valid([]byte(once)))
		}
		value = strings.ToValidUTF8(value, "?")
		var got []string
		require.NoError(t, json.Unmarshal([]byte(prompt.RemoveEcho(quoted(t, []string{value}))), &got))
		require.Equal(t, []string{prompt.RemoveEcho(value)}, got)
	})
}
