package document_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/soak"
)

// counter counts events.
type counter struct {
	takeAll
	scalars, longest int
}

func (c *counter) Scalar(_ document.Kind, text []byte) {
	c.scalars++
	c.longest = max(c.longest, len(text))
}

// balance tracks the number of open containers.
type balance struct {
	takeAll
	open, deepest int
}

func (b *balance) Object() { b.Array() }
func (b *balance) End()    { b.open-- }
func (b *balance) Array() {
	b.open++
	b.deepest = max(b.deepest, b.open)
}

func TestDeepNesting(t *testing.T) {
	t.Parallel()
	n := soak.Times(20_000, 1_000_000)
	texts := map[string]string{
		"closed":  strings.Repeat("[", n) + strings.Repeat("]", n),
		"objects": strings.Repeat(`{"a":`, n),
		"dicts":   strings.Repeat(`{'a':`, n),
		"sets":    strings.Repeat(`{(`, n),
		"calls":   strings.Repeat(`f(`, n) + `a=1`,
		"xml":     strings.Repeat("<a>", n) + "</a>",
		"yaml":    "a:\n" + strings.Repeat("- ", n),
		"flow":    "a: " + strings.Repeat("[", n),
		"indents": indents(soak.Times(200, 1000)),
		"fences":  strings.Repeat("```\n", n),
		"quotes":  strings.Repeat(`"\`, n),
		"prose":   "see " + strings.Repeat(`[{"`, n),
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for decoder := range decoders {
				var got balance
				_ = decoders[decoder]([]byte(text), &got, document.Limits{})
				assert.Zero(t, got.open, decoder)
				assert.LessOrEqual(t, got.deepest, 64, decoder)
			}
		})
	}
}

// indents returns YAML nested by indentation.
func indents(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%sa:\n", strings.Repeat(" ", i))
	}
	return b.String()
}

func TestDepthLimit(t *testing.T) {
	t.Parallel()
	text := `{"a": [[["deep"], "x"], "y"], "b": 1}`
	want := object{"a": array{array{"x"}, "y"}, "b": num("1")}
	for name, text := range map[string]string{
		"json": text, "python": strings.ReplaceAll(text, `"`, `'`), "yaml": "a:\n" + "- [[deep], x]\n- y\nb: 1\n",
	} {
		var got tree
		result := document.ReadText([]byte(text), &got, document.Limits{Depth: 3})
		require.ErrorIs(t, result.Err, document.ErrDepth, name)
		assert.Equal(t, want, got.root, name)
	}
}

func TestLongScalars(t *testing.T) {
	t.Parallel()
	digits, letters := strings.Repeat("7", soak.Times(256<<10, 10<<20)), strings.Repeat("a", soak.Times(128<<10, 1<<20))
	text := fmt.Sprintf(`{"n": %s, "s": "%s", "e": "\n%s", "%s": 1, "id": "b"}`, digits, letters, letters, letters)
	for name, text := range map[string]string{"json": text, "python": strings.ReplaceAll(text, `"`, `'`)} {
		var got tree
		result := document.ReadText([]byte(text), &got, document.Limits{})
		require.ErrorIs(t, result.Err, document.ErrScalar, name)
		assert.Equal(t, object{"id": "b"}, got.root, name)
	}
	var got tree
	result := document.ReadText([]byte("<r><a>"+letters+"</a><id>b</id></r>"), &got, document.Limits{})
	require.ErrorIs(t, result.Err, document.ErrScalar)
	assert.Equal(t, object{"r": object{"id": "b"}}, got.root)
}

