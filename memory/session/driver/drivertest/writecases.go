package drivertest

import (
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func writeCases() []testCase {
	return []testCase{{
		Name:  "write makes a session",
		About: "A Write with the condition of no session makes it, with messages, and is refused when it is there.",
		Run:   writeMakes,
	}, {
		Name:  "write changes nothing that is not there",
		About: "A Write to a session that is not there is a conflict if it was to be there, and makes none.",
		Run:   writeAbsent,
	}, {
		Name:  "write replaces the head",
		About: "A Write replaces head and format, adds messages, and makes the revision larger by one.",
		Run:   writeReplaces,
	}, {
		Name:  "write on a condition",
		About: "A Write is refused, and changes nothing, unless revision and Next are what its condition says; Next 0 lets others append.",
		Run:   writeConditions,
	}, {
		Name:  "revisions of a session that is made again",
		About: "A session that is deleted and made again has another revision, so that a condition from before fails.",
		Run:   writeRevisions,
	}, {
		Name:  "write drops messages",
		About: "DropBefore removes the messages with lower numbers; those beyond Next count as that; others keep their numbers and their tokens count.",
		Run:   writeDrops,
	}, {
		Name:  "numbers are not given twice",
		About: "Sequence numbers go on after messages have left, also after all of them have.",
		Run:   numbersGoOn,
	}, {
		Name:  "write drops, then adds",
		About: "A Write that drops messages and adds some drops first, and can bring back ids that left.",
		Run:   dropThenAdd,
	}, {
		Name:  "write of thousands of messages",
		About: "5,000 messages in one Write are added, all of them, and dropped in another.",
		Run:   writeMany,
	}}
}

func writeMakes(e *env) {
	w := writeIf(driver.Condition{}, `"made"`, "a", "b", "a")
	w.DropBefore = 7 // nothing is there to drop
	w.Window = 9
	p := e.write(w)
	require.NotZero(e, p.Revision)
	require.Equal(e, [2]uint64{1, 3}, [2]uint64{p.First, p.Next})
	require.Equal(e, int64(9), p.Window)
	r := e.has("a", "b")
	requireSamePosition(e, p, r.Position)
	require.Equal(e, `"made"`, string(r.Head))
	require.Equal(e, format, r.Format)
	e.conflict(writeIf(driver.Condition{}, `"again"`, "c"))
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	e.write(writeIf(driver.Condition{}, `"again"`, "c"))
	e.has("c")
}

func writeAbsent(e *env) {
	for _, c := range []driver.Condition{{Revision: 1}, {Revision: 1, Next: 1}, {Revision: math.MaxInt64}, {Revision: math.MaxUint64, Next: math.MaxUint64}} {
		e.conflict(writeIf(c, `1`, "a"))
	}
	page, err := e.store.List(e.ctx, driver.ListOptions{Limit: -1})
	require.NoError(e, err)
	require.Zero(e, page.Total)
}

func writeReplaces(e *env) {
	p := e.append("a")
	w := writeIf(at(p), `{"new":true}`, "b")
	w.Format = format + 1
	q := e.write(w)
	require.Equal(e, p.Revision+1, q.Revision)
	require.Equal(e, p.Version()+2, q.Version())
	r := e.has("a", "b")
	requireSamePosition(e, q, r.Position)
	require.Equal(e, `{"new":true}`, string(r.Head))
	require.Equal(e, format+1, r.Format)
	w = writeIf(at(q), `1`)
	w.Format = format + 1
	require.Equal(e, p.Revision+2, e.write(w).Revision)
}

func writeConditions(e *env) {
	p := e.append("a", "b")
	for _, c := range []driver.Condition{
		{}, {Revision: p.Revision + 1}, {Revision: p.Revision - 1, Next: p.Next},
		{Revision: p.Revision, Next: p.Next + 1}, {Revision: p.Revision, Next: p.Next - 1}, {Revision: p.Revision, Next: 1},
		{Revision: math.MaxUint64}, {Revision: p.Revision, Next: math.MaxUint64}, {Revision: p.Revision, Next: math.MaxInt64},
	} {
		w := writeIf(c, `"refused"`, "c")
		w.DropBefore, w.Window, w.TTL, w.Now = 2, 77, time.Hour, writeTime.Add(time.Hour)
		e.conflict(w)
	}
	stale := p
	p = e.append("c")
	e.conflict(writeIf(at(stale), `"refused"`))
	p = e.write(writeIf(driver.Condition{Revision: p.Revision}, `"written"`))
	require.Equal(e, stale.Revision+1, p.Revision)
	e.conflict(writeIf(driver.Condition{Revision: stale.Revision}, `"refused"`))
	p = e.write(writeIf(at(p), `"again"`, "d"))
	require.Equal(e, `"again"`, string(e.has("a", "b", "c", "d").Head))
	require.Equal(e, stale.Revision+2, p.Revision)
}

func writeRevisions(e *env) {
	seen := map[uint64]bool{}
	var before []driver.Position
	for range 10 {
		p := e.append("a")
		require.False(e, seen[p.Revision], "revision %d was there before", p.Revision)
		seen[p.Revision] = true
		for _, old := range before {
			e.conflict(writeIf(at(old), `"refused"`))
			e.conflict(writeIf(driver.Condition{Revision: old.Revision}, `"refused"`))
		}
		before = append(before, p)
		require.NoError(e, e.store.Delete(e.ctx, key, nil))
		e.conflict(writeIf(at(p), `"refused"`))
	}
	p := e.write(writeIf(driver.Condition{}, `1`))
	require.False(e, seen[p.Revision])
}

func writeDrops(e *env) {
	p := e.append(numbered(1, 10)...)
	for _, c := range []struct {
		before uint64
		first  int
	}{{0, 1}, {1, 1}, {2, 2}, {5, 5}, {4, 5}, {5, 5}, {1, 5}, {10, 10}, {11, 11}, {11, 11}, {3, 11}} {
		w := writeIf(at(p), `1`)
		w.DropBefore = c.before
		p = e.write(w)
		require.Equal(e, uint64(c.first), p.First, "drop before %d", c.before)
		require.Equal(e, uint64(11), p.Next, "drop before %d", c.before)
		requireSamePosition(e, p, e.has(numbered(c.first, 10)...).Position)
	}
	for _, before := range []uint64{100, math.MaxInt64, math.MaxUint64} {
		e.append("x", "y")
		w := writeIf(driver.Condition{Revision: p.Revision}, `1`)
		w.DropBefore = before
		p = e.write(w)
		require.Equal(e, p.Next, p.First)
		require.Zero(e, p.Tokens)
		e.has()
		require.NoError(e, e.store.Delete(e.ctx, key, nil))
		p = e.append("z")
	}
}

func numbersGoOn(e *env) {
	p := e.append("a", "b", "c")
	w := writeIf(at(p), `1`)
	w.DropBefore = p.Next
	p = e.write(w)
	require.Equal(e, [2]uint64{4, 4}, [2]uint64{p.First, p.Next})
	p = e.append("d")
	require.Equal(e, [2]uint64{4, 5}, [2]uint64{p.First, p.Next})
	w = writeIf(at(p), `1`, "e", "f")
	w.DropBefore = 100
	p = e.write(w)
	require.Equal(e, [2]uint64{5, 7}, [2]uint64{p.First, p.Next})
	require.Equal(e, uint64(5), e.has("e", "f").First)
}

func dropThenAdd(e *env) {
	p := e.append("a", "b", "c")
	w := writeIf(at(p), `1`, "b", "a", "x", "c", "x")
	w.DropBefore = 3
	p = e.write(w)
	require.Equal(e, [2]uint64{3, 7}, [2]uint64{p.First, p.Next})
	e.has("c", "b", "a", "x")
	e.appendTo(key, appendOf("a", "b", "c", "x"), 0)
	w = writeIf(at(p), `1`, "a", "b", "c", "x")
	w.DropBefore = p.Next
	p = e.write(w)
	require.Equal(e, [2]uint64{7, 11}, [2]uint64{p.First, p.Next})
	e.has("a", "b", "c", "x")
}

func writeMany(e *env) {
	ids := numbered(1, 5000)
	p := e.write(writeIf(driver.Condition{}, `1`, ids...))
	requireSamePosition(e, p, e.has(ids...).Position)
	w := writeIf(at(p), `1`, numbered(5001, 10_000)...)
	w.DropBefore = 4901
	e.write(w)
	e.has(numbered(4901, 10_000)...)
}
