package drivertest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func dueCases() []testCase {
	return []testCase{{
		Name:  "due by append",
		About: "Append sets when a session is due, to the millisecond, where it is not due yet, also when it adds nothing; it never changes it.",
		Run:   dueByAppend,
	}, {
		Name:  "due by write",
		About: "Write sets when a session is due, earlier or later; the zero time takes it away, nil leaves it.",
		Run:   dueByWrite,
	}, {
		Name:  "due in order",
		About: "Due returns the sessions that are due by a time, the earliest first, and no more than it is asked for.",
		Run:   dueInOrder,
	}, {
		Name:  "due of keys of all sorts",
		About: "Due returns keys as they are, whatever is in them.",
		Run:   dueOfKeys,
	}, {
		Name:  "due is left by what is refused",
		About: "An Append or a Write that is refused does not change when a session is due. One of a later format is due like any other.",
		Run:   dueRefused,
	}, {
		Name:  "due and deleted",
		About: "A session that is deleted is not due, nor when it is made again, unless what makes it says so.",
		Run:   dueDeleted,
	}, {
		Name:  "expired: due",
		About: "A session that has expired is not due, nor when it is made again, unless what makes it says so.",
		Run:   dueExpired,
	}, {
		Name:  "due at once",
		About: "What is appended while another takes the due time away on a condition makes the session due again.",
		Run:   dueAtOnce,
	}, {
		Name:  "due of many at once",
		About: "Sessions that are made due and not due by many at once are each what they were made last.",
		Run:   dueOfManyAtOnce,
	}}
}

// dueTime is when most cases make sessions due. It has more digits than a store keeps.
var dueTime = writeTime.Add(time.Hour)

// longAfter is after all due times.
var longAfter = time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC)

func millis(t time.Time) time.Time { return t.Truncate(time.Millisecond) }

// dueBy returns the sessions that are due by a time.
func (e *env) dueBy(by time.Time, limit int) []driver.Key {
	e.Helper()
	keys, err := e.store.Due(e.ctx, by, limit)
	require.NoError(e, err)
	return keys
}

// isDue requires that the session "key", and no other, is due at a time, or not at all if that
// is zero.
func (e *env) isDue(want time.Time) {
	e.Helper()
	want = millis(want)
	got := e.load().DueAt
	require.True(e, want.Equal(got), "due at %v, not at %v", got, want)
	if want.IsZero() {
		require.Empty(e, e.dueBy(longAfter, 10))
		return
	}
	require.Empty(e, e.dueBy(want.Add(-1), 10), "due too early")
	require.Equal(e, []driver.Key{key}, e.dueBy(want, 10))
	require.Equal(e, []driver.Key{key}, e.dueBy(longAfter, 10))
}

// appendDue returns an Append that makes a session due.
func appendDue(due time.Time, ids ...string) driver.Append {
	a := appendOf(ids...)
	a.Due = due
	return a
}

// writeDue returns a Write that makes a session due.
func writeDue(c driver.Condition, due time.Time, ids ...string) driver.Write {
	w := writeIf(c, `1`, ids...)
	w.Due = &due
	return w
}

func dueByAppend(e *env) {
	e.append("a")
	e.isDue(time.Time{})
	p := e.appendTo(key, appendDue(dueTime, "b"), 1)
	require.True(e, millis(dueTime).Equal(p.DueAt), "%v", p.DueAt)
	e.isDue(dueTime)
	for _, other := range []time.Time{{}, dueTime.Add(-time.Hour), dueTime.Add(time.Hour), dueTime.Add(-time.Millisecond)} {
		e.appendTo(key, appendDue(other, fmt.Sprint(other)), 1)
		e.isDue(dueTime)
		e.appendTo(key, appendDue(other), 0)
		e.isDue(dueTime)
	}
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	e.appendTo(key, appendDue(dueTime, "a"), 1)
	e.isDue(dueTime)
	e.write(writeDue(at(e.load().Position), time.Time{}))
	e.isDue(time.Time{})
	e.appendTo(key, appendDue(dueTime.Add(time.Minute), "a"), 0)
	e.isDue(dueTime.Add(time.Minute))
}

