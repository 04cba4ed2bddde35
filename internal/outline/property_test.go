package outline_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/attack"
	"github.com/go-workingmemory/workingmemory/internal/outline"
	"github.com/go-workingmemory/workingmemory/internal/race"
)

// requireBounded checks what holds for the outline and the excerpt of any text.
func requireBounded(t require.TestingT, text string) {
	o := outline.Of(text)
	require.LessOrEqual(t, len(o.Structure), outline.MaxBytes)
	require.LessOrEqual(t, strings.Count(o.Structure, "\n"), outline.MaxLines-1)
	require.False(t, strings.HasSuffix(o.Structure, "\n"))
	requirePlain(t, o.Structure)
	require.NotEmpty(t, o.Format)
	for _, limit := range []int{0, 64, 300, 2000} {
		shown := outline.Excerpt(text, limit)
		require.LessOrEqual(t, len(shown), limit)
		requirePlain(t, strings.ReplaceAll(shown, "\t", " "))
	}
}

func requirePlain(t require.TestingT, shown string) {
	require.True(t, utf8.ValidString(shown))
	for _, r := range shown {
		require.True(t, r == '\n' || r >= ' ' && (r < 0x7f || r > 0x9f), "control character %q", r)
	}
	for _, marker := range []string{"<|", "{{", "{%", "[INST]", "](", "\u202e", "\u2028"} {
		require.NotContains(t, shown, marker)
	}
}

// someGenerators returns n of the generators, of all formats and layouts.
func someGenerators(n int) (some []attack.Generator) {
	const stride = 7919 // coprime to their number
	all := attack.Generators()
	for i := range n {
		some = append(some, all[i*stride%len(all)])
	}
	return some
}

func FuzzOf(f *testing.F) {
	for _, file := range goldenFiles(f) {
		archive, err := txtar.ParseFile(file)
		require.NoError(f, err)
		f.Add(string(archive.Files[0].Data))
	}
	for _, g := range someGenerators(500) {
		f.Add(g.Make(300))
	}
	f.Add("\x00\x01")
	f.Add("a\xff\n# b\xfe\u202e<|x|>\x1b[31m\n\n" + strings.Repeat("é", 3000))
	f.Fuzz(func(t *testing.T, text string) { requireBounded(t, text) })
}

func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, g := range someGenerators(300) {
		requireBounded(t, g.Make(4<<10))
	}
	for _, file := range goldenFiles(t) {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		text := string(archive.Files[0].Data)
		for end := 0; end < len(text); end += 1 + len(text)/50 {
			requireBounded(t, text[:end])
			requireBounded(t, text[end:])
		}
	}
}

// TestCounts generates records in which the number of values of each kind, and of objects
// with each key, is known.
func TestCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,8}`), 1, 8, rapid.ID).Draw(t, "keys")
		rows := rapid.IntRange(2, 60).Draw(t, "rows")
		with, elements := map[string]int{}, map[string]int{}
		records := make([]map[string]any, rows)
		for i := range records {
			records[i] = map[string]any{"": i}
			for _, key := range keys {
				if rapid.Bool().Draw(t, "has") {
					n := rapid.IntRange(0, 3).Draw(t, "elements")
					records[i][key] = make([]int, n)
					with[key]++
					elements[key] += n
				}
			}
		}
		data, err := json.Marshal(map[string]any{"records": records})
		require.NoError(t, err)
		structure := outline.Of(string(data)).Structure
		require.Contains(t, structure, fmt.Sprintf("$.records: array of %d objects\n", rows))
		require.Contains(t, structure, `[*][""]: number`)
		for _, key := range keys {
			line := regexp.MustCompile(`(?m)^ +\[\*\]\.` + key + `: (.*)$`).FindStringSubmatch(structure)
			if with[key] == 0 {
				require.Nil(t, line)
				continue
			}
			require.NotNil(t, line, "%s in %s", key, structure)
			require.Equal(t, with[key] < rows, strings.HasSuffix(line[1], fmt.Sprintf(", in %d of %d", with[key], rows)))
			if with[key] > 1 && elements[key] > 0 {
				require.Contains(t, line[1], fmt.Sprintf(", %d in all", elements[key]))
			}
		}
	})
}

// TestExcerptIsOfTheText reads the lines of an excerpt in the text.
func TestExcerptIsOfTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-z é]{0,20}`), 1, 80).Draw(t, "lines")
		lines = append(lines, "end")
		limit := rapid.IntRange(100, 2000).Draw(t, "limit")
		shown := outline.Excerpt(strings.Join(lines, "\n"), limit)
		require.LessOrEqual(t, len(shown), limit)
		at := 0
		for line := range strings.SplitSeq(shown, "\n") {
			if rest, ok := strings.CutPrefix(line, "… "); ok {
				digits, _, _ := strings.Cut(rest, " ")
				n, err := strconv.Atoi(digits)
				require.NoError(t, err)
				at += n
				continue
			}
			require.Equal(t, fmt.Sprintf("%d: %s", at+1, lines[at]), line)
			at++
		}
		require.Len(t, lines, at)
	})
}

