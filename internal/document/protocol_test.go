package document_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// decoders are all decoders of text by name.
var decoders = map[string]func([]byte, document.Visitor, document.Limits) document.Result{
	"ReadText": document.ReadText,
	"JSON":     document.JSON,
	"NDJSON":   document.NDJSON,
	"YAML":     document.YAML,
	"KeyValue": document.KeyValue,
	"CSV":      document.ReadTable("CSV"),
	"Markdown": document.ReadTable("Markdown"),
	"Columns":  document.ReadTable("Columns"),
	"HTML":     document.ReadTable("HTML"),
	"Aligned":  document.ReadTable("Aligned"),
	"Python":   document.Python,
	"XML":      document.XML,
	"Text":     document.Text,
}

// check reads a text with a visitor that takes everything and with one that decides
// by salt, with default and with narrow limits. The events must follow the protocol.
func check(t require.TestingT, decoder, text string, salt uint64) {
	read := decoders[decoder]
	for _, lim := range []document.Limits{{}, {Depth: 2, Bytes: 200, Scalar: 8, Nested: -1}} {
		all := tree{limit: lim.Depth}
		result := read([]byte(text), &all, lim)
		require.Empty(t, all.problems(), "%s of %q: %s", decoder, text, all.sequence.String())
		checkError(t, result.Err, text)

		some := tree{limit: lim.Depth, decide: decide(salt)}
		result = read([]byte(text), &some, lim)
		require.Empty(t, some.problems(), "%s of %q with %d: %s", decoder, text, salt, some.sequence.String())
		checkError(t, result.Err, text)
	}
}

// decide returns Take half of the time, Skip a third and Stop a sixth.
func decide(salt uint64) func(int) document.Decision {
	state := salt
	return func(int) document.Decision {
		state = state*6364136223846793005 + 1442695040888963407
		switch state >> 33 % 6 {
		case 0, 1:
			return document.Skip
		case 2:
			return document.Stop
		default:
			return document.Take
		}
	}
}

// checkError accepts the documented errors only.
func checkError(t require.TestingT, err error, text string) {
	if err == nil {
		return
	}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		for _, err := range joined.Unwrap() {
			checkError(t, err, text)
		}
		return
	}
	for _, known := range []error{document.ErrTruncated, document.ErrDepth, document.ErrScalar, document.ErrValues} {
		if errors.Is(err, known) {
			return
		}
	}
	var syntax *document.SyntaxError
	require.ErrorAs(t, err, &syntax)
	require.GreaterOrEqual(t, syntax.Offset, int64(0))
}

func TestDecodersKeepTheProtocol(t *testing.T) {
	t.Parallel()
	for name := range decoders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				text := rapid.SampledFrom(formats()).Draw(t, "text").Text
				from := rapid.IntRange(0, len(text)).Draw(t, "from")
				to := rapid.IntRange(from, len(text)).Draw(t, "to")
				other := rapid.SampledFrom(formats()).Draw(t, "other").Text
				insert := rapid.StringOf(rapid.RuneFrom([]rune("{}[]()'\",:\n -|#=<>a1\\&*`"))).Draw(t, "insert")
				salt := rapid.Uint64().Draw(t, "salt")
				check(t, name, text, salt)
				check(t, name, text[from:to], salt)
				check(t, name, text[:from]+insert+text[to:], salt)
				check(t, name, text[:from]+other+text[from:], salt)
			})
		})
	}
}

func TestTruncatedEverywhere(t *testing.T) {
	t.Parallel()
	for _, test := range formats() {
		for end := range test.Text {
			check(t, "ReadText", test.Text[:end], uint64(end))
		}
	}
}