func dueByWrite(e *env) {
	p := e.write(writeDue(driver.Condition{}, dueTime, "a"))
	require.True(e, millis(dueTime).Equal(p.DueAt), "%v", p.DueAt)
	e.isDue(dueTime)
	for _, due := range []time.Time{
		dueTime.Add(time.Hour), dueTime.Add(-time.Hour), dueTime.Add(-time.Hour + time.Millisecond), {}, {}, dueTime, {}, dueTime,
	} {
		w := writeDue(at(p), due)
		p = e.write(w)
		e.isDue(due)
		p = e.write(writeIf(at(p), `2`, fmt.Sprint(p.Revision)))
		requireSamePosition(e, p, e.load().Position)
		e.isDue(due)
	}
	w := writeIf(at(p), `1`)
	w.DropBefore, w.TTL, w.Window = p.Next, time.Hour, 8000
	p = e.write(w)
	e.isDue(dueTime)
	w = writeIf(at(p), `1`)
	w.TTL = driver.NoExpiry
	e.write(w)
	e.isDue(dueTime)
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	e.write(writeDue(driver.Condition{}, time.Time{}, "a"))
	e.isDue(time.Time{})
}

func dueInOrder(e *env) {
	require.Empty(e, e.dueBy(longAfter, 10))
	const n = 40
	var want []driver.Key
	for i := range n {
		// The keys are in another order than the times.
		want = append(want, driver.Key{Namespace: "due", SessionID: fmt.Sprint("s", i*7%n)})
	}
	due := func(i int) time.Time { return dueTime.Add(time.Duration(i) * time.Second) }
	for at := range n {
		i := at * 11 % n
		e.appendTo(want[i], appendDue(due(i), "a"), 1)
		e.appendTo(driver.Key{Namespace: "not due", SessionID: fmt.Sprint(i)}, appendOf("a"), 1)
	}
	for _, limit := range []int{math.MinInt, -1, 0, 1, 2, 7, n - 1, n, n + 1, math.MaxInt} {
		require.True(e, slices.Equal(want[:min(max(limit, 0), n)], e.dueBy(longAfter, limit)), "limit %d", limit)
		require.True(e, slices.Equal(want[:min(max(limit, 0), 8)], e.dueBy(millis(due(7)), limit)), "limit %d", limit)
	}
	require.Empty(e, e.dueBy(millis(due(0)).Add(-1), n))
	require.Empty(e, e.dueBy(time.Time{}, n))
	// The first session becomes the last, and another one is not due any more.
	moved := want[0]
	_, err := e.store.Write(e.ctx, moved, writeDue(e.condition(moved), due(n)))
	require.NoError(e, err)
	_, err = e.store.Write(e.ctx, want[5], writeDue(e.condition(want[5]), time.Time{}))
	require.NoError(e, err)
	want = append(slices.Delete(slices.Clone(want), 5, 6)[1:], moved)
	require.True(e, slices.Equal(want, e.dueBy(longAfter, n)), "%v", e.dueBy(longAfter, n))
	require.True(e, slices.Equal(want[:3], e.dueBy(longAfter, 3)))
}

// condition returns the current condition of a session.
func (e *env) condition(key driver.Key) driver.Condition {
	e.Helper()
	r, err := e.store.Load(e.ctx, key, 0)
	require.NoError(e, err)
	return at(r.Position)
}

func dueOfKeys(e *env) {
	keys := []driver.Key{
		{SessionID: "a"}, {SessionID: "é"}, {SessionID: "\xff"}, {SessionID: "\x00"}, {SessionID: "a b"}, {SessionID: "a/b"}, {SessionID: "{a}"},
		{UserID: "a", SessionID: "a"}, {Namespace: "a", SessionID: "a"}, {Namespace: "a/a", SessionID: "a"}, {Namespace: "%", UserID: "*", SessionID: "'; --"},
	}
	for i, key := range keys {
		e.appendTo(key, appendDue(dueTime.Add(time.Duration(i)*time.Millisecond), "a"), 1)
	}
	require.Equal(e, keys, e.dueBy(longAfter, len(keys)))
}
