package drivertest

import (
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func expiryCases() []testCase {
	return []testCase{{
		Name:  "expired: load and list",
		About: "An expired session is neither loaded nor listed.",
		Run:   func(e *env) { e.expired(expiredRead) },
	}, {
		Name:  "expired: append",
		About: "Append to an expired session makes a new one: another revision, numbers from 1, and nothing of the old one.",
		Run:   func(e *env) { e.expired(expiredAppend) },
	}, {
		Name:  "expired: write",
		About: "Write to an expired session is a conflict if the session was to be there, and makes a new one if not.",
		Run:   func(e *env) { e.expired(expiredWrite) },
	}, {
		Name:  "expired: delete",
		About: "Delete of an expired session does nothing, and is a conflict with a condition.",
		Run:   func(e *env) { e.expired(expiredDelete) },
	}, {
		Name:  "expires in time",
		About: "A session is there until it expires, and no longer.",
		Run:   ttlInTime,
	}}
}

// expired runs a case with an expired session and its last position.
func (e *env) expired(run func(e *env, old driver.Position)) {
	p := e.append(numbered(1, 5)...)
	w := writeIf(at(p), `"old"`)
	w.DropBefore, w.Window, w.TTL, w.Format = 3, 8000, shortTTL, format+1
	p = e.write(w)
	e.outlive(shortTTL)
	run(e, p)
}

func expiredRead(e *env, _ driver.Position) {
	none := e.list(driver.ListOptions{Limit: 1})
	require.Empty(e, none.Keys)
	require.Zero(e, none.Total)
	require.Empty(e, e.list(driver.ListOptions{Limit: -1}).Keys)
	require.Zero(e, e.list(driver.ListOptions{Limit: -1, SessionID: &key.SessionID}).Total)
	e.absent(key)
}

func expiredAppend(e *env, old driver.Position) {
	p := e.append("m1", "m4", "new")
	require.NotEqual(e, old.Revision, p.Revision)
	require.Equal(e, [2]uint64{1, 4}, [2]uint64{p.First, p.Next})
	require.Zero(e, p.Window)
	require.True(e, p.ExpiresAt.IsZero(), "the old expiry is still there")
	r := e.has("m1", "m4", "new")
	require.Equal(e, `"head"`, string(r.Head))
	require.Equal(e, format, r.Format, "the later format of the old session does not matter")
	e.conflict(writeIf(at(old), `1`))
	require.Equal(e, 1, e.list(driver.ListOptions{Limit: -1}).Total)
	e.outlive(shortTTL)
	e.has("m1", "m4", "new")
}

func expiredWrite(e *env, old driver.Position) {
	e.conflict(writeIf(at(old), `1`, "a"))
	e.conflict(writeIf(driver.Condition{Revision: old.Revision}, `1`, "a"))
	p := e.write(writeIf(driver.Condition{}, `"made"`, "m1", "m4"))
	require.NotEqual(e, old.Revision, p.Revision)
	require.NotEqual(e, old.Revision+1, p.Revision)
	require.Equal(e, [2]uint64{1, 3}, [2]uint64{p.First, p.Next})
	require.Zero(e, p.Window)
	require.True(e, p.ExpiresAt.IsZero())
	require.Equal(e, `"made"`, string(e.has("m1", "m4").Head))
}

func expiredDelete(e *env, old driver.Position) {
	where := at(old)
	require.ErrorIs(e, e.store.Delete(e.ctx, key, &where), driver.ErrConflict)
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
		require.Equal(e, 1, e.list(driver.ListOptions{Limit: -1}).Total)
		e.harness.Sleep(3 * time.Millisecond)
		require.Zero(e, e.list(driver.ListOptions{Limit: -1}).Total)
		e.absent(key)
	}
}