// TestStopReadsNoFurther appends garbage after the items that the visitor takes.
func TestStopReadsNoFurther(t *testing.T) {
	t.Parallel()
	rest := bytes.Repeat([]byte("!"), soak.Times(1<<20, 50<<20))
	texts := map[string]string{
		"json":     `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},`,
		"ndjson":   "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n{\"id\":4}\n{\"id\":5}\n{\"id\":6}\n",
		"python":   "[{'id':1},{'id':2},{'id':3},{'id':4},{'id':5},{'id':6}," + strings.Repeat("{'id': 0},", 10_000),
		"markdown": "|id|\n|--|\n|1|\n|2|\n|3|\n|4|\n|5|\n|6|\n",
		"csv":      "id,name\n1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n" + strings.Repeat("0,z\n", 20_000),
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			items := 0
			got := tree{}
			got.decide = func(int) document.Decision {
				if len(got.stack) == 1 {
					if items++; items > 5 {
						return document.Stop
					}
				}
				return document.Take
			}
			result := document.ReadText(append([]byte(text), rest...), &got, document.Limits{})
			require.NoError(t, result.Err)
			assert.Equal(t, document.Format(name), result.Format)
			assert.Empty(t, got.problems())
			assert.Len(t, got.root, 5)
		})
	}
}

func TestBytesLimit(t *testing.T) {
	t.Parallel()
	text := []byte("[" + strings.Repeat(`"abcdefgh",`, 1000) + `"end"]`)
	var got counter
	result := document.ReadText(text, &got, document.Limits{Bytes: 111})
	require.ErrorIs(t, result.Err, document.ErrTruncated)
	assert.Equal(t, 10, got.scalars)

	got = counter{}
	result = document.ReadText(bytes.Repeat([]byte("word "), 100), &got, document.Limits{Bytes: 50})
	require.ErrorIs(t, result.Err, document.ErrTruncated)
	assert.Equal(t, 50, got.longest+len(" "))
}

// YAML is read to the last line within its bound.
func TestLongYAML(t *testing.T) {
	t.Parallel()
	const item = "  - id: a\n    names:\n      - \"b\"\n"
	var got counter
	result := document.ReadText([]byte("items:\n"+strings.Repeat(item, (3<<20)/2/len(item))), &got, document.Limits{})
	require.ErrorIs(t, result.Err, document.ErrTruncated)
	assert.Equal(t, document.FormatYAML, result.Format)
	assert.InDelta(t, 2*(1<<20)/len(item), got.scalars, 3)
}

func TestBillionLaughs(t *testing.T) {
	t.Parallel()
	var list, merge strings.Builder
	list.WriteString("a0: &a0 [x, x]\n")
	merge.WriteString("a0: &a0 {}\n")
	for i := range 40 {
		fmt.Fprintf(&list, "a%d: &a%d [*a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i)
		fmt.Fprintf(&merge, "a%d: &a%d\n  <<: [*a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i)
	}
	for name, text := range map[string]string{
		"lists":  list.String(),
		"merges": merge.String(),
		"itself": "a: &a [*a, *a]\n",
		"merged": "a: &a\n  <<: [*a, *a]\n  b: 1\n",
	} {
		var got counter
		result := document.YAML([]byte(text), &got, document.Limits{})
		require.NoError(t, result.Err, name)
		assert.LessOrEqual(t, got.scalars, len(text), name)
	}
	xml := `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "xx"><!ENTITY b "&a;&a;">]><l>&b;</l>`
	var got tree
	result := document.ReadText([]byte(xml), &got, document.Limits{})
	require.NoError(t, result.Err)
	assert.Equal(t, object{"l": "&b;"}, got.root)
}

func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"json": "{\"a\xff\": \"b\xc0c\"}", "python": "{'a\xff': 'b\xc0c'}", "keyvalue": "a\xff: b\xc0c\nd: e",
		"csv": "a\xff,d\nb\xc0c,1\n", "markdown": "|a\xff|d|\n|-|-|\n|b\xc0c|1|\n", "yaml": "a\xff: b\xc0c\nd:\n  - e\n",
	} {
		var got tree
		result := document.ReadText([]byte(text), &got, document.Limits{})
		require.NoError(t, result.Err, name)
		assert.Equal(t, document.Format(name), result.Format)
		assert.Empty(t, got.problems(), name)
		assert.Contains(t, got.sequence.String(), "b\uFFFDc", name)
		assert.Contains(t, got.sequence.String(), "a\uFFFD", name)
	}
}
