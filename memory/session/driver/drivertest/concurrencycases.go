package drivertest

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func concurrencyCases() []testCase {
	return []testCase{{
		Name:  "made at once",
		About: "Of many Writes that make a session at once, exactly one does; the others are conflicts.",
		Run:   madeAtOnce,
	}, {
		Name:  "changed at once",
		About: "Of many Writes on the same condition at once, exactly one is done, with all it says.",
		Run:   changedAtOnce,
	}, {
		Name:  "appended at once",
		About: "Many Appends that make a session at once make one, with the messages of all.",
		Run:   appendedAtOnce,
	}, {
		Name:  "the same ids at once",
		About: "Of many Appends of the same ids at once, each message is added once.",
		Run:   sameIDsAtOnce,
	}}
}

// clients is the number of concurrent goroutines, on two handles.
const clients = 8

// atOnce runs do for each client, and waits for all. They must not use require, which ends
// goroutines.
func (e *env) atOnce(do func(client int, store driver.Store)) {
	e.Helper()
	handles := []driver.Store{e.store, e.harness.Open(e)}
	if !e.harness.Shared {
		handles[1] = e.store
	}
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() { do(client, handles[client%2]) })
	}
	wg.Wait()
}

func madeAtOnce(e *env) {
	for round := range 5 {
		made := driver.Key{Namespace: "made", SessionID: strconv.Itoa(round)}
		var won, winner atomic.Int64
		e.atOnce(func(client int, store driver.Store) {
			_, err := store.Write(e.ctx, made, writeIf(driver.Condition{}, strconv.Itoa(client), numbered(1, client+1)...))
			if err == nil {
				won.Add(1)
				winner.Store(int64(client))
			} else {
				assert.ErrorIs(e, err, driver.ErrConflict)
			}
		})
		require.Equal(e, int64(1), won.Load(), "writers that made the session")
		r := e.keyHas(made, numbered(1, int(winner.Load())+1)...)
		require.Equal(e, strconv.FormatInt(winner.Load(), 10), string(r.Head))
	}
}

func changedAtOnce(e *env) {
	p := e.append("0")
	for round := range 10 {
		var won, winner atomic.Int64
		e.atOnce(func(client int, store driver.Store) {
			w := writeIf(at(p), strconv.Itoa(client), fmt.Sprintf("%d of %d", round, client))
			w.DropBefore = p.Next
			_, err := store.Write(e.ctx, key, w)
			if err == nil {
				won.Add(1)
				winner.Store(int64(client))
			} else {
				assert.ErrorIs(e, err, driver.ErrConflict)
			}
		})
		require.Equal(e, int64(1), won.Load(), "writers that changed the session")
		r := e.has(fmt.Sprintf("%d of %d", round, winner.Load()))
		require.Equal(e, strconv.FormatInt(winner.Load(), 10), string(r.Head))
		require.Equal(e, p.Revision+1, r.Revision)
		p = r.Position
	}
}

func appendedAtOnce(e *env) {
	revisions := make([]uint64, clients)
	e.atOnce(func(client int, store driver.Store) {
		p, added, err := store.Append(e.ctx, key, appendOf(strconv.Itoa(client)))
		assert.NoError(e, err)
		assert.Equal(e, 1, added)
		revisions[client] = p.Revision
	})
	r := e.load()
	requireConsistent(e, r)
	require.ElementsMatch(e, []string{"0", "1", "2", "3", "4", "5", "6", "7"}, idsOf(r.Messages))
	for _, revision := range revisions {
		require.Equal(e, r.Revision, revision, "the session was made more than once")
	}
}

func sameIDsAtOnce(e *env) {
	var total atomic.Int64
	e.atOnce(func(_ int, store driver.Store) {
		for from := 1; from <= 100; from += 20 {
			_, added, err := store.Append(e.ctx, key, appendOf(numbered(from, from+19)...))
			assert.NoError(e, err)
			total.Add(int64(added))
		}
	})
	require.Equal(e, int64(100), total.Load())
	e.has(numbered(1, 100)...)
}
