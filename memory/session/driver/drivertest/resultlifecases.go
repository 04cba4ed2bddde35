package drivertest

import (
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func resultLifeCases() []resultCase {
	return []resultCase{{
		Name:  "deleted with the session",
		About: "Delete removes the results of its session and no others: a session that is made again has none, even of the same ids.",
		Run:   resultsDeleted,
	}, {
		Name:  "expire with the session",
		About: "Results expire with their session, whether the expiry was there before them or not: one that is made again has none.",
		Run:   resultsExpire,
	}, {
		Name:  "renewed with the session",
		About: "A write that prolongs the life of a session, or takes its end away, does so for the results.",
		Run:   resultsRenewed,
	}}
}

var otherKey = driver.Key{Namespace: "ns", UserID: "user", SessionID: "session/"}

func resultsDeleted(e *resultEnv) {
	e.kinds = allKinds
	e.appendTo(otherKey, appendOf("a"), 1)
	e.putInto(otherKey, result("a", 7))
	remake := []func(){
		func() { e.append("a") },
		func() { e.write(writeIf(driver.Condition{}, `"made"`, "a")) },
	}
	for _, again := range remake {
		p := e.append("a")
		e.put(result("a", 1<<18+1), result("b", 5))
		wrong := at(p)
		wrong.Revision++
		require.ErrorIs(e, e.store.Delete(e.ctx, key, &wrong), driver.ErrConflict)
		e.keeps(key, result("a", 1<<18+1), result("b", 5))
		require.NoError(e, e.store.Delete(e.ctx, key, nil))
		e.keeps(key)
		e.lacks(key, "a")
		again()
		e.keeps(key)
		e.lacks(key, "a")
		e.lacks(key, "b")
		e.put(result("b", 1<<18+2), result("a", 9))
		e.keeps(key, result("b", 1<<18+2), result("a", 9))
		require.NoError(e, e.store.Delete(e.ctx, key, nil))
	}
	e.keeps(otherKey, result("a", 7))
}

func resultsExpire(e *resultEnv) {
	e.kinds = allKinds
	before := func() { // the expiry is there before the results
		e.appendTo(key, withTTL(resultTTL(e), "a"), 1)
		e.put(result("a", 1<<18+1), result("b", 5))
	}
	after := func() {
		p := e.append("a")
		e.put(result("a", 1<<18+1), result("b", 5))
		w := writeIf(at(p), `1`)
		w.TTL = resultTTL(e)
		e.write(w)
	}
	for _, make := range []func(){before, after} {
		for _, again := range []func(){
			func() { e.append("a") },
			func() { e.write(writeIf(driver.Condition{}, `"made"`, "a")) },
		} {
			make()
			e.outlive(resultTTL(e))
			e.absent(key)
			e.keeps(key)
			e.lacks(key, "a")
			require.ErrorIs(e, e.store.PutResult(e.ctx, key, result("c", 5), unlimited), driver.ErrNotFound)
			again()
			e.keeps(key)
			e.lacks(key, "a")
			e.put(result("a", 8))
			e.outlive(resultTTL(e))
			e.keeps(key, result("a", 8))
			require.NoError(e, e.store.Delete(e.ctx, key, nil))
		}
	}
}

// resultTTL is a TTL in which a session can be given results.
func resultTTL(e *resultEnv) time.Duration {
	if e.harness.Sleep == nil {
		return time.Second
	}
	return shortTTL
}

func resultsRenewed(e *resultEnv) {
	e.kinds = allKinds
	ttl := resultTTL(e)
	for _, renewed := range []time.Duration{time.Hour, driver.NoExpiry} {
		for name, renew := range map[string]func(p driver.Position){
			"append": func(driver.Position) { e.appendTo(key, withTTL(renewed), 0) },
			"write": func(p driver.Position) {
				w := writeIf(at(p), `1`)
				w.TTL = renewed
				e.write(w)
			},
		} {
			p := e.appendTo(key, withTTL(ttl, "a"), 1)
			e.put(result("a", 1<<18+1))
			renew(p)
			e.put(result("b", 5))
			e.outlive(ttl)
			e.keeps(key, result("a", 1<<18+1), result("b", 5))
			r := e.has("a")
			require.Equal(e, renewed < 0, r.ExpiresAt.IsZero(), name)
			require.NoError(e, e.store.Delete(e.ctx, key, nil))
		}
	}
}

func resultsReserve(e *resultEnv) {
	e.append("a")
	e.put(result("a", 3<<18))
	refusal := errors.New("refused")
	for _, size := range []int{1, 1000, 1 << 18, 3 << 18} {
		var asked int64
		granting := driver.WithReserve(e.ctx, func(store any, bytes int64) error {
			require.NotNil(e, store)
			asked = max(asked, bytes)
			return nil
		})
		p := make([]byte, size)
		n, err := e.store.ReadResult(granting, key, driver.ToolResult, "a", p, 0)
		require.NoError(e, err)
		if asked == 0 {
			e.Skip("the store does not ask")
		}
		require.GreaterOrEqual(e, asked, int64(2*n))
		_, err = e.store.ReadResult(driver.WithReserve(e.ctx, func(any, int64) error { return refusal }), key, driver.ToolResult, "a", p, 0)
		require.ErrorIs(e, err, refusal)
	}
}
