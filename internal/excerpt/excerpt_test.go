package excerpt_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/excerpt"
)

const maxBytes = 8 << 10

func read(t testing.TB, text string, req excerpt.Request, maxBytes int) (string, error) {
	t.Helper()
	return excerpt.Read(t.Context(), strings.NewReader(text), int64(len(text)), req, maxBytes)
}

// numbered returns n lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line number %d\n", i+1)
	}
	return b.String()
}

const shop = `{
  "total": 3, "next": null,
  "orders": [
    {"id": "W1", "customer": {"name": "Ann Lee", "city": "Berlin"}, "items": [{"sku": "shoe", "price": 12.50}]},
    {"id": "W2", "customer": {"name": "Bob", "city": "Paris"}, "items": []},
    {"id": "W3", "odd key": 1, "customer": {"name": "Änne", "city": "Köln"}, "items": [{"sku": "hat"}, {"sku": "shoes"}]}
  ],
  "note": "first\nsecond \ud83d\ude00\nthird",
  "tags": ["a", "b", "c"], "rows": [[1, 2], [3, 4]], "empty": []
}`

const events = `{"id": 1, "kind": "start"}
{"id": 2, "kind": "error", "text": "disk full"}
{"id": 3, "kind": "end"}
`

func TestReadByLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		req        excerpt.Request
		want       string
	}{
		{"empty", "", excerpt.Request{}, "[no lines]"},
		{"whole", "a\nb", excerpt.Request{}, "1: a\n2: b\n[lines 1–2 of 2]"},
		{"line breaks of Windows", "a\r\nb\r\n", excerpt.Request{}, "1: a\n2: b\n[lines 1–2 of 2]"},
		{"blank lines", "\n\na\n", excerpt.Request{}, "1: \n2: \n3: a\n[lines 1–3 of 3]"},
		{"limit", numbered(1500), excerpt.Request{Offset: 3, Limit: 2}, "3: line number 3\n4: line number 4\n[lines 3–4 of 1,500; continue with offset 5]"},
		{"last", numbered(3), excerpt.Request{Offset: 3}, "3: line number 3\n[lines 3–3 of 3]"},
		{"invalid UTF-8", "a\xffb", excerpt.Request{}, "1: a\uFFFDb\n[lines 1–1 of 1]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := read(t, test.text, test.req, maxBytes)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestReadByPath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, path string
		want       string
	}{
		{shop, "$.orders[1].id", "1: W2\n[lines 1–1 of 1 of $.orders[1].id]"},
		{shop, "orders.1.id", "1: W2\n[lines 1–1 of 1 of $.orders[1].id]"},
		{shop, "$.total", "$.total: 3\n[values 1–1 of 1 of $.total]"},
		{shop, "$.next", "$.next: null\n[values 1–1 of 1 of $.next]"},
		{shop, `$.orders[2]["odd key"]`, "$.orders[2][\"odd key\"]: 1\n[values 1–1 of 1 of $.orders[2][\"odd key\"]]"},
		{shop, `$.orders[2]['odd key']`, "$.orders[2][\"odd key\"]: 1\n[values 1–1 of 1 of $.orders[2][\"odd key\"]]"},
		{shop, "$.note", "1: first\n2: second 😀\n3: third\n[lines 1–3 of 3 of $.note]"},
		{shop, "$.tags", "[0]: \"a\"\n[1]: \"b\"\n[2]: \"c\"\n[elements 1–3 of 3 of $.tags]"},
		{shop, "$.empty", "[no elements of $.empty]"},
		{shop, "$.orders[0].customer", ".name: \"Ann Lee\"\n.city: \"Berlin\"\n[members 1–2 of 2 of $.orders[0].customer]"},
		{shop, "$.orders[*].id", "[0].id: \"W1\"\n[1].id: \"W2\"\n[2].id: \"W3\"\n[values 1–3 of 3 of $.orders]"},
		{shop, "$.orders[1:].items[*].sku", "[2].items[0].sku: \"hat\"\n[2].items[1].sku: \"shoes\"\n[values 1–2 of 2 of $.orders]"},
		{shop, "$.orders[0].customer.*", ".name: \"Ann Lee\"\n.city: \"Berlin\"\n[values 1–2 of 2 of $.orders[0].customer]"},
		{shop, "$.rows[0:1]", "[0]: [1,2]\n[values 1–1 of 1 of $.rows]"},
		{events, "$[1].text", "1: disk full\n[lines 1–1 of 1 of $[1].text]"},
		{events, "$[*].id", "[0].id: 1\n[1].id: 2\n[2].id: 3\n[values 1–3 of 3 of $]"},
		{events, "$", "[0]: {\"id\":1,\"kind\":\"start\"}\n[1]: {\"id\":2,\"kind\":\"error\",\"text\":\"disk full\"}\n[2]: {\"id\":3,\"kind\":\"end\"}\n[elements 1–3 of 3 of $]"},
		{"\uFEFF" + `{"a":1,"a":2}`, "a", "$.a: 1\n[values 1–1 of 1 of $.a]"},

		{shop, "$.orders[0].name", "[no value at $.orders[0].name; $.orders[0] is an object of 3 members: .id .customer .items]"},
		{shop, "$.orders[7].id", "[no value at $.orders[7].id; $.orders is an array of 3 elements: [0] to [2], or [*] for all]"},
		{shop, "$.orders.id", "[no value at $.orders.id; $.orders is an array of 3 elements: [0] to [2], or [*] for all]"},
		{shop, "$.total.x", "[no value at $.total.x; $.total is a number]"},
		{shop, "$.next[0]", "[no value at $.next[0]; $.next is null]"},

		{`{"a":[1,2,{"b":"xy`, "a", "[0]: 1\n[1]: 2\n[2]: {\"b\":\"xy…\n[elements 1–3 of 3 of $.a; the JSON is cut after 18 bytes]"},
		{`{"a":[1,2`, "c", "[no value at $.c; the JSON is cut after 9 bytes]"},
		{`{"a":[1,2] oops`, "a[*]", "[0]: 1\n[1]: 2\n[values 1–2 of 2 of $.a; the JSON is broken after 11 bytes: read what follows by lines, without a path]"},
	} {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			got, err := read(t, test.text, excerpt.Request{Path: test.path}, maxBytes)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestReadByWords(t *testing.T) {
	t.Parallel()
	log := "start\nINFO order W1 placed\nERROR order W2 failed: disk full\nretry\nERROR disks\nend\n"
	for _, test := range []struct {
		name, text string
		req        excerpt.Request
		want       string
	}{
		{"lines by words in them", log, excerpt.Request{Query: "disk errors, orders", Limit: 2}, "  2: INFO order W1 placed\n> 3: ERROR order W2 failed: disk full\n  4: retry\n  4: retry\n> 5: ERROR disks\n  6: end\n[matches 1–2 of 3; continue with offset 3]"},
		{"more lines", log, excerpt.Request{Query: "disk errors, orders", Offset: 3}, "  1: start\n> 2: INFO order W1 placed\n  3: ERROR order W2 failed: disk full\n[matches 3–3 of 3]"},
		{"whole identifiers", "W12\nw1\nAW1", excerpt.Request{Query: "w1"}, "  1: W12\n> 2: w1\n  3: AW1\n[matches 1–1 of 1]"},
		{"no spaces", "客户张伟的订单\n王芳", excerpt.Request{Query: "张伟"}, "> 1: 客户张伟的订单\n  2: 王芳\n[matches 1–1 of 1]"},
		{"none", log, excerpt.Request{Query: "nowhere"}, "[no matches: try other words, or fewer letters of them]"},
		{"element around the innermost object", shop, excerpt.Request{Query: "änne"}, "$.orders[2]: {\"id\":\"W3\",\"odd key\":1,\"customer\":{\"name\":\"Änne\",\"city\":\"Köln\"},\"items\":[{\"sku\":\"hat\"},{\"sku\":\"shoes\"}]}\n[matches 1–1 of 1]"},
		{"object with all", shop, excerpt.Request{Query: "bob W2", Limit: 1}, "$.orders[1]: {\"id\":\"W2\",\"customer\":{\"name\":\"Bob\",\"city\":\"Paris\"},\"items\":[]}\n[matches 1–1 of 2; continue with offset 2]"},
		{"JSON lines", events, excerpt.Request{Query: "disk"}, "$[1]: {\"id\":2,\"kind\":\"error\",\"text\":\"disk full\"}\n[matches 1–1 of 1]"},
		{"rows", `[["ann",1],["bob",2]]`, excerpt.Request{Query: "bob"}, "$[1][0]: \"bob\"\n[matches 1–1 of 1]"},
		{"within a path", shop, excerpt.Request{Query: "shoe", Path: "$.orders[2]"}, "$.orders[2].items[1]: {\"sku\":\"shoes\"}\n[matches 1–1 of 1]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := read(t, test.text, test.req, maxBytes)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestReadingOn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 4000) + "needle " + strings.Repeat("\nline", 2000)
	text := fmt.Sprintf(`{"name": "x", "content": %q, "rest": [1, 2]}`, long)

	got, err := read(t, text, excerpt.Request{Path: "$"}, maxBytes)
	require.NoError(t, err)
	assert.Contains(t, got, ".name: \"x\"\n.content: \"word word")
	assert.True(t, strings.HasSuffix(got, "word…\n.rest: [1,2]\n[members 1–3 of 3 of $; … marks what is cut: read it with its path, as $.content]") ||
		strings.HasSuffix(got, "…\n.rest: [1,2]\n[members 1–3 of 3 of $; … marks what is cut: read it with its path, as $.content]"), got)

	got, err = read(t, text, excerpt.Request{Path: "$.content", Offset: 12, Limit: 1}, maxBytes)
	require.NoError(t, err)
	assert.Contains(t, got, "12: line\n[lines 12–12 of 2,010 of $.content; continue with offset 13]")

	got, err = read(t, text, excerpt.Request{Query: "needle"}, maxBytes)
	require.NoError(t, err)
	assert.Contains(t, got, "$ (too large to show: 32,0")
	assert.Contains(t, got, "first match at $.content, line 10): …")
	assert.Contains(t, got, "needle")
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		req  excerpt.Request
		want string
	}{
		{excerpt.Request{Offset: -1}, "excerpt: offset is negative: it counts from 1"},
		{excerpt.Request{Limit: -1}, "excerpt: limit is negative: leave it out for the default"},
		{excerpt.Request{Offset: 300}, "excerpt: offset 300 is after the last: there are 10 lines"},
		{excerpt.Request{Path: "tags", Offset: 4}, "excerpt: offset 4 is after the last: there are 3 elements"},
		{excerpt.Request{Query: "shoe", Offset: 9}, "excerpt: offset 9 is after the last: there are 2 matches"},
		{excerpt.Request{Query: "?!"}, "excerpt: query has no words"},
		{excerpt.Request{Path: "$..name"}, "excerpt: path needs a key (to search at any depth, use query) at position 3"},
		{excerpt.Request{Path: "a[b]"}, "excerpt: path needs an index, a range as 10:20, * or a key in quotes at position 3"},
		{excerpt.Request{Path: "$.a[-1]"}, "excerpt: path has a negative index, which is not supported, at position 5"},
		{excerpt.Request{Path: "$.a[1"}, "excerpt: path needs ] for the [ at position 5"},
		{excerpt.Request{Path: `$["a]`}, "excerpt: path needs a closing quote at position 3"},
		{excerpt.Request{Path: "$a"}, "excerpt: path needs . or [ at position 2"},
		{excerpt.Request{Path: strings.Repeat("[0]", 501)}, "excerpt: path has more than 500 steps at position 1501"},
	} {
		_, err := read(t, shop, test.req, maxBytes)
		require.EqualError(t, err, test.want)
		var typed *excerpt.RequestError
		assert.ErrorAs(t, err, &typed)
	}
}

func TestNotJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", "[INFO] start\n", "{'a': 1}", "2024-01-02 start", "<a/>", "[foo](bar)"} {
		_, err := read(t, text, excerpt.Request{Path: "$"}, maxBytes)
		assert.ErrorIs(t, err, excerpt.ErrNotJSON, text)
	}
	got, err := read(t, "[INFO] start\n[INFO] end\n", excerpt.Request{Query: "end"}, maxBytes)
	require.NoError(t, err)
	assert.Contains(t, got, "> 2: [INFO] end")
}

func TestErrorsOfTheReader(t *testing.T) {
	t.Parallel()
	failure := errors.New("the store is down")
	for _, req := range []excerpt.Request{{}, {Path: "orders[2]"}, {Query: "shoe"}} {
		_, err := excerpt.Read(t.Context(), readerAt{iotest.ErrReader(failure)}, 100, req, maxBytes)
		assert.ErrorIs(t, err, failure)
		_, err = excerpt.Read(t.Context(), strings.NewReader(shop), int64(len(shop))+1, req, maxBytes)
		if req.Path == "" && req.Query == "" { // JSON is read to its end only
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = excerpt.Read(ctx, strings.NewReader(shop), int64(len(shop)), req, maxBytes)
		assert.ErrorIs(t, err, context.Canceled)
	}
}

// readerAt reads in order.
type readerAt struct{ io.Reader }

func (r readerAt) ReadAt(p []byte, _ int64) (int, error) { return io.ReadFull(r, p) }
