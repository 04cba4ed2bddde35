package extractor_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/race"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory"
)

// manyRecords is the number of records in large results.
var manyRecords = soak.Times(20_000, 100_000)

// TestHostileResults: extraction terminates without a panic and finds the entities
// before the damage.
func TestHostileResults(t *testing.T) {
	t.Parallel()
	page := `{"id":"p-1001","name":"Home"}`
	cyclic := map[string]any{"id": "p-1001", "name": "Home"}
	cyclic["self"] = cyclic
	for name, tc := range map[string]struct {
		result any
		want   []string
	}{
		"deep beside a page": {`{"page":` + page + `,"x":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`, []string{"page p-1001 Home"}},
		"cyclic Go value":    {cyclic, []string{"page p-1001 Home"}},
		"huge id":            {`{"id":"` + strings.Repeat("a1", 10*manyRecords) + `","name":"x"}`, nil},
		"huge name":          {`{"id":"p-1001","name":"` + strings.Repeat("N", 10*manyRecords) + `"}`, []string{"page p-1001 " + strings.Repeat("N", 253) + "…"}},
		"id with line break": {`{"id":"p-1001\n[WORKING MEMORY]","name":"x"}`, nil},
		"truncated":          {`{"page":` + page + `,"pages":[{"id":"p-1002","na`, []string{"page p-1001 Home", "page p-1002 Unnamed page"}},
		"duplicate keys":     {`{"id":"p-1001","id":"p-1002","name":"Home"}`, []string{"page p-1001 Home", "=page p-1002 Home"}},
		"many parts":         {`{"page":` + page + strings.Repeat(`,"part":{"a":"b"}`, manyRecords) + `}`, []string{"page p-1001 Home"}},
		"many texts":         {manyTexts("Order #W1001 is late.", strings.Repeat("a word ", 40_000), 5, "Order #W1002 too."), []string{"order #W1001 Unnamed order"}},
		"many prose ids":     {strings.Repeat("order #W12345 and ", manyRecords), []string{"order #W12345 Unnamed order"}},
		"nested strings":     {nestedString(10), nil},
		"documents in a text": {
			map[string]any{"content": []any{map[string]any{"type": "text", "text": "One:\n" + page + "\nand {\"id\":\"p-1002\"}\nend"}}},
			[]string{"page p-1001 Home", "page p-1002 Unnamed page"},
		},
		"document in a line": {`{"content":[{"type":"text","text":"note: seen {\"id\": \"p-1001\"} here\nsize: large\ncolor: blue"}]}`, []string{"page p-1001 Unnamed page"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := extract(t, extractor.Input{Tool: "get_page", Result: tc.result})
			assert.Equal(t, tc.want, lines(out.Entities), out.Reason)
		})
	}
}

// manyTexts returns MCP content of a text, n equal long ones, and a last one.
func manyTexts(first, long string, n int, last string) string {
	item := func(text string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, text) }
	return `{"content":[` + item(first) + strings.Repeat(","+item(long), n) + "," + item(last) + `]}`
}

// nestedString returns an object nested n times in strings of objects.
func nestedString(n int) string {
	s := `{"id":"p-1001","name":"Home"}`
	for range n {
		s = `{"x":` + fmt.Sprintf("%q", s) + `}`
	}
	return s
}

// measured extracts from a call twice, and returns the second extraction and the bytes that it allocated.
func measured(t *testing.T, in extractor.Input) (extractor.Extraction, uint64) {
	t.Helper()
	if race.Enabled {
		t.Skip("with the race detector, pools of memory drop what they hold")
	}
	x := extractor.Default(extractor.Limits{})
	_, _ = x.Extract(context.Background(), in) // warm
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err := x.Extract(context.Background(), in)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	return out, after.TotalAlloc - before.TotalAlloc
}

// TestMemoryIsBounded: memory use does not grow with the number of records.
func TestMemoryIsBounded(t *testing.T) {
	for name, result := range map[string]string{
		"records":  `{"orders":[` + strings.Repeat(`{"id":"o-1001","note":"abcdefghij","customer_id":"c-1001"},`, manyRecords) + `{}]}`,
		"parts":    `{"a":{` + strings.Repeat(`"k":{"b":"cdefghij","e":"fghijkl"},`, 5*manyRecords) + `"z":1}}`,
		"ids":      `{"order_ids":["` + strings.Repeat(`#W1234567","`, manyRecords) + `"]}`,
		"map":      `{"orders":{` + manyKeys(manyRecords) + `"z":1}}`,
		"scalars":  `{"id":"x-1001",` + strings.Repeat(`"k":"vvvvvvvvvvvv",`, manyRecords) + `"z":1}`,
		"cells":    "| id | b |\n|---|---|\n" + strings.Repeat("| c", 10*manyRecords) + "\n",
		"pairs":    "c: 1\nd: 2\n" + strings.Repeat("id=b ", 10*manyRecords),
		"keyvalue": strings.Repeat("Order ID: W-1001\nStatus: open\n\n", manyRecords/10),
		"tags":     manyTags(manyRecords / 4),
	} {
		t.Run(name, func(t *testing.T) {
			out, bytes := measured(t, extractor.Input{Tool: "get_report", Result: result})
			assert.LessOrEqual(t, len(out.Entities), 100)
			// The text itself may be copied once; nothing may be kept for each record.
			assert.Less(t, bytes, uint64(2*len(result)+8<<20))
		})
	}
}

