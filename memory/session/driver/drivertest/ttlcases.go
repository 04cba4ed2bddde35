package drivertest

import (
	"errors"
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func ttlCases() []testCase {
	return []testCase{{
		Name:  "time to live is kept and replaced",
		About: "A TTL counts from the write that has it; a write without one leaves the expiry as it is; one that adds nothing renews it too.",
		Run:   ttlReplaced,
	}, {
		Name:  "reads do not renew",
		About: "Load and List leave the expiry as it is, however often they are called.",
		Run:   ttlReads,
	}, {
		Name:  "time to live is taken away",
		About: "NoExpiry takes a running expiry away, and does nothing where there is none.",
		Run:   ttlTakenAway,
	}, {
		Name:  "bad times to live",
		About: "A TTL below 0, but NoExpiry, is ErrTTL, with which nothing is changed.",
		Run:   ttlBad,
	}, {
		Name:  "short and long times to live",
		About: "A TTL below a millisecond counts as one; the longest is 292 years.",
		Run:   ttlExtremes,
	}}
}

// shortTTL is the TTL of sessions whose expiry the suite waits for.
const shortTTL = 40 * time.Millisecond

// withTTL returns an Append with a TTL.
func withTTL(ttl time.Duration, ids ...string) driver.Append {
	a := appendOf(ids...)
	a.TTL = ttl
	return a
}

// outlive returns when all sessions with a TTL that were written before have expired.
func (e *env) outlive(ttl time.Duration) {
	e.Helper()
	if e.harness.Sleep != nil {
		e.harness.Sleep(ttl + time.Millisecond)
		return
	}
	// It polls another session, which expires later: asking for the expired ones could be
	// what removes them.
	later := driver.Key{Namespace: "expires later", SessionID: "s"}
	e.appendTo(later, withTTL(ttl), 0)
	e.gone(later)
}

// gone waits until a session does not exist.
func (e *env) gone(key driver.Key) {
	e.Helper()
	require.Eventually(e, func() bool {
		_, err := e.store.Load(e.ctx, key, 0)
		return errors.Is(err, driver.ErrNotFound)
	}, patience, 5*time.Millisecond, "the session does not expire")
}

// requireLater requires that a time is later than another by d, apart from the time that passes
// on the server's clock.
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
	kept := func(p driver.Position) {
		e.Helper()
		require.True(e, expires.Equal(p.ExpiresAt), "%v, was %v", p.ExpiresAt, expires)
		require.True(e, expires.Equal(e.load().ExpiresAt))
	}
	kept(p)
	kept(e.append("b"))
	kept(e.appendTo(key, withTTL(0, "b"), 0))
	p = e.write(writeIf(at(e.load().Position), `1`, "c"))
	kept(p)
	replaced := func(ttl time.Duration, p driver.Position) {
		e.Helper()
		requireLater(e, ttl-time.Hour, expires, p.ExpiresAt)
		requireSamePosition(e, p, e.load().Position)
	}
	replaced(3*time.Hour, e.appendTo(key, withTTL(3*time.Hour, "d"), 1))
	replaced(5*time.Hour, e.appendTo(key, withTTL(5*time.Hour), 0))
	replaced(2*time.Hour, e.appendTo(key, withTTL(2*time.Hour, "a"), 0))
	w := writeIf(driver.Condition{Revision: p.Revision}, `1`)
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
		require.Equal(e, 1, e.list(driver.ListOptions{Limit: -1}).Total)
	}
	e.appendTo(key, withTTL(shortTTL), 0)
	if e.harness.Sleep == nil {
		e.gone(key)
		return
	}
	for range 4 {
		_, _ = e.store.Load(e.ctx, key, -1)
		e.list(driver.ListOptions{Limit: -1})
		e.harness.Sleep(shortTTL/4 + time.Millisecond)
	}
	e.absent(key)
}

func ttlTakenAway(e *env) {
	require.True(e, e.appendTo(key, withTTL(driver.NoExpiry, "a"), 1).ExpiresAt.IsZero())
	e.appendTo(key, withTTL(time.Hour), 0)
	require.True(e, e.appendTo(key, withTTL(driver.NoExpiry), 0).ExpiresAt.IsZero())
	require.True(e, e.has("a").ExpiresAt.IsZero())
	p := e.appendTo(key, withTTL(time.Hour), 0)
	w := writeIf(at(p), `1`)
	w.TTL = driver.NoExpiry
	p = e.write(w)
	require.True(e, p.ExpiresAt.IsZero())
	require.True(e, e.has("a").ExpiresAt.IsZero())
	e.notInTime(shortTTL)
	e.has("a")
}

// notInTime removes an expiry before it comes, and waits until it would have come. A server
// that is too slow gets more time.
func (e *env) notInTime(ttl time.Duration) {
	e.Helper()
	require.Less(e, ttl, patience, "the session is never there")
	a := withTTL(ttl, "a")
	_, _, err := e.store.Append(e.ctx, key, a)
	require.NoError(e, err)
	p := e.appendTo(key, withTTL(driver.NoExpiry), 0)
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
				require.ErrorIs(e, err, driver.ErrTTL)
				require.Zero(e, added)
				w := writeIf(driver.Condition{}, `1`, "b")
				if r, err := e.store.Load(e.ctx, key, -1); err == nil {
					w.If = at(r.Position)
				}
				w.TTL = ttl
				_, err = e.store.Write(e.ctx, key, w)
				require.ErrorIs(e, err, driver.ErrTTL)
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
		made := driver.Key{Namespace: "short", SessionID: string(rune('a' + i))}
		q := e.appendTo(made, withTTL(ttl, "a"), 1)
		require.False(e, q.ExpiresAt.IsZero(), "a TTL of %v", ttl)
		requireLater(e, time.Millisecond-time.Hour, p.ExpiresAt, q.ExpiresAt)
	}
	e.outlive(2 * time.Millisecond)
	for i := range short {
		e.absent(driver.Key{Namespace: "short", SessionID: string(rune('a' + i))})
	}
	e.has("a")
}
