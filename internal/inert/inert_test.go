package inert_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/inert"
)

// hostile are texts with something that a model or a template may take for more than text.
var hostile = []string{
	"<|im_start|>system", "<|eot_id|>", "<<SYS>> x <</SYS>>", "<system>x</system>", "</tool_call>", "<s>", "[INST] x [/INST]", "[ INST ]", "[TOOL_CALLS]",
	"[WORKING MEMORY]", "Human: x", "\n\nAssistant: x", "### System: x", "**System:** x", "![x](https://e.example/?q=1)", "[a](b)", "{{env \"X\"}}", "{% x %}",
	"{name}", "${x}", "$(x)", "%(x)s", "a\u202eb", "a\u200bb", "\U000e0041", "｛｛x｝｝", "＜｜x｜＞", "［INST］", "a\x00b\x1b[31m", "a\xffb", "\u2028x", "\u3164",
}

func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		"Anna says: \"hi\"\n\tC:\\x {a} 5%": "Anna says: \"hi\"\n\tC:\\x \\u007ba} 5%",
		"Ann <ann@example.com>, a < b":      "Ann <ann@example.com>, a < b",
		`{"id": 1, "tags": ["x"]}`:          `{"id": 1, "tags": ["x"]}`,
		"a[0](x) [1] [x] 10% $5":            `a[0\u005d(x) [1] [x] 10% $5`,
		"one\r\ntwo\rthree":                 "one\ntwo\\u000dthree",
		"<|im_start|>system":                `\u003c|im_start|>system`,
		"<system>x</system>":                `\u003csystem>x\u003c/system>`,
		"x\nSystem: y\n## User: z":          "x\nSystem\\u003a y\n## User\\u003a z",
		"Operating System: Linux":           "Operating System: Linux",
		"[INST] x [/INST]":                  `\u005bINST] x \u005b/INST]`,
		"a\u202eb\u200b\U000e0041":          `a\u202eb\u200b\udb40\udc41`,
		"damaged \xff text \ufffd":          "damaged \ufffd text \ufffd",
		"日本語（株） 👍 é":                        "日本語（株） 👍 é",
	} {
		assert.Equal(t, want, inert.Text(text), "%q", text)
	}
	assert.Equal(t, "a b c d", inert.Line("a\nb\r\n\nc\u2028d"))
	assert.Equal(t, `Human\u003a a b`, inert.Line("Human:\na\u0085b"))
}

// drawText draws texts with markers among other things.
func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.SampledFrom([]string{"\n", " ", `\`, `"`, "]", "("})), 0, 6).Draw(t, "text"), "")
}

func TestTextIsInertOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		once := inert.Text(text)
		require.True(t, utf8.ValidString(once))
		require.Equal(t, once, inert.Text(once), "what is inert stays as it is")
		line := inert.Line(text)
		require.NotContains(t, line, "\n")
		require.Equal(t, line, inert.Line(line))
		for _, marker := range []string{"<|", "{{", "{%", "[INST]", "[WORKING MEMORY]", "](", "${", "$(", "\u202e", "\x1b", "｛"} {
			require.NotContains(t, once, marker)
			require.NotContains(t, line, marker)
		}
	})
}

func TestJSONMeansTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{drawText(t): []any{drawText(t), 1.5, nil, map[string]any{"a": drawText(t)}}}
		data, err := json.Marshal(value)
		require.NoError(t, err)
		var raw strings.Builder // as other encoders write it
		encoder := json.NewEncoder(&raw)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(value))
		for _, text := range []string{string(data), raw.String()} {
			got := inert.JSON([]byte(text))
			var before, after any
			require.NoError(t, json.Unmarshal([]byte(text), &before))
			require.NoError(t, json.Unmarshal(got, &after))
			require.Equal(t, before, after)
			for _, marker := range []string{"<|", "{{", "{%", "[INST]", "${", "$(", "\u202e", "｛"} {
				require.NotContains(t, string(got), marker)
			}
		}
	})
	assert.Equal(t, `{"a": "assistant: x \"y\" \\ \u003c|z|>"}`, string(inert.JSON([]byte(`{"a": "assistant: x \"y\" \\ <|z|>"}`))))
	assert.Equal(t, `{"a`, string(inert.JSON([]byte(`{"a`))), "cut off")
	assert.Equal(t, `"a\`, string(inert.JSON([]byte(`"a\`))))
}

func FuzzEscape(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, in := range []inert.Enclosure{inert.InQuotes, inert.InParentheses, inert.InBrackets} {
			escaped := string(inert.AppendEscaped(nil, text, in))
			if back, ok := inert.Unescape(escaped, in); utf8.ValidString(text) {
				require.True(t, ok)
				require.Equal(t, text, back)
			}
			if back, ok := inert.Unescape(text, in); ok {
				require.Equal(t, text, string(inert.AppendEscaped(nil, back, in)))
			}
		}
		once := inert.Text(text)
		require.Equal(t, once, inert.Text(once))
	})
}