// allocated returns how many bytes a function allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestMemoryIsBounded measures texts of several megabytes whose outlines are small; the
// values of JSON and the lines of text are not copied.
func TestMemoryIsBounded(t *testing.T) { // not parallel: it measures allocations
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	const size = 4 << 20
	var keys, wide strings.Builder
	for i := 0; keys.Len() < size; i++ {
		fmt.Fprintf(&keys, `"key %d":{"a%d":1},`, i, i)
		fmt.Fprintf(&wide, `{"a%d":{"b%d":[{"c%d":1}]}},`, i, i, i)
	}
	for name, text := range map[string]string{
		"records":         records(size),
		"different keys":  "{" + keys.String() + `"x":1}`,
		"different trees": "[" + wide.String() + "1]",
		"deep":            strings.Repeat(`{"a":[`, 9_000),
		"long key":        `{"` + strings.Repeat("k", 1<<20) + `":1,"b":2}`,
		"long string":     `{"a":"` + strings.Repeat(`\n`, size/2) + `"}`,
		"one line":        strings.Repeat("word ", size/5),
		"lines":           strings.Repeat("# a line of text\n", size/17),
		"log":             strings.Repeat("2026-01-02 03:04:05 ERROR x\n", size/28),
		"html":            "<html><h1>" + strings.Repeat("text<br>", size/8),
	} {
		assert.Less(t, allocated(func() { outline.Of(text) }), 10<<20, name)
		assert.Less(t, allocated(func() { outline.Excerpt(text, 4<<10) }), 256<<10, name)
	}
}

// TestWorkIsLinear compares what is allocated for a text and for one four times as long.
func TestWorkIsLinear(t *testing.T) { // not parallel: it measures allocations
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	for _, g := range someGenerators(150) {
		short, long := g.Make(16<<10), g.Make(64<<10)
		once := allocated(func() { outline.Of(short) })
		more := allocated(func() { outline.Of(long) })
		assert.Less(t, more, 8*once+1<<20, g.Name())
	}
}

// records returns JSON of about a number of bytes.
func records(size int) string {
	var b strings.Builder
	b.WriteString(`{"orders":[`)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"order_id":"#W%07d","paid":%t,"address":{"city":"Lund","zip":"12345"},"items":[{"sku":"s%d","price":19.5}],"note":null},`, i, i%2 == 0, i)
	}
	b.WriteString(`{}]}`)
	return b.String()
}

func BenchmarkOf(b *testing.B) {
	const size = 5 << 20
	var csv, log, markdown, xml, html strings.Builder
	csv.WriteString("id,name,price\n")
	xml.WriteString("<orders>")
	html.WriteString("<html><body>")
	for i := 0; markdown.Len() < size; i++ {
		fmt.Fprintf(&csv, "%d,A lamp of a name with %d,%d.5\n", i, i, i)
		fmt.Fprintf(&log, "2026-01-02 03:04:05,123 INFO worker %d: request of %d done\n", i, i)
		fmt.Fprintf(&markdown, "## Part %d\n\nSome words of a paragraph that is about %d things.\n\n", i, i)
		fmt.Fprintf(&xml, "<order id=\"%d\"><sku>s%d</sku><price>%d</price></order>", i, i, i)
		fmt.Fprintf(&html, "<h2>Part %d</h2><p>Some <b>words</b> of a paragraph</p>", i)
	}
	for _, text := range []struct{ name, text string }{
		{"JSON", records(size)},
		{"JSON lines", strings.ReplaceAll(records(size)[len(`{"orders":[`):], `},{"order_id`, "}\n{\"order_id")},
		{"CSV", csv.String()},
		{"XML", xml.String() + "</orders>"},
		{"HTML", html.String()},
		{"log", log.String()},
		{"Markdown", markdown.String()},
		{"YAML", "items:\n" + strings.Repeat("- id: 1\n  name: A lamp\n", size/23)},
	} {
		b.Run(text.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text.text)))
			for b.Loop() {
				outline.Of(text.text)
			}
		})
	}
}
