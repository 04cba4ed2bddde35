package excerpt_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/excerpt"
	"github.com/go-workingmemory/workingmemory/internal/race"
	"github.com/go-workingmemory/workingmemory/internal/soak"
)

// endless is a text of a size that repeats a part between a beginning and an end.
type endless struct {
	start, part, end string
	size             int64
	read             int64
	calls            int
}

func (e *endless) ReadAt(p []byte, at int64) (int, error) {
	e.calls++
	e.read += int64(len(p))
	n := 0
	for n < len(p) {
		i := at + int64(n)
		switch {
		case i < int64(len(e.start)):
			n += copy(p[n:], e.start[i:])
		case i >= e.size-int64(len(e.end)):
			n += copy(p[n:], e.end[i-(e.size-int64(len(e.end))):])
		default:
			most := min(int64(len(p)-n), e.size-int64(len(e.end))-i)
			from := (i - int64(len(e.start))) % int64(len(e.part))
			n += copy(p[n:n+int(most)], e.part[from:])
		}
	}
	return n, nil
}

// maxAllocated is what may be allocated for an excerpt, garbage included: less than half
// the largest text.
const maxAllocated = 32 << 20

// readBounded reads an excerpt, whose text must be read at most once, chunk by chunk, with
// little memory.
func readBounded(t *testing.T, text endless, req excerpt.Request) {
	const chunk = 256 << 10
	name := fmt.Sprintf("%.12q %.12q %+v", text.start, text.part, req)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := excerpt.Read(t.Context(), &text, text.size, req, maxBytes)
	runtime.ReadMemStats(&after)
	if err != nil {
		var bad *excerpt.RequestError
		assert.True(t, errors.Is(err, excerpt.ErrNotJSON) || errors.As(err, &bad), "%s: %v", name, err)
	}
	assert.LessOrEqual(t, len(got), maxBytes, name)
	assert.LessOrEqual(t, text.read, text.size, name)
	assert.LessOrEqual(t, text.calls, int(text.size/chunk), name)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(maxAllocated), name)
}

func TestEveryShapeIsBounded(t *testing.T) {
	a := strings.Repeat("a", 64<<10)
	for _, text := range []endless{
		{part: "some line of a log with words\n"},
		{part: a},
		{part: "\n"},
		{part: "\xff\xfea"},
		{start: `{"content":"`, part: a, end: `"}`},
		{start: `{"content":"`, part: `x\n\u00e9`, end: `"}`},
		{start: `[`, part: `{"id":1,"name":"words","list":[1,{"a":"words"}]},`, end: `0]`},
		{start: `{`, part: `"` + strings.Repeat("k", 1<<20) + `":1,`, end: `"last":2}`},
		{part: `[`},
		{part: `{"a":`},
		{start: `[`, part: `1`, end: `]`},
		{start: `[`, part: ` `, end: `]`},
		{part: "{\"id\":1,\"text\":\"words\"}\n"},
		{start: strings.Repeat(`{"a":[`, 4000), part: `"words",`, end: `1]`},
		{start: strings.Repeat(`{"words":[`, 4000), part: `{"b":"words and other words"},`, end: `1]`},
	} {
		text.size = int64(soak.Times(2, 64)) << 20
		if race.Enabled {
			text.size = 512 << 10
		}
		for _, req := range []excerpt.Request{{}, {Offset: 90_000}, {Path: "$"}, {Path: "$[*].id"}, {Path: "$.content"}, {Path: "$.last"}, {Query: "words other"}, {Query: "words", Limit: 1000}, {Path: "$.none", Query: "aaa"}} {
			readBounded(t, text, req)
		}
	}
}

func TestLargeTextsAreBounded(t *testing.T) {
	if race.Enabled {
		t.Skip("nothing is concurrent, and the detector makes it slow")
	}
	const size = 64 << 20
	long := strings.Repeat("long ", 10_000)
	readBounded(t, endless{part: long, size: size}, excerpt.Request{Offset: 100})
	readBounded(t, endless{part: long, size: size}, excerpt.Request{Query: "nothing"})
	content := endless{start: `{"content":"`, part: long, end: `"}`, size: size}
	readBounded(t, content, excerpt.Request{Path: "$.content"})
	readBounded(t, content, excerpt.Request{Query: "long"})
	readBounded(t, endless{start: `[`, part: `{"id":"x"},`, end: `0]`, size: size}, excerpt.Request{Path: "$[*].id", Offset: 1_000_000})
}

func TestDeepJSON(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`{"a":[`, 4000) + `"needle"` + strings.Repeat(`]}`, 4000)
	got, err := read(t, text, excerpt.Request{Query: "needle"}, maxBytes)
	require.NoError(t, err)
	assert.Contains(t, got, `: {"a":["needle"]}`)
	got, err = read(t, strings.Repeat("[", 20_000), excerpt.Request{Path: "$[0]"}, maxBytes)
	require.NoError(t, err)
	assert.Contains(t, got, "the JSON is nested too deep after 10,00")
}

func BenchmarkRead(b *testing.B) {
	var doc bytes.Buffer
	doc.WriteString(`{"items":[`)
	for doc.Len() < 5<<20 {
		doc.WriteString(`{"id":"item-1234","name":"A name of some words","price":12.5,"tags":["red","small"],"owner":{"name":"Ann","city":"Berlin"}},` + "\n")
	}
	doc.WriteString(`{"id":"last"}]}`)
	for name, req := range map[string]excerpt.Request{"lines": {}, "path": {Path: "$.items[*].price", Offset: 30_000}, "words": {Query: "last item in Berlin"}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(doc.Len()))
			b.ReportAllocs()
			for b.Loop() {
				_, err := excerpt.Read(b.Context(), bytes.NewReader(doc.Bytes()), int64(doc.Len()), req, maxBytes)
				require.NoError(b, err)
			}
		})
	}
	b.Run("words in text", func(b *testing.B) {
		b.SetBytes(int64(doc.Len()))
		b.ReportAllocs()
		for b.Loop() {
			text := append([]byte("log:\n"), doc.Bytes()...)
			_, err := excerpt.Read(b.Context(), bytes.NewReader(text), int64(len(text)), excerpt.Request{Query: "last item in Berlin"}, maxBytes)
			require.NoError(b, err)
		}
	})
}
