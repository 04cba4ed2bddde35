package drivertest

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// wholeCases are those of concurrent reads and writes of one session.
func wholeCases() []testCase {
	return []testCase{{
		Name:  "appends and drops",
		About: "Appends of many writers and Writes that drop messages lose none, add none twice and keep each writer's order.",
		Run:   appendsAndDrops,
	}, {
		Name:  "reads are whole",
		About: "A reader never sees a part of a Write, or what is left of a session that is deleted.",
		Run:   readsAreWhole,
	}, {
		Name:  "appended and deleted at once",
		About: "Appends go on while others delete the session: each finds a session or makes one, and none is left half.",
		Run:   appendedAndDeleted,
	}, {
		Name:  "handles see each other's writes",
		About: "What is acknowledged through one handle is seen by the next call through another.",
		Run:   handlesAgree,
	}}
}

// appendsAndDrops has one client drop messages while the others append.
func appendsAndDrops(e *env) {
	const each = 25
	e.append()
	var writing sync.WaitGroup
	writing.Add(clients - 1)
	var dropped []string // only used by client 0
	e.atOnce(func(client int, store driver.Store) {
		if client == 0 {
			done := make(chan struct{})
			go func() { writing.Wait(); close(done) }()
			dropped = e.dropUntil(store, done)
			return
		}
		defer writing.Done()
		var version uint64
		for n := range each {
			p, added, err := store.Append(e.ctx, key, appendOf(fmt.Sprintf("%d/%d", client, n)))
			assert.NoError(e, err)
			assert.Equal(e, 1, added)
			assert.Greater(e, p.Version(), version, "the version does not grow")
			version = p.Version()
		}
	})
	r := e.load()
	requireConsistent(e, r)
	require.Equal(e, uint64(each*(clients-1)+1), r.Next)
	requireEach(e, append(dropped, idsOf(r.Messages)...), each)
}

// dropUntil drops the older half of the messages repeatedly, and returns the ids of all
// dropped. An error other than a conflict ends it.
func (e *env) dropUntil(store driver.Store, done <-chan struct{}) (dropped []string) {
	var version uint64
	for {
		select {
		case <-done:
			return dropped
		default:
		}
		r, err := store.Load(e.ctx, key, -1)
		if !assert.NoError(e, err) {
			return dropped
		}
		half := r.Messages[:len(r.Messages)/2]
		where := driver.Condition{Revision: r.Revision}
		if version%2 == 0 {
			where.Next = r.Next
		}
		w := writeIf(where, `1`)
		w.DropBefore = r.First + uint64(len(half))
		p, err := store.Write(e.ctx, key, w)
		switch {
		case errors.Is(err, driver.ErrConflict) && where.Next != 0:
		case assert.NoError(e, err):
			dropped = append(dropped, idsOf(half)...)
			assert.Greater(e, p.Version(), version, "the version does not grow")
			version = p.Version()
		default:
			return dropped
		}
	}
}

// requireEach requires the ids "client/n" of each client in order.
func requireEach(e *env, ids []string, each int) {
	e.Helper()
	next := map[string]int{}
	for _, id := range ids {
		var client, n int
		_, err := fmt.Sscanf(id, "%d/%d", &client, &n)
		require.NoError(e, err)
		name := strconv.Itoa(client)
		require.Equal(e, next[name], n, "client %s: lost, twice or in another order", name)
		next[name]++
	}
	require.Len(e, next, clients-1)
	for client, n := range next {
		require.Equal(e, each, n, "messages of client %s", client)
	}
}

// readsAreWhole has two clients replace, delete and create a session whose head has the number
// of its messages, while the others read.
func readsAreWhole(e *env) {
	const writes, reads = 60, 400
	var writing sync.WaitGroup
	writing.Add(2)
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	e.atOnce(func(client int, store driver.Store) {
		if client < 2 {
			defer writing.Done()
			for n := range writes {
				e.replace(store, n*2+client)
			}
			return
		}
		for range reads {
			select {
			case <-done:
				return
			default:
				e.readWhole(store)
				runtime.Gosched() // else readers would keep writers from a core
			}
		}
	})
}

