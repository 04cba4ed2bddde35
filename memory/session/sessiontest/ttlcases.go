package sessiontest

import (
	"errors"
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

func ttlCases() []testCase {
	return []testCase{{
		"time to live is kept and replaced",
		"A TTL counts from the write that has it; a write without one leaves the expiry as it is; one that adds nothing renews it too.",
		ttlReplaced,
	}, {
		"reads do not renew",
		"Load and List leave the expiry as it is, however often they are called.",
		ttlReads,
	}, {
		"time to live is taken away",
		"NoExpiry takes a running expiry away, and does nothing where there is none.",
		ttlTakenAway,
	}, {
		"bad times to live",
		"A TTL below 0, but NoExpiry, is ErrTTL, with which nothing is changed.",
		ttlBad,
	}, {
		"short and long times to live",
		"A TTL below a millisecond counts as one; the longest is 292 years.",
		ttlExtremes,
	}, {
		"expired: load and list",
		"An expired session is neither loaded nor listed.",
		func(e *env) { e.expired(expiredRead) },
	}, {
		"expired: append",
		"Append to an expired session makes a new one: another revision, numbers from 1, and nothing of the old one.",
		func(e *env) { e.expired(expiredAppend) },
	}, {
		"expired: write",
		"Write to an expired session is a conflict if the session was to be there, and makes a new one if not.",
		func(e *env) { e.expired(expiredWrite) },
	}, {
		"expired: delete",
		"Delete of an expired session does nothing, and is a conflict with a condition.",
		func(e *env) { e.expired(expiredDelete) },
	}, {
		"expires in time",
		"A session is there until it expires, and no longer.",
		ttlInTime,
	}}
}

// shortTTL is that of sessions that the suite waits for.
const shortTTL = 40 * time.Millisecond

// withTTL is an Append with a TTL.
func withTTL(ttl time.Duration, ids ...string) session.Append {
	a := appendOf(ids...)
	a.TTL = ttl
	return a
}

// outlive returns when all sessions that were given the TTL before have expired.
func (e *env) outlive(ttl time.Duration) {
	e.Helper()
	if e.harness.Sleep != nil {
		e.harness.Sleep(ttl + time.Millisecond)
		return
	}
	// Another session, which expires later: to ask for those themselves could be what
	// removes them.
	later := session.Key{Namespace: "expires later", SessionID: "s"}
	e.appendTo(later, withTTL(ttl), 0)
	e.gone(later)
}

// gone waits until a session is not there.
func (e *env) gone(key session.Key) {
	e.Helper()
	require.Eventually(e, func() bool {
		_, err := e.store.Load(e.ctx, key, 0)
		return errors.Is(err, session.ErrNotFound)
	}, patience, 5*time.Millisecond, "the session does not expire")
}

// requireLater requires that a point in time is so much later than another, give or
// take what a server's clock went on.
func requireLater(e *env, d time.Duration, from, to time.Time) {
	e.Helper()
	slack := patience
	if e.harness.Sleep != nil {
		slack = time.Millisecond
	}
	require.WithinDuration(e, from.Add(d), to, slack)
}

func ttlReplaced(e *env) {
	p := e.appendTo(key, withTTL(time.Hour, "a"), 1)
	expires := p.ExpiresAt
	require.False(e, expires.IsZero())
	require.Equal(e, expires.Truncate(time.Millisecond), expires)
	kept := func(p session.Position) {
		e.Helper()
		require.True(e, expires.Equal(p.ExpiresAt), "%v, was %v", p.ExpiresAt, expires)
		require.True(e, expires.Equal(e.load().ExpiresAt))
	}
	kept(p)
	kept(e.append("b"))
	kept(e.appendTo(key, withTTL(0, "b"), 0))
	p = e.write(writeIf(at(e.load().Position), `1`, "c"))
	kept(p)
	replaced := func(ttl time.Duration, p session.Position) {
		e.Helper()
		requireLater(e, ttl-time.Hour, expires, p.ExpiresAt)
		requireSamePosition(e, p, e.load().Position)
	}
	replaced(3*time.Hour, e.appendTo(key, withTTL(3*time.Hour, "d"), 1))
	replaced(5*time.Hour, e.appendTo(key, withTTL(5*time.Hour), 0))
	replaced(2*time.Hour, e.appendTo(key, withTTL(2*time.Hour, "a"), 0))
	w := writeIf(session.Condition{Revision: p.Revision}, `1`)
	w.TTL = 9 * time.Hour
	replaced(9*time.Hour, e.write(w))
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	require.True(e, e.append("a").ExpiresAt.IsZero())
	w = writeIf(at(e.load().Position), `1`)
	w.TTL = 4 * time.Hour
	replaced(4*time.Hour, e.write(w))
}

func ttlReads(e *env) {
	p := e.appendTo(key, withTTL(time.Hour, "a"), 1)
	for range 3 {
		if e.harness.Sleep != nil {
			e.harness.Sleep(time.Minute)
		}
		require.True(e, p.ExpiresAt.Equal(e.has("a").ExpiresAt))
		require.Equal(e, 1, e.list(session.Filter{Limit: -1}).Total)
	}
	e.appendTo(key, withTTL(shortTTL), 0)
	if e.harness.Sleep == nil {
		e.gone(key)
		return
	}
	for range 4 {
		_, _ = e.store.Load(e.ctx, key, -1)
		e.list(session.Filter{Limit: -1})
		e.harness.Sleep(shortTTL/4 + time.Millisecond)
	}
	e.absent(key)
}

func ttlTakenAway(e *env) {
	require.True(e, e.appendTo(key, withTTL(session.NoExpiry, "a"), 1).ExpiresAt.IsZero())
	e.appendTo(key, withTTL(time.Hour), 0)
	require.True(e, e.appendTo(key, withTTL(session.NoExpiry), 0).ExpiresAt.IsZero())
	require.True(e, e.has("a").ExpiresAt.IsZero())
	p := e.appendTo(key, withTTL(time.Hour), 0)
	w := writeIf(at(p), `1`)
	w.TTL = session.NoExpiry
	p = e.write(w)
	require.True(e, p.ExpiresAt.IsZero())
	require.True(e, e.has("a").ExpiresAt.IsZero())
	e.notInTime(shortTTL)
	e.has("a")
}

// notInTime takes an expiry away before it comes, and waits until it would have. A
// server that is too slow for that gets more time.
func (e *env) notInTime(ttl time.Duration) {
	e.Helper()
	require.Less(e, ttl, patience, "the session is never there")
	a := withTTL(ttl, "a")
	_, _, err := e.store.Append(e.ctx, key, a)
	require.NoError(e, err)
	p := e.appendTo(key, withTTL(session.NoExpiry), 0)
	if p.Next == 1 {
		e.notInTime(2 * ttl)
		return
	}
	e.outlive(ttl)
}

func ttlBad(e *env) {
	for _, ttl := range []time.Duration{-2, -time.Millisecond, -time.Hour, math.MinInt64} {
		bad := func() {
			e.unchanged(func() {
				_, added, err := e.store.Append(e.ctx, key, withTTL(ttl, "b"))
				require.ErrorIs(e, err, session.ErrTTL)
				require.Zero(e, added)
				w := writeIf(session.Condition{}, `1`, "b")
				if r, err := e.store.Load(e.ctx, key, -1); err == nil {
					w.If = at(r.Position)
				}
				w.TTL = ttl
				_, err = e.store.Write(e.ctx, key, w)
				require.ErrorIs(e, err, session.ErrTTL)
			})
		}
		bad()
		e.appendTo(key, withTTL(time.Hour, "a"), 1)
		bad()
		require.NoError(e, e.store.Delete(e.ctx, key, nil))
	}
}

func ttlExtremes(e *env) {
	p := e.appendTo(key, withTTL(time.Hour, "a"), 1)
	requireLater(e, math.MaxInt64-time.Hour, p.ExpiresAt, e.appendTo(key, withTTL(math.MaxInt64), 0).ExpiresAt)
	e.has("a")
	short := []time.Duration{1, time.Microsecond, 999_999, time.Millisecond}
	for i, ttl := range short {
		made := session.Key{Namespace: "short", SessionID: string(rune('a' + i))}
		q := e.appendTo(made, withTTL(ttl, "a"), 1)
		require.False(e, q.ExpiresAt.IsZero(), "a TTL of %v", ttl)
		requireLater(e, time.Millisecond-time.Hour, p.ExpiresAt, q.ExpiresAt)
	}
	e.outlive(2 * time.Millisecond)
	for i := range short {
		e.absent(session.Key{Namespace: "short", SessionID: string(rune('a' + i))})
	}
	e.has("a")
}

// expired gives a case a session that has expired, and where it stood.
func (e *env) expired(run func(e *env, old session.Position)) {
	p := e.append(numbered(1, 5)...)
	w := writeIf(at(p), `"old"`)
	w.DropBefore, w.Window, w.TTL, w.Format = 3, 8000, shortTTL, format+1
	p = e.write(w)
	e.outlive(shortTTL)
	run(e, p)
}

func expiredRead(e *env, _ session.Position) {
	require.Equal(e, session.Page{}, e.list(session.Filter{Limit: 0}))
	require.Empty(e, e.list(session.Filter{Limit: -1}).Keys)
	require.Zero(e, e.list(session.Filter{Limit: -1, SessionID: &key.SessionID}).Total)
	e.absent(key)
}

func expiredAppend(e *env, old session.Position) {
	p := e.append("m1", "m4", "new")
	require.NotEqual(e, old.Revision, p.Revision)
	require.Equal(e, [2]uint64{1, 4}, [2]uint64{p.First, p.Next})
	require.Zero(e, p.Window)
	require.True(e, p.ExpiresAt.IsZero(), "the old expiry is still there")
	r := e.has("m1", "m4", "new")
	require.Equal(e, `"head"`, string(r.Head))
	require.Equal(e, format, r.Format, "the later format of the old session does not matter")
	e.conflict(writeIf(at(old), `1`))
	require.Equal(e, 1, e.list(session.Filter{}).Total)
	e.outlive(shortTTL)
	e.has("m1", "m4", "new")
}

func expiredWrite(e *env, old session.Position) {
	e.conflict(writeIf(at(old), `1`, "a"))
	e.conflict(writeIf(session.Condition{Revision: old.Revision}, `1`, "a"))
	p := e.write(writeIf(session.Condition{}, `"made"`, "m1", "m4"))
	require.NotEqual(e, old.Revision, p.Revision)
	require.NotEqual(e, old.Revision+1, p.Revision)
	require.Equal(e, [2]uint64{1, 3}, [2]uint64{p.First, p.Next})
	require.Zero(e, p.Window)
	require.True(e, p.ExpiresAt.IsZero())
	require.Equal(e, `"made"`, string(e.has("m1", "m4").Head))
}

func expiredDelete(e *env, old session.Position) {
	where := at(old)
	require.ErrorIs(e, e.store.Delete(e.ctx, key, &where), session.ErrConflict)
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	e.absent(key)
	e.append("m1", "m4")
	e.has("m1", "m4")
}

func ttlInTime(e *env) {
	if e.harness.Sleep == nil {
		p := e.appendTo(key, withTTL(shortTTL, "a"), 1)
		e.gone(key)
		require.False(e, p.ExpiresAt.IsZero())
		return
	}
	for _, ttl := range []time.Duration{10 * time.Millisecond, time.Second, 3 * time.Hour, 400 * 24 * time.Hour} {
		e.appendTo(key, withTTL(ttl, "a"), 1)
		e.harness.Sleep(ttl - 2*time.Millisecond)
		e.has("a")
		require.Equal(e, 1, e.list(session.Filter{}).Total)
		e.harness.Sleep(3 * time.Millisecond)
		require.Zero(e, e.list(session.Filter{}).Total)
		e.absent(key)
	}
}
