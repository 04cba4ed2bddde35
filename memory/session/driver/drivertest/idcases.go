package drivertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func idCases() []testCase {
	return []testCase{{
		Name:  "ids in the session",
		About: "A message whose id is in the session is left out of an Append or Write, and the one that is there stays as it is.",
		Run:   idsPresent,
	}, {
		Name:  "ids twice in a call",
		About: "Of two messages with one id in a call, the first counts.",
		Run:   idsTwice,
	}, {
		Name:  "ids that left",
		About: "The ids of the last 1,000 messages that left are remembered: to append them again adds nothing.",
		Run:   idsLeft,
	}, {
		Name:  "ids that came back",
		About: "A Write adds messages whose ids left; they count as there, and as having left when they leave again.",
		Run:   idsBack,
	}, {
		Name:  "ids of all sorts",
		About: "Ids are compared byte by byte, whatever is in them: NUL, quotes, emoji, numbers, 1 KiB.",
		Run:   idsOfAllSorts,
	}, {
		Name:  "append of thousands of messages",
		About: "5,000 messages in one Append are added, but those that are there.",
		Run:   idsMany,
	}}
}

func idsPresent(e *env) {
	p := e.append("a", "b")
	a := appendOf("b", "c", "a")
	a.Messages[0].Body, a.Messages[0].Tokens = []byte(`"another"`), 1000
	q := e.appendTo(key, a, 1)
	require.Equal(e, p.Next+1, q.Next)
	e.has("a", "b", "c")
	r := e.appendTo(key, a, 0)
	require.Equal(e, q.Version(), r.Version(), "nothing was added")
	w := writeIf(at(r), `1`, "c", "d")
	w.Messages[0].Body = []byte(`"another"`)
	r = e.write(w)
	require.Equal(e, q.Next+1, r.Next)
	e.has("a", "b", "c", "d")
}

func idsTwice(e *env) {
	a := appendOf("a", "b", "a", "c", "b", "a")
	a.Messages[2].Body, a.Messages[4].Tokens = []byte(`"another"`), 1000
	e.appendTo(key, a, 3)
	r := e.has("a", "b", "c")
	w := writeIf(at(r.Position), `1`, "d", "d", "e")
	w.Messages[1].Body = []byte(`"another"`)
	e.write(w)
	e.has("a", "b", "c", "d", "e")
}

func idsLeft(e *env) {
	p := e.append(numbered(1, 1500)...)
	for _, before := range []uint64{2, 501, 1000, 1201, 1301} {
		w := writeIf(at(p), `1`)
		w.DropBefore = before
		p = e.write(w)
		left := numbered(max(1, int(before)-driver.RememberedIDs), int(before)-1)
		e.appendTo(key, appendOf(left...), 0)
		require.Equal(e, numbered(int(before), 1500), idsOf(e.load().Messages))
	}
	p = e.appendTo(key, appendOf(append(numbered(301, 1500), "new")...), 1)
	w := writeIf(at(p), `1`)
	w.DropBefore = p.Next
	p = e.write(w)
	require.Zero(e, p.Len())
	e.appendTo(key, appendOf(append(numbered(502, 1500), "new")...), 0)
	e.has()
}

func (e *env) load() *driver.StoredSession {
	e.Helper()
	r, err := e.store.Load(e.ctx, key, -1)
	require.NoError(e, err)
	return r
}

func idsOf(all []driver.StoredMessage) []string {
	ids := make([]string, len(all))
	for i, m := range all {
		ids[i] = m.ID
	}
	return ids
}

func idsBack(e *env) {
	p := e.append(numbered(1, 50)...)
	for range 3 {
		w := writeIf(at(p), `1`)
		w.DropBefore = p.Next
		p = e.write(w)
		e.appendTo(key, appendOf(numbered(1, 50)...), 0)
		p = e.write(writeIf(at(p), `2`, numbered(1, 50)...))
		e.appendTo(key, appendOf(numbered(1, 50)...), 0)
		e.has(numbered(1, 50)...)
		w = writeIf(at(p), `3`, "m50", "m1")
		w.DropBefore = p.First + 49 // all but m50
		p = e.write(w)
		e.has("m50", "m1")
		w = writeIf(at(p), `4`, numbered(1, 50)...)
		w.DropBefore = p.Next
		p = e.write(w)
	}
	e.has(numbered(1, 50)...)
}

// oddTexts returns texts that differ as bytes, but may be equal in other respects.
func oddTexts() []string {
	long := strings.Repeat("x", driver.MaxIDBytes-1)
	texts := []string{
		"a", "A", "a ", " a", "a\x00", "\x00", "a\x00b", "a\x00c", "0", "00", "1", "01", "1.0", "1e0", "+1", "-1", "true", "null", "nil",
		`"`, `""`, `'`, `''`, `\`, `\\`, `\n`, "\n", "\r\n", "\t", "a,b", "a:b", "a/b", "{a}", "[a]", "(a)", "*", "?", "%", "%61", "%2F", "_", "$1", "@a", ";--",
		"é", "e\u0301", "ß", "ss", "İ", "i", "I", "ı", "\u2028", "\u200b", "\ufeff", "😀", "👩‍👩‍👧", "日本", "\U0010ffff", "<a>", "&amp;",
		long + "y", long + "z", strings.Repeat("é", driver.MaxIDBytes/2), strings.Repeat("\x00", driver.MaxIDBytes),
	}
	return texts
}

func idsOfAllSorts(e *env) {
	ids := oddTexts()
	e.append(ids...)
	e.has(ids...)
	slices.Reverse(ids)
	p := e.appendTo(key, appendOf(ids...), 0)
	w := writeIf(at(p), `1`, ids...)
	p = e.write(w)
	require.Equal(e, len(ids), p.Len())
	w = writeIf(at(p), `1`)
	w.DropBefore = p.Next
	p = e.write(w)
	e.appendTo(key, appendOf(ids...), 0)
	e.write(writeIf(at(p), `1`, ids...))
	e.has(ids...)
}

func idsMany(e *env) {
	e.append(numbered(1, 100)...)
	p := e.appendTo(key, appendOf(numbered(51, 5050)...), 4950)
	require.Equal(e, uint64(5051), p.Next)
	e.has(numbered(1, 5050)...)
	e.appendTo(key, appendOf(numbered(1, 5050)...), 0)
	for i := range 3 {
		e.append(fmt.Sprint("then ", i))
	}
	e.has(append(numbered(1, 5050), "then 0", "then 1", "then 2")...)
}
