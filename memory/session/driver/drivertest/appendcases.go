package drivertest

import (
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func appendCases() []testCase {
	return []testCase{{
		Name:  "append makes a session",
		About: "An Append to a session that is not there makes it, with its head and format; the first message has number 1.",
		Run:   appendMakes,
	}, {
		Name:  "append of nothing makes a session",
		About: "An Append without messages makes a session too, and only touches one that is there.",
		Run:   appendNothing,
	}, {
		Name:  "append adds at the end",
		About: "Messages are kept in the order in which they were appended; head and format stay those of the session.",
		Run:   appendAdds,
	}, {
		Name:  "append says where the session stands",
		About: "What Append returns is what Load finds; the version grows with each message, the revision stays.",
		Run:   appendPosition,
	}, {
		Name:  "load the last messages",
		About: "Load returns the last messages: none for 0, all for a negative number or one larger than there are.",
		Run:   loadLast,
	}, {
		Name:  "load of nothing",
		About: "Load returns ErrNotFound and a nil record if there is no such session.",
		Run:   loadNothing,
	}, {
		Name:  "window is kept",
		About: "The window is that of the last Append or Write that had one.",
		Run:   windowKept,
	}, {
		Name:  "time of the last write",
		About: "UpdatedAt is Now of the last Append or Write, cut to the millisecond, whatever the zone and even if it is earlier than before.",
		Run:   updatedAt,
	}, {
		Name:  "input is not kept",
		About: "A store keeps no slice that it was given: the caller may use it again.",
		Run:   inputNotKept,
	}, {
		Name:  "snapshots stay",
		About: "What Load returned does not change when the session does.",
		Run:   snapshotsStay,
	}}
}

func appendMakes(e *env) {
	e.absent(key)
	a := appendOf("a", "b")
	a.Window = 8000
	p := e.appendTo(key, a, 2)
	require.NotZero(e, p.Revision)
	require.Equal(e, uint64(1), p.First)
	require.Equal(e, uint64(3), p.Next)
	require.Equal(e, int64(8000), p.Window)
	require.Equal(e, tokensOf(a.Messages), p.Tokens)
	require.True(e, p.ExpiresAt.IsZero(), "expires at %v", p.ExpiresAt)
	r := e.has("a", "b")
	requireSamePosition(e, p, r.Position)
	require.Equal(e, `"head"`, string(r.Head))
	require.Equal(e, format, r.Format)
}

func appendNothing(e *env) {
	p := e.append()
	require.NotZero(e, p.Revision)
	require.Equal(e, [2]uint64{1, 1}, [2]uint64{p.First, p.Next})
	require.Zero(e, p.Tokens)
	require.Equal(e, `"head"`, string(e.has().Head))
	e.append("a")
	a := appendOf()
	a.Head, a.Now = []byte(`"other"`), writeTime.Add(time.Second)
	again := e.appendTo(key, a, 0)
	require.Equal(e, p.Revision, again.Revision)
	require.True(e, writeTime.Add(time.Second).Truncate(time.Millisecond).Equal(again.UpdatedAt), again.UpdatedAt)
	require.Equal(e, `"head"`, string(e.has("a").Head))
}

func appendAdds(e *env) {
	e.append("b")
	e.append("c", "a")
	a := appendOf("d")
	a.Head, a.Format = []byte(`"other"`), format+2
	e.appendTo(key, a, 1)
	r := e.has("b", "c", "a", "d")
	require.Equal(e, `"head"`, string(r.Head))
	require.Equal(e, format, r.Format)
	require.Equal(e, uint64(1), r.First)
}

func appendPosition(e *env) {
	first := e.append(numbered(1, 3)...)
	second := e.append(numbered(4, 10)...)
	require.Equal(e, first.Revision, second.Revision)
	require.Equal(e, first.Version()+7, second.Version())
	require.Equal(e, uint64(11), second.Next)
	requireSamePosition(e, second, e.has(numbered(1, 10)...).Position)
}

func loadLast(e *env) {
	e.append(numbered(1, 7)...)
	e.write(driver.Write{If: at(e.has(numbered(1, 7)...).Position), Head: []byte(`1`), DropBefore: 3, Format: format, Now: writeTime})
	all := e.has(numbered(3, 7)...)
	for last, want := range map[int]int{-1: 5, math.MinInt: 5, 0: 0, 1: 1, 4: 4, 5: 5, 6: 5, math.MaxInt32 - 1: 5, math.MaxInt: 5} {
		r, err := e.store.Load(e.ctx, key, last)
		require.NoError(e, err)
		requireSamePosition(e, all.Position, r.Position)
		require.Equal(e, `1`, string(r.Head))
		requireMessages(e, all.Messages[5-want:], r.Messages)
	}
}

func loadNothing(e *env) {
	for _, last := range []int{-1, 0, 1} {
		r, err := e.store.Load(e.ctx, key, last)
		require.ErrorIs(e, err, driver.ErrNotFound)
		require.Nil(e, r)
	}
}

func windowKept(e *env) {
	with := func(window int64, ids ...string) driver.Append {
		a := appendOf(ids...)
		a.Window = window
		return a
	}
	require.Zero(e, e.appendTo(key, with(0, "a"), 1).Window)
	require.Equal(e, int64(16000), e.appendTo(key, with(16000, "b"), 1).Window)
	p := e.appendTo(key, with(0, "c"), 1)
	require.Equal(e, int64(16000), p.Window)
	p = e.write(writeIf(at(p), `1`))
	require.Equal(e, int64(16000), p.Window)
	w := writeIf(at(p), `2`)
	w.Window = 1 << 40
	p = e.write(w)
	require.Equal(e, int64(1<<40), p.Window)
	require.Equal(e, int64(128), e.appendTo(key, with(128, "c"), 0).Window, "an Append that adds nothing sets it too")
	require.Equal(e, int64(128), e.has("a", "b", "c").Window)
}

func updatedAt(e *env) {
	now := writeTime
	var p driver.Position
	check := func() {
		e.Helper()
		require.Equal(e, now.UnixMilli(), p.UpdatedAt.UnixMilli())
		require.Equal(e, now.Truncate(time.Millisecond).UTC(), p.UpdatedAt.UTC())
		requireSamePosition(e, p, e.has("a").Position)
	}
	for _, a := range []time.Time{writeTime, writeTime.Add(time.Hour).In(time.FixedZone("", 3600)), writeTime.Add(-24 * time.Hour)} {
		now = a
		next := appendOf("a")
		next.Now = now
		var err error
		p, _, err = e.store.Append(e.ctx, key, next)
		require.NoError(e, err)
		check()
		now = now.Add(1500 * time.Microsecond)
		w := writeIf(at(p), `1`)
		w.Now = now
		p = e.write(w)
		check()
	}
}

func inputNotKept(e *env) {
	spoil := func(b []byte) {
		for i := range b {
			b[i] = 'X'
		}
	}
	a := appendOf("a", "b")
	p := e.appendTo(key, a, 2)
	spoil(a.Head)
	spoil(a.Messages[0].Body)
	a.Messages[1] = message("X")
	require.Equal(e, `"head"`, string(e.has("a", "b").Head))
	w := writeIf(at(p), `"written"`, "c", "d")
	e.write(w)
	spoil(w.Head)
	spoil(w.Messages[0].Body)
	w.Messages[1] = message("X")
	require.Equal(e, `"written"`, string(e.has("a", "b", "c", "d").Head))
	require.Zero(e, w.Messages[0].Seq, "the caller's message was changed")
}

func snapshotsStay(e *env) {
	e.append(numbered(1, 5)...)
	r := e.has(numbered(1, 5)...)
	last, err := e.store.Load(e.ctx, key, 2)
	require.NoError(e, err)
	e.append("x")
	_ = append(r.Messages, message("mine"))
	w := writeIf(at(e.append("y")), `"written"`, "z")
	w.DropBefore = 5
	e.write(w)
	e.has("m5", "x", "y", "z")
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	require.Equal(e, `"head"`, string(r.Head))
	requireConsistent(e, r)
	want := messages(numbered(1, 5)...)
	for i := range want {
		want[i].Seq = uint64(i + 1)
	}
	requireMessages(e, want, r.Messages)
	requireMessages(e, want[3:], last.Messages)
}