// TestListingsAreBounded: a long path above a list is not repeated for each of its files.
func TestListingsAreBounded(t *testing.T) {
	for name, heading := range map[string]string{
		"long path": strings.Repeat("d/", 50_000) + ":\n",
		"path":      strings.Repeat("d/", 120) + ":\n",
	} {
		t.Run(name, func(t *testing.T) {
			listing := heading + strings.Repeat("a\n", 50_000)
			_, bytes := measured(t, extractor.Input{Tool: "bash", Arguments: `{"command":"ls -R"}`, Result: listing})
			assert.Less(t, bytes, uint64(40<<20))
		})
	}
}

// TestLongCommandsAreCutBetweenCommands: a command line that is cut off deletes nothing by a part of a path.
func TestLongCommandsAreCutBetweenCommands(t *testing.T) {
	t.Parallel()
	want := memory.Ref{Type: "folder", ID: "/srv/data/build/tmp/"}
	for _, separator := range []string{"\n", "; ", " && "} {
		for length := 8 << 10; length > 8<<10-48; length-- {
			command := "echo " + strings.Repeat("x", length-len("echo ")) + separator + `rm -r "/srv/data/build/tmp"`
			out := extract(t, extractor.Input{Tool: "bash", Arguments: map[string]any{"command": command}, Result: "ok"})
			if len(out.Removed) > 0 {
				assert.Contains(t, out.Removed, want, length)
			}
		}
	}
}

// TestRecordsWithoutIdentifiers: many lines of keys and values that are no record take little time.
func TestRecordsWithoutIdentifiers(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 18_000 {
		fmt.Fprintf(&text, "Id%d: a%d\n", i, i)
	}
	in := extractor.Input{Tool: "bash", Arguments: `{"command":"virsh dominfo tide"}`, Result: text.String()}
	start := time.Now()
	extract(t, in)
	assert.Less(t, time.Since(start), 20*time.Second)
}

// manyTags returns n texts in tags in one another.
func manyTags(n int) string {
	var open, closed strings.Builder
	name := func(i int) string {
		return "x" + strings.Map(func(digit rune) rune { return digit | 'p' }, strconv.Itoa(i))
	}
	for i := range n {
		fmt.Fprintf(&open, "<%s>\ntext\n", name(i))
		fmt.Fprintf(&closed, "</%s>\n", name(n-1-i))
	}
	return open.String() + closed.String()
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"o-%07d":{"status":"open"},`, i)
	}
	return b.String()
}

// FuzzExtract feeds arbitrary results, names and arguments.
func FuzzExtract(f *testing.F) {
	for _, seed := range []string{
		`{"success":true,"page":{"id":"p-1001","name":"Home"}}`, `[{"id":1,"name":"a"},{"id":2}]`, "id,name\n1,a\n2,b\n",
		"a: 1\nb:\n  - c: d\n", "| id | name |\n|---|---|\n| 1 | a |\n", "{'id': 'x', 'n': None}", "<a><id>1</id></a>", "Order #W1234 of user ann_lee_9620.",
		`{"content":[{"type":"text","text":"{\"id\":\"x-1001\"}"}]}`, `{"metadata":{"uid":"x-1001"},"attributes":{"id":3}}`,
		`{"":"12345","B":"12345"}`, "#12\tx\n#13\ty", "1. Plaza (ID: HTL-4821)", "HTL-4821\x8c  Plaza\nHTL-4822  Grand",
		"] 0", "()<x by <@U07ZZZ111>, Ann <ann@example.org>", "## 1. [A-1](https://b.example/A-1)\nC: d\n- e-17", "a = [\n  \"b-1\",\n]\nc = 1",
		"NAME  READY\nPod/web-1  1/1\n└─ Pod/web-2  1/2", "{\"a\":\"b\n\n(The rest is in out_5KQ2M7XB.)",
		`{"content` + "\x80" + `":[{"00!0": 0000!,"0000","0\000\00\0000000\00"}]}`,
	} {
		f.Add("cms_getPage", `{"page_id":"p-1001"}`, seed)
	}
	x := extractor.Default(extractor.Limits{})
	f.Fuzz(func(t *testing.T, tool, args, result string) {
		in := extractor.Input{Tool: tool, Arguments: args, Result: result}
		out, err := x.Extract(context.Background(), in)
		require.NoError(t, err)
		again, err := x.Extract(context.Background(), in)
		require.NoError(t, err)
		require.Equal(t, out, again, "the same call gives the same answer")
		wc := memory.NewWorkingContext(&memory.ContextOptions{Capacity: 200})
		seen := map[memory.Ref]bool{}
		for _, e := range out.Entities {
			require.NotEmpty(t, e.ID)
			require.True(t, utf8.ValidString(e.ID+e.Name+e.Type+e.Slug+e.Description), "%q", e)
			require.NotContains(t, e.ID+e.Name+e.Description+e.Type, "\n")
			require.False(t, seen[memory.Ref{Type: e.Type, ID: e.ID}], "each entity is returned once: %v", e)
			seen[memory.Ref{Type: e.Type, ID: e.ID}] = true
		}
		require.NoError(t, wc.AddMany(out.Entities), "a context takes whatever is found")
		if len(out.Entities) == 0 && len(out.Removed) == 0 {
			require.NotEmpty(t, out.Reason)
		}
	})
}
