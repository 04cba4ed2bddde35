package drivertest

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

const (
	callers = 8
	each    = 10
)

func concurrencyCases() []testCase {
	return []testCase{{
		Name:  "one claim wins",
		About: "Exactly one of several concurrent writes with the same expected revision succeeds, and all of its changes are stored.",
		Run:   oneClaimWins,
	}, {
		Name:  "no update is lost",
		About: "Callers that repeat a conflicting change after reading again lose no update.",
		Run:   noUpdateIsLost,
	}, {
		Name:  "opposite orders",
		About: "Concurrent writes of the same documents in opposite orders end, and each is applied as a whole.",
		Run:   oppositeOrders,
	}}
}

// concurrently runs do for all callers concurrently, each with a handle: separate ones if the
// store is shared.
func (e *env) concurrently(do func(caller int, store driver.DocumentStore)) {
	stores := make([]driver.DocumentStore, callers)
	for i := range stores {
		if stores[i] = e.store; e.harness.Shared && i%2 == 1 {
			stores[i] = e.harness.Open(e.TB)
		}
	}
	var all sync.WaitGroup
	for i, store := range stores {
		all.Go(func() { do(i, store) })
	}
	all.Wait()
}

// Every round claims a document that exists and one that does not.
func oneClaimWins(e *env) {
	e.add(document("a", 0))
	var mu sync.Mutex
	winners := map[int]int{}
	e.concurrently(func(caller int, store driver.DocumentStore) {
		for round := range each {
			old, claim := document("a", round), document("a", round+1)
			claim.Value = strconv.AppendInt(nil, int64(caller), 10)
			beside := claim
			beside.Key = fmt.Sprint("b", round)
			for {
				err := store.Write(e.ctx, []driver.DocumentChange{put(claim, old.Revision), put(beside, "")})
				if err == nil {
					mu.Lock()
					_, again := winners[round]
					assert.False(e, again, "two claims of round %d succeeded", round)
					winners[round] = caller
					mu.Unlock()
				} else if !assert.ErrorIs(e, err, driver.ErrConflict) {
					return
				}
				now, err := store.Get(e.ctx, "a")
				if !assert.NoError(e, err) {
					return
				}
				if now.Revision != old.Revision {
					break
				}
			}
		}
	})
	require.Len(e, winners, each)
	for round, caller := range winners {
		got, err := e.store.Get(e.ctx, fmt.Sprint("b", round))
		require.NoError(e, err)
		require.Equal(e, strconv.Itoa(caller), string(got.Value))
	}
}

func noUpdateIsLost(e *env) {
	counter := driver.Document{Key: "counter", Revision: "r", Value: []byte("0")}
	e.add(counter)
	var updates atomic.Int64
	e.concurrently(func(caller int, store driver.DocumentStore) {
		for n := 0; n < each; {
			d, err := store.Get(e.ctx, counter.Key)
			if !assert.NoError(e, err) {
				return
			}
			value, err := strconv.Atoi(string(d.Value))
			assert.NoError(e, err)
			next := driver.Document{Key: d.Key, Revision: fmt.Sprint(caller, "/", updates.Add(1)), Value: strconv.AppendInt(nil, int64(value+1), 10)}
			switch err := store.Write(e.ctx, []driver.DocumentChange{put(next, d.Revision)}); {
			case err == nil:
				n++
			case !errors.Is(err, driver.ErrConflict):
				assert.NoError(e, err)
				return
			}
		}
	})
	d, err := e.store.Get(e.ctx, counter.Key)
	require.NoError(e, err)
	require.Equal(e, strconv.Itoa(callers*each), string(d.Value))
}

func oppositeOrders(e *env) {
	a, b := document("a", 0), document("b", 0)
	e.add(a, b)
	var serial atomic.Int64
	e.concurrently(func(caller int, store driver.DocumentStore) {
		for range each {
			page, err := store.List(e.ctx, "", "", 2)
			if !assert.NoError(e, err) || !assert.Len(e, page, 2) {
				return
			}
			n := int(serial.Add(1))
			changes := []driver.DocumentChange{put(document("a", n), page[0].Revision), put(document("b", n), page[1].Revision)}
			if caller%2 == 1 {
				changes[0], changes[1] = changes[1], changes[0]
			}
			if err := store.Write(e.ctx, changes); err != nil {
				assert.ErrorIs(e, err, driver.ErrConflict)
			}
		}
	})
	page, err := e.store.List(e.ctx, "", "", 2)
	require.NoError(e, err)
	require.Equal(e, page[0].Revision, page[1].Revision)
}