// TestTruncatedDeliversWhatIsWhole: complete values before a cut are delivered, others
// are not.
func TestTruncatedDeliversWhatIsWhole(t *testing.T) {
	t.Parallel()
	tests := []struct {
		decoder, text string
		want          any
	}{
		{"JSON", `{"a": 1, "b": {"c": "x", "d`, object{"a": num("1"), "b": object{"c": "x"}}},
		{"JSON", `{"a": 1, "b": 123`, object{"a": num("1")}},
		{"JSON", `[tru`, array{}},
		{"NDJSON", "{\"a\":1}\n{\"a\":2", array{object{"a": num("1")}, object{}}},
		{"Python", `{'a': 1, 'b': 'x`, object{"a": num("1")}},
		{"XML", `<a><b>1</b><c>2`, object{"a": object{"b": "1"}}},
	}
	for _, test := range tests {
		var got tree
		result := decoders[test.decoder]([]byte(test.text), &got, document.Limits{})
		require.ErrorIs(t, result.Err, document.ErrTruncated, test.text)
		assert.Equal(t, test.want, got.root, test.text)
		assert.Empty(t, got.problems())
	}
}

// TestTruncatedPython: a literal that ends anywhere is not one with a syntax error.
func TestTruncatedPython(t *testing.T) {
	t.Parallel()
	text := `{'a': 1, "b": [Order(id=2, at=date(2024, 1), by=UUID('x')), 'x' 'y'], 'c': ('d', None), e: {'f', -1.5}}`
	for end := range text {
		result := document.Python([]byte(text[:end]), &tree{}, document.Limits{})
		require.ErrorIs(t, result.Err, document.ErrTruncated, text[:end])
		require.NotErrorIs(t, result.Err, &document.SyntaxError{}, text[:end])
	}
	require.NoError(t, document.Python([]byte(text), &tree{}, document.Limits{}).Err)
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		decoder, text string
		offset        int64
		want          any
	}{
		{"JSON", `{"a": 1, "b": x}`, 14, object{"a": num("1")}},
		{"JSON", `{"a": 1} tail`, 8, object{"a": num("1")}},
		{"Python", `['a' 'b', 5 6]`, 12, array{"ab", num("5")}},
		{"YAML", "a: 1\nb: [\n", 5, nil},
	}
	for _, test := range tests {
		var got tree
		result := decoders[test.decoder]([]byte(test.text), &got, document.Limits{})
		var syntax *document.SyntaxError
		require.ErrorAs(t, result.Err, &syntax, test.text)
		assert.Equal(t, test.offset, syntax.Offset, test.text)
		assert.Equal(t, test.want, got.root, test.text)
		assert.NotContains(t, result.Err.Error(), "tail")
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const T, K, S = document.Take, document.Skip, document.Stop
	text := `{"a": 1, "b": {"c": [1, 2, 3], "d": 4}, "e": 5}`
	tests := []struct {
		decisions []document.Decision
		want      string
	}{
		{[]document.Decision{K, K, T}, `{ "a": "b": "e": 5 end `},
		{[]document.Decision{S}, `{ "a": end `},
		{[]document.Decision{T, T, T, K, S, T, K}, `{ "a": 1 "b": { "c": [ - - end "d": 4 end "e": end `},
		{[]document.Decision{T, T, S, T}, `{ "a": 1 "b": { "c": end "e": 5 end `},
	}
	python := strings.ReplaceAll(text, `"`, `'`)
	yaml := "a: 1\nb:\n  c: [1, 2, 3]\n  d: 4\ne: 5\n"
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	for _, test := range tests {
		decide := func(n int) document.Decision { return test.decisions[n] }
		for _, text := range []string{text, python, yaml} {
			got := tree{decide: decide}
			result := document.ReadText([]byte(text), &got, document.Limits{})
			require.NoError(t, result.Err)
			assert.Equal(t, test.want, got.sequence.String(), text)
		}
		got := tree{decide: decide}
		result := document.Read(value, &got, document.Limits{})
		require.NoError(t, result.Err)
		assert.Equal(t, test.want, got.sequence.String())
	}
}
