package drivertest

import (
	"fmt"
	"math"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func bodyCases() []testCase {
	return []testCase{{
		Name:  "bodies come back as they were",
		About: "Bodies are kept byte for byte: no JSON is read and written anew.",
		Run:   bodies,
	}, {
		Name:  "large bodies",
		About: "Bodies of megabytes are kept, beside small ones.",
		Run:   largeBodies,
	}, {
		Name:  "heads come back as they were",
		About: "A head is bytes, which need not be JSON; it may be empty, and large.",
		Run:   heads,
	}, {
		Name:  "tokens add up",
		About: "Position.Tokens is the sum of the tokens of the messages that are there, large numbers and zeros too.",
		Run:   tokens,
	}}
}

func oddBodies() []string {
	return []string{
		`1`, `""`, `{}`, `[]`, `null`, ` { "b" : 1 , "a" : 2 , "b" : 3 } `, "{\n\t\"a\":\r\n1}\n",
		`"\u0000"`, `{"a\u0000b":"\u0000"}`, `"\ud800"`, `"\udc00\ud800"`, `"\ud83d\ude00 😀"`, `"\u00e9 é \/ /"`,
		"\"\u2028\u2029\"", "\"\ufeff\u200b\u202e\"", `"<script>&amp;'\\\""`, `1e400`, `-0`, `1.0`, `0.1000000000000000055`,
		`123456789012345678901234567890`, `"` + strings.Repeat("[", 20_000) + `"`, strings.Repeat("[", 900) + strings.Repeat("]", 900),
		`"$1 ? :a %s {} ' -- ; \\x00"`, `"*3\r\n$3\r\nSET\r\n"`,
	}
}

func bodies(e *env) {
	var all []driver.StoredMessage
	for i, body := range oddBodies() {
		all = append(all, driver.StoredMessage{ID: fmt.Sprint(i), Tokens: int64(i), Body: []byte(body)})
	}
	a := appendOf()
	a.Messages = all
	p := e.appendTo(key, a, len(all))
	check := func() {
		r := e.load()
		for i := range all {
			all[i].Seq = r.First + uint64(i)
		}
		requireMessages(e, all, r.Messages)
		for i := range all {
			all[i].Seq = 0
		}
	}
	check()
	w := writeIf(at(p), `1`)
	w.DropBefore, w.Messages = p.Next, all
	e.write(w)
	check()
}

func largeBodies(e *env) {
	text := func(n int) driver.StoredMessage {
		return driver.StoredMessage{ID: fmt.Sprint(n), Tokens: int64(n / 4), Body: []byte(`"` + strings.Repeat("é€😀\u2028", n/12) + `"`)}
	}
	a := appendOf()
	a.Messages = []driver.StoredMessage{text(12), text(5 << 20), text(24)}
	e.appendTo(key, a, 3)
	a.Messages = append(a.Messages, text(1<<20))
	e.appendTo(key, a, 1)
	r := e.load()
	requireConsistent(e, r)
	for i := range a.Messages {
		a.Messages[i].Seq = uint64(i + 1)
	}
	requireMessages(e, a.Messages, r.Messages)
}

func heads(e *env) {
	heads := append(oddBodies(), "", "\x00", "not JSON", "\xff\xfe\x00\x80", strings.Repeat("0123456789", 300_000))
	var p driver.Position
	for i, head := range heads {
		made := driver.Key{Namespace: "made", SessionID: fmt.Sprint(i)}
		a := appendOf("a")
		a.Head = []byte(head)
		e.appendTo(made, a, 1)
		require.True(e, head == string(e.keyHas(made, "a").Head), "head %d made by Append", i)
		w := writeIf(driver.Condition{}, head)
		if i > 0 {
			w.If = at(p)
		}
		p = e.write(w)
		require.True(e, head == string(e.has().Head), "head %d", i)
	}
	w := writeIf(at(p), "")
	w.Head = nil
	e.write(w)
	require.Empty(e, e.has().Head)
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	a := appendOf("a")
	a.Head = nil
	e.appendTo(key, a, 1)
	require.Empty(e, e.has("a").Head)
}

func tokens(e *env) {
	a := appendOf("a", "b", "c", "d")
	for i, n := range []int64{0, math.MaxInt32, 1 << 40, 1} {
		a.Messages[i].Tokens = n
	}
	p := e.appendTo(key, a, 4)
	require.Equal(e, int64(math.MaxInt32+1<<40+1), p.Tokens)
	for i, want := range []int64{math.MaxInt32 + 1<<40 + 1, 1<<40 + 1, 1, 0} {
		w := writeIf(at(p), `1`)
		w.DropBefore = uint64(i + 2)
		p = e.write(w)
		require.Equal(e, want, p.Tokens, "without the first %d", i+1)
		requireConsistent(e, e.load())
	}
}