func (e *env) replace(store driver.Store, n int) {
	var where driver.Condition
	r, err := store.Load(e.ctx, key, 0)
	if err == nil {
		where = driver.Condition{Revision: r.Revision}
	} else if !errors.Is(err, driver.ErrNotFound) {
		assert.NoError(e, err)
		return
	}
	if n%10 == 9 {
		assert.NoError(e, store.Delete(e.ctx, key, nil))
		return
	}
	size := n % 7
	ids := make([]string, size)
	for i := range ids {
		ids[i] = fmt.Sprintf("%d: %d", n, i)
	}
	w := writeIf(where, strconv.Itoa(size), ids...)
	if r != nil {
		w.DropBefore = r.Next
	}
	if _, err := store.Write(e.ctx, key, w); !errors.Is(err, driver.ErrConflict) {
		assert.NoError(e, err)
	}
}

func (e *env) readWhole(store driver.Store) {
	r, err := store.Load(e.ctx, key, -1)
	if errors.Is(err, driver.ErrNotFound) {
		return
	}
	if !assert.NoError(e, err) {
		return
	}
	assert.Equal(e, strconv.Itoa(r.Len()), string(r.Head), "the head is that of another Write than the position")
	assert.Equal(e, r.Len(), len(r.Messages), "the messages are those of another Write than the position")
	assert.Equal(e, tokensOf(r.Messages), r.Tokens)
}

// appendedAndDeleted has half of the clients append, and the others delete and read.
func appendedAndDeleted(e *env) {
	const rounds = 30
	e.atOnce(func(client int, store driver.Store) {
		for n := range rounds {
			if client < clients/2 {
				_, added, err := store.Append(e.ctx, key, appendOf(fmt.Sprintf("%d/%d", client, n), fmt.Sprintf("%d/%d again", client, n)))
				assert.NoError(e, err)
				assert.Equal(e, 2, added)
				continue
			}
			if n%3 == client%3 {
				assert.NoError(e, store.Delete(e.ctx, key, nil))
			}
			if r, err := store.Load(e.ctx, key, -1); err == nil {
				assert.Equal(e, uint64(1), r.First, "messages of a session that was deleted count")
				assert.Equal(e, r.Len(), len(r.Messages))
				assert.Zero(e, r.Len()%2, "a part of an Append")
				assert.Equal(e, tokensOf(r.Messages), r.Tokens)
			} else {
				assert.ErrorIs(e, err, driver.ErrNotFound)
			}
		}
	})
	e.append("last")
	requireConsistent(e, e.load())
}

func handlesAgree(e *env) {
	handles := []*env{e, e}
	if e.harness.Shared {
		other := *e
		other.store = e.harness.Open(e)
		handles[1] = &other
	}
	for round := range 6 {
		one, other := handles[round%2], handles[(round+1)%2]
		other.absent(key)
		p := one.append("a", "b")
		require.Equal(e, []driver.Key{key}, other.list(driver.ListOptions{Limit: -1}).Keys)
		requireSamePosition(e, p, other.has("a", "b").Position)
		p = other.append("c")
		requireSamePosition(e, p, one.has("a", "b", "c").Position)
		w := writeIf(at(p), fmt.Sprint(round), "d")
		w.DropBefore = 3
		one.write(w)
		require.Equal(e, fmt.Sprint(round), string(other.has("c", "d").Head))
		other.conflict(writeIf(at(p), `"refused"`))
		other.appendTo(key, appendOf("a", "b", "c", "d"), 0)
		require.NoError(e, other.store.Delete(e.ctx, key, nil))
		one.absent(key)
		require.Zero(e, one.list(driver.ListOptions{Limit: -1}).Total)
	}
}
