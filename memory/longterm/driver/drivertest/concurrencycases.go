package drivertest

import (
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func concurrencyCases() []testCase {
	return []testCase{{
		Name:  "concurrent additions",
		About: "Of many concurrent Writes that add a record, exactly one succeeds; the others conflict.",
		Run:   addedAtOnce,
	}, {
		Name:  "concurrent changes",
		About: "Of concurrent Writes on the same version, one succeeds: no acknowledged change is lost.",
		Run:   changedAtOnce,
	}, {
		Name:  "concurrent records with one hash",
		About: "Of concurrent Writes that add records with the same hash, exactly one succeeds.",
		Run:   oneHashAtOnce,
	}, {
		Name:  "concurrent touches",
		About: "Concurrent Touches of the same records in different orders are all counted, and none fails.",
		Run:   touchedAtOnce,
	}, {
		Name:  "reads are atomic",
		About: "A search sees all changes of a Write or none, and its Total matches.",
		Run:   readsAreWhole,
	}, {
		Name:  "acknowledged writes are visible",
		About: "Every later call of every handle sees an acknowledged write.",
		Run:   acknowledgedIsSeen,
	}}
}

// clients is the number of concurrent goroutines, which share two handles.
const clients = 8

// handles returns two handles, or one twice if handles do not share data.
func (e *env) handles() [2]driver.Index {
	if e.harness.Shared {
		return [2]driver.Index{e.index, e.harness.Open(e)}
	}
	return [2]driver.Index{e.index, e.index}
}

// runClients runs do for each client concurrently and waits for all of them. do must not use
// require, which ends its goroutine.
func (e *env) runClients(do func(client int, index driver.Index)) {
	e.Helper()
	handles := e.handles()
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() { do(client, handles[client%2]) })
	}
	wg.Wait()
}

func addedAtOnce(e *env) {
	for round := range soak.Times(4, 10) {
		id := "added" + strconv.Itoa(round)
		var won, winner atomic.Int64
		e.runClients(func(client int, index driver.Index) {
			of := findable(record(id, strconv.Itoa(client)))
			of.Record.Hash = hash(id + of.Record.Text)
			switch err := index.Write(e.ctx, adding(of)); {
			case err == nil:
				won.Add(1)
				winner.Store(int64(client))
			default:
				assert.ErrorIs(e, err, driver.ErrConflict)
			}
		})
		require.Equal(e, int64(1), won.Load(), "writers that added the record")
		require.Equal(e, strconv.FormatInt(winner.Load(), 10), e.get(keyOf(id)).Record.Text)
	}
}

func changedAtOnce(e *env) {
	e.add(findable(record("a", "text")), findable(record("b", "text")))
	each := soak.Times(5, 10)
	e.runClients(func(client int, index driver.Index) {
		for done := 0; done < each; {
			// Some clients use the reverse order.
			keys := []driver.RecordKey{keyOf("a"), keyOf("b")}
			if client%3 == 0 {
				slices.Reverse(keys)
			}
			found, err := index.Lookup(e.ctx, driver.Lookup{Keys: keys})
			if !assert.NoError(e, err) || !assert.Len(e, found, 2) {
				return
			}
			var changes []driver.RecordChange
			for _, of := range found {
				of.Record.AccessCount++
				of.Terms = []string{"term"}
				changes = append(changes, driver.RecordChange{Key: driver.KeyOf(&of.Record), If: of.Version, Entry: &of})
			}
			switch err := index.Write(e.ctx, changes); {
			case err == nil:
				done++
			case !errors.Is(err, driver.ErrConflict):
				assert.NoError(e, err)
				return
			}
		}
	})
	require.Equal(e, clients*each, e.get(keyOf("a")).Record.AccessCount)
	require.Equal(e, clients*each, e.get(keyOf("b")).Record.AccessCount)
	for _, s := range everyMode(anna, driver.RecordFilter{}) {
		require.Equal(e, 2, e.search(s).Total)
	}
}

func oneHashAtOnce(e *env) {
	for round := range soak.Times(4, 10) {
		var won atomic.Int64
		e.runClients(func(client int, index driver.Index) {
			of := hashed(strconv.Itoa(round)+"by"+strconv.Itoa(client), strconv.Itoa(round))
			switch err := index.Write(e.ctx, adding(of)); {
			case err == nil:
				won.Add(1)
			default:
				assert.ErrorIs(e, err, driver.ErrConflict)
			}
		})
		require.Equal(e, int64(1), won.Load(), "records with one hash")
		require.Equal(e, round+1, e.search(listing()).Total)
	}
}

