package pydata_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/evaluation/pydata"
)

// dump writes a value with the first letters of the kinds of its scalars.
func dump(v *pydata.Value) string {
	switch v.Kind {
	case pydata.List:
		items := make([]string, len(v.Items))
		for i, item := range v.Items {
			items[i] = dump(item)
		}
		return "[" + strings.Join(items, " ") + "]"
	case pydata.Dict:
		fields := make([]string, len(v.Fields))
		for i, f := range v.Fields {
			fields[i] = f.Key + "=" + dump(f.Value)
		}
		return "{" + strings.Join(fields, " ") + "}"
	}
	return string("NBIFSO"[v.Kind]) + ":" + v.Text
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		// JSON
		{"scalars", `[null, true, false, "s", 7]`, "[N:None B:True B:False S:s I:7]"},
		{"floats as repr writes them", `[1.0, 1e5, 1e16, 1e-5, 0.0001, 1E400, -0.0, 12.50, 123456789012345678.0]`,
			"[F:1.0 F:100000.0 F:1e+16 F:1e-05 F:0.0001 F:inf F:-0.0 F:12.5 F:1.2345678901234568e+17]"},
		{"integers are exact", `[123456789012345678901234567890, -0]`, "[I:123456789012345678901234567890 I:0]"},
		{"not quite numbers", `[NaN, Infinity, -Infinity]`, "[F:nan F:inf F:-inf]"},
		{"a later value wins, the first place is kept", `{"a":1,"b":2,"a":3}`, "{a=I:3 b=I:2}"},
		{"escapes", `["\u00e9\ud83d\ude00\n", "\ud800x"]`, "[S:é😀\n S:\ufffdx]"},
		{"white space", " \t\r\n{ \"a\" : [ ] } ", "{a=[]}"},
		{"string in JSON", `"text"`, "S:text"},

		// neither
		{"text", "Transfer successful", "S:Transfer successful"},
		{"empty", "", "S:"},
		{"trailing comma is a YAML list", `[1,]`, "[I:1]"},
		{"text after JSON", `{"a":1} done`, `S:{"a":1} done`},
		{"text with colons", "Error: no: such: page", "S:Error: no: such: page"},
		{"control character", "a: \x01", "S:a: \x01"},
		{"two documents", "a: 1\n---\nb: 2", "S:a: 1\n---\nb: 2"},
		{"undefined alias", "* item: x", "S:* item: x"},
		{"unknown tag", "a: !foo x", "S:a: !foo x"},
		{"unhashable key", "? [a]\n: b", "S:? [a]\n: b"},
		{"duplicate anchor", "a: &x 1\nb: &x 2", "S:a: &x 1\nb: &x 2"},
		{"a value that contains itself", "&a [*a]", "S:&a [*a]"},

		// YAML 1.1
		{"booleans", "[yes, No, on, OFF, true, y]", "[B:True B:False B:True B:False B:True S:y]"},
		{"nulls", "a: ~\nb: null\nc:", "{a=N:None b=N:None c=N:None}"},
		{"integers", "[0x1F, 0123, 089, 1_000, 0b11, 1:30, +5, -0]", "[I:31 I:83 S:089 I:1000 I:3 I:90 I:5 I:0]"},
		{"floats", "[1., .5, 1e5, 1.5e+3, 1:30.5, .inf, -.INF, .nan]", "[F:1.0 F:0.5 S:1e5 F:1500.0 F:90.5 F:inf F:-inf F:nan]"},
		{"dates", "a: 2024-05-20\nb: 2024-05-20T10:00:00Z\nc: 2024-5-2 1:02:03.5 -03:30",
			"{a=O:2024-05-20 b=O:2024-05-20 10:00:00+00:00 c=O:2024-05-02 01:02:03.500000-03:30}"},
		{"an impossible date spoils everything", "a: 2024-13-40", "S:a: 2024-13-40"},
		{"keys are values", "1: a\nyes: b\n~: c\n2024-01-01: d", "{1=S:b None=S:c 2024-01-01=S:d}"},
		{"quoted is text", `a: "1"` + "\nb: 'no'", "{a=S:1 b=S:no}"},
		{"explicit tags", "a: !!str 12\nb: !!int '5'", "{a=S:12 b=I:5}"},
		{"aliases", "a: &x {b: 1}\nc: *x", "{a={b=I:1} c={b=I:1}}"},
		{"merges come first", "a: 1\n<<: {a: 2, b: 3}", "{a=I:1 b=I:3}"},
		{"of merges the first wins", "<<: [{a: 1}, {a: 2, b: 3}]", "{a=I:1 b=I:3}"},
		{"a hash begins a comment", "order: #W1\nx: a#b", "{order=N:None x=S:a#b}"},
		{"tab in plain text", "a:\tb", "S:a:\tb"},
		{"tab in quotes", "a: \"x\ty\"", "{a=S:x\ty}"},
		{"block of text", "a: |\n  x\ty\n", "{a=S:x\ty\n}"},
		{"halves of a pair", `a: "\ud83d\ude00"`, "{a=S:\ufffd\ufffd}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, dump(pydata.Parse(tc.text)))
		})
	}
}

func TestParseJSONKeepsTheSource(t *testing.T) {
	t.Parallel()
	v, err := pydata.ParseJSON(` {"a": {"z": 1,  "b": 1.50}} `)
	require.NoError(t, err)
	assert.Equal(t, `{"z": 1,  "b": 1.50}`, v.Field("a").Source)
	assert.Nil(t, v.Field("b"))
}

func TestParseIsBounded(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	assert.Equal(t, pydata.String, pydata.Parse(deep).Kind)
	digits := "[" + strings.Repeat("9", 5000) + "]"
	assert.Equal(t, pydata.String, pydata.Parse(digits).Kind)

	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x]\n")
	for i := range 40 {
		fmt.Fprintf(&bomb, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	assert.Equal(t, pydata.String, pydata.Parse(bomb.String()).Kind)
	assert.Equal(t, pydata.String, pydata.Parse("&a {<<: [*a, *a], b: c}").Kind)
}

func TestFold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Straße": "strasse", "STRASSE": "strasse", "\ufb01ne": "fine", "ΣΊΣΥΦΟΣ": "σίσυφοσ",
		"\u0130x": "i\u0307x", "\u00b5": "\u03bc", "\u13a0\uab70\u13f8": "\u13a0\u13a0\u13f0", "abc-1": "abc-1",
	} {
		assert.Equal(t, want, pydata.Fold(in), "%q", in)
	}
}

func TestIsSpace(t *testing.T) {
	t.Parallel()
	assert.True(t, pydata.IsSpace('\x1c') && pydata.IsSpace('\u3000') && pydata.IsSpace('\n'))
	assert.False(t, pydata.IsSpace('\u200b') || pydata.IsSpace('x'))
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,"x\u00e9"]}`, "a: 1\nb: [x, &y z]\n", "a:\tb", "<<: *x", "- |\n  t\n", "2024-01-01: 0x1F", "%YAML 1.1\n---\n!!set {a}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.NotNil(t, pydata.Parse(text))
		if len(text) < 900 && json.Valid([]byte(text)) { // longer ones may be nested too deep
			_, err := pydata.ParseJSON(text)
			require.NoError(t, err)
		}
	})
}
