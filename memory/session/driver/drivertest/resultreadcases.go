package drivertest

import (
	"bytes"
	"io"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// resultSizes are around those of the chunks that stores use.
var resultSizes = []int{0, 1, 100, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<18 - 1, 1 << 18, 1<<18 + 1, 3<<18 + 17, 2 << 20}

func resultsRead(e *resultEnv) {
	e.append("a")
	var all []driver.StoredResult
	for _, size := range resultSizes {
		all = append(all, result("r"+strings.Repeat("x", len(all)), size))
	}
	e.put(all...)
	e.keeps(key, all...)
	last := all[len(all)-1]
	p := make([]byte, 100_000)
	for offset := 0; offset < len(last.Content); offset += 99_991 {
		n, err := e.store.ReadResult(e.ctx, key, driver.ToolResult, last.ID, p, int64(offset))
		want := last.Content[offset:min(offset+len(p), len(last.Content))]
		require.True(e, err == nil || err == io.EOF && len(want) < len(p), "%v", err)
		require.True(e, bytes.Equal(want, p[:n]), "from %d", offset)
	}
}

func resultsEdges(e *resultEnv) {
	e.append("a")
	e.put(result("none", 0), result("some", 1<<18+10))
	content := result("some", 1<<18+10).Content
	for _, c := range []struct {
		id     string
		offset int64
		p      int
		want   []byte
		err    error
	}{
		{"none", 0, 0, nil, nil}, {"none", 0, 1, nil, io.EOF}, {"none", 1, 1, nil, io.EOF},
		{"some", 0, 0, nil, nil}, {"some", 0, 1, content[:1], nil}, {"some", 1, 3, content[1:4], nil},
		{"some", 1<<16 - 1, 2, content[1<<16-1 : 1<<16+1], nil}, {"some", 1<<18 - 1, 2, content[1<<18-1 : 1<<18+1], nil},
		{"some", 1 << 18, 10, content[1<<18:], nil}, {"some", 1 << 18, 11, content[1<<18:], io.EOF},
		{"some", 1<<18 + 9, 1 << 20, content[1<<18+9:], io.EOF}, {"some", 0, 1 << 20, content, io.EOF},
		{"some", 1<<18 + 10, 1, nil, io.EOF}, {"some", 1<<18 + 10, 0, nil, nil},
		{"some", 1 << 40, 1 << 10, nil, io.EOF}, {"some", 1<<63 - 1, 1, nil, io.EOF}, {"some", 1<<63 - 1, 1 << 20, nil, io.EOF},
	} {
		p := make([]byte, c.p)
		n, err := e.store.ReadResult(e.ctx, key, driver.ToolResult, c.id, p, c.offset)
		require.Equal(e, c.err, err, "%d bytes from %d", c.p, c.offset)
		require.True(e, bytes.Equal(c.want, p[:n]), "%d bytes from %d", c.p, c.offset)
	}
	for _, offset := range []int64{-1, -1 << 63} {
		_, err := e.store.ReadResult(e.ctx, key, driver.ToolResult, "some", make([]byte, 2), offset)
		require.Error(e, err)
		require.NotErrorIs(e, err, io.EOF)
	}
}

func resultsInOrder(e *resultEnv) {
	other := driver.Key{Namespace: "ns", UserID: "user", SessionID: "session2"}
	e.append("a")
	e.appendTo(other, appendOf("a"), 1)
	e.keeps(key)
	var mine, others []driver.StoredResult
	for _, id := range []string{"9", "10", "b", "a", "8", "c"} {
		mine = append(mine, result(id, 10+len(mine)))
		e.put(mine[len(mine)-1])
		theirs := result(id, 50+len(others))
		require.NoError(e, e.store.PutResult(e.ctx, other, theirs, unlimited))
		others = append(others, theirs)
	}
	e.keeps(key, mine...)
	e.keeps(other, others...)
}

func resultsIDs(e *resultEnv) {
	e.append("a")
	var all []driver.StoredResult
	for _, id := range []string{
		"0", "1", "00", "0 1", " 1", "1 ", "size 0", "a", "A", "a\x00", "\x00", "\x00a", "é", "e\u0301", "日本", "result#1", "a/b:{c}*?",
		"\n", `"'\`, strings.Repeat("x", driver.MaxIDBytes), strings.Repeat("x", driver.MaxIDBytes-1),
	} {
		r := result(id, 5)
		r.Content = []byte("of " + id)
		r.Size = int64(len(r.Content))
		all = append(all, r)
	}
	e.put(all...)
	e.keeps(key, all...)
	for _, id := range []string{"", "2", "B", "e", "日", strings.Repeat("x", driver.MaxIDBytes+1)} {
		e.lacks(key, id)
	}
}