func touchedAtOnce(e *env) {
	keys := []driver.RecordKey{keyOf("a"), keyOf("b"), keyOf("c"), keyOf("d")}
	for _, key := range keys {
		e.add(entry(recordOf(key, "text")))
	}
	each := soak.Times(5, 20)
	e.runClients(func(client int, index driver.Index) {
		mine := slices.Clone(keys)
		if client%2 == 0 {
			slices.Reverse(mine)
		}
		for i := range each {
			assert.NoError(e, index.Touch(e.ctx, mine, made.Add(time.Duration(client*each+i)*time.Second)))
		}
	})
	for _, key := range keys {
		got := e.get(key).Record
		require.Equal(e, clients*each, got.AccessCount)
		require.True(e, got.LastAccessed.Equal(made.Add(time.Duration(clients*each-1)*time.Second)), "last accessed %s", got.LastAccessed)
	}
}

func readsAreWhole(e *env) {
	e.add(findable(record("a", "0")), findable(record("b", "0")))
	done := make(chan struct{})
	handles := e.handles()
	rounds := soak.Times(16, 40)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for round := 1; round <= rounds; round++ {
			if !e.rewritePair(handles[0], round) {
				return
			}
		}
	})
	for reader := range 3 {
		wg.Go(func() {
			for running := true; running; {
				select {
				case <-done:
					running = false
				default:
				}
				for _, s := range everyMode(anna, driver.RecordFilter{}) {
					page, err := handles[reader%2].Search(e.ctx, s)
					assert.NoError(e, err)
					if !assert.Len(e, page.Hits, page.Total) || !assert.True(e, page.Total == 0 || page.Total == 2, "%d of two", page.Total) {
						return
					}
					if page.Total == 2 && !assert.Equal(e, page.Hits[0].Record.Text, page.Hits[1].Record.Text) {
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// rewritePair gives two records a new text, or removes them and adds them again.
func (e *env) rewritePair(index driver.Index, round int) bool {
	found, err := index.Lookup(e.ctx, driver.Lookup{Keys: []driver.RecordKey{keyOf("a"), keyOf("b")}})
	if !assert.NoError(e, err) || !assert.Len(e, found, 2) {
		return false
	}
	var removed, written []driver.RecordChange
	for _, of := range found {
		by := findable(record(of.Record.ID, strconv.Itoa(round)))
		removed = append(removed, driver.RecordChange{Key: keyOf(of.Record.ID), If: of.Version})
		written = append(written, driver.RecordChange{Key: keyOf(of.Record.ID), If: of.Version, Entry: &by})
	}
	if round%4 == 0 {
		if !assert.NoError(e, index.Write(e.ctx, removed)) {
			return false
		}
		written[0].If, written[1].If = 0, 0
	}
	return assert.NoError(e, index.Write(e.ctx, written))
}

func acknowledgedIsSeen(e *env) {
	handles := e.handles()
	for round := range 12 {
		writer, reader := handles[round%2], handles[(round+1)%2]
		id := "r" + strconv.Itoa(round)
		of := findable(record(id, "text"))
		require.NoError(e, writer.Write(e.ctx, adding(of)))
		found, err := reader.Lookup(e.ctx, driver.Lookup{Keys: []driver.RecordKey{keyOf(id)}})
		require.NoError(e, err)
		require.Len(e, found, 1)
		require.NoError(e, reader.Touch(e.ctx, []driver.RecordKey{keyOf(id)}, made.Add(time.Millisecond)))
		for _, s := range everyMode(anna, driver.RecordFilter{LastAccessed: &driver.TimeCondition{Gt: new(made)}}) {
			page, err := writer.Search(e.ctx, s)
			require.NoError(e, err)
			require.Equal(e, round/3+1, page.Total)
		}
		if round%3 == 2 {
			continue
		}
		found, err = writer.Lookup(e.ctx, driver.Lookup{Keys: []driver.RecordKey{keyOf(id)}})
		require.NoError(e, err)
		require.NoError(e, writer.Write(e.ctx, []driver.RecordChange{{Key: keyOf(id), If: found[0].Version}}))
		for _, s := range everyMode(anna, driver.RecordFilter{}) {
			page, err := reader.Search(e.ctx, s)
			require.NoError(e, err)
			require.Equal(e, round/3, page.Total)
		}
	}
}
