package authtest

import (
	"sync"
	"sync/atomic"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

const (
	callers = 8
	each    = 20
)

func concurrencyCases() []testCase {
	return []testCase{{
		Name:  "concurrent adds of one id",
		About: "Exactly one of several concurrent adds of an id succeeds, and its token is the one stored.",
		Run:   oneAddWins,
	}, {
		Name:  "concurrent removals of one token",
		About: "Exactly one of several concurrent removals of a token succeeds.",
		Run:   oneRemovalWins,
	}, {
		Name:  "concurrent calls",
		About: "Tokens that are added, read and removed concurrently do not affect each other.",
		Run:   concurrentCalls,
	}}
}

// handles returns a handle for each caller: separate ones if the store is shared.
func (e *env) handles() []auth.TokenStore {
	all := make([]auth.TokenStore, callers)
	for i := range all {
		all[i] = e.store
		if e.harness.Shared && i%2 == 1 {
			all[i] = e.harness.Open(e.TB)
		}
	}
	return all
}

// concurrently runs do for all callers concurrently.
func (e *env) concurrently(handles []auth.TokenStore, do func(caller int, store auth.TokenStore)) {
	var all sync.WaitGroup
	for i, store := range handles {
		all.Go(func() { do(i, store) })
	}
	all.Wait()
}

func oneAddWins(e *env) {
	handles := e.handles()
	var want []auth.Token
	for n := range each {
		var winner atomic.Int64
		e.concurrently(handles, func(caller int, store auth.TokenStore) {
			t := token(n*callers + caller)
			t.ID = token(n).ID
			err := store.Add(e.ctx, t)
			if err == nil {
				assert.Zero(e, winner.Swap(int64(caller)+1), "two adds succeeded")
				return
			}
			assert.ErrorIs(e, err, auth.ErrExists)
		})
		require.NotZero(e, winner.Load(), "no add succeeded")
		t := token(n*callers + int(winner.Load()) - 1)
		t.ID = token(n).ID
		want = append(want, t)
	}
	e.has(e.store, want...)
}

func oneRemovalWins(e *env) {
	handles := e.handles()
	for n := range each {
		t := e.add(token(n))
		var removed atomic.Int64
		e.concurrently(handles, func(_ int, store auth.TokenStore) {
			err := store.Remove(e.ctx, t.ID)
			if err == nil {
				removed.Add(1)
				return
			}
			assert.ErrorIs(e, err, auth.ErrNotFound)
		})
		require.EqualValues(e, 1, removed.Load())
	}
	e.has(e.store)
}

func concurrentCalls(e *env) {
	e.concurrently(e.handles(), func(caller int, store auth.TokenStore) {
		for n := range each {
			t := token(caller*each + n)
			_, err := store.Get(e.ctx, t.ID)
			assert.ErrorIs(e, err, auth.ErrNotFound)
			assert.NoError(e, store.Add(e.ctx, t))
			got, err := store.Get(e.ctx, t.ID)
			assert.NoError(e, err)
			assert.Equal(e, t, got)
			_, err = store.List(e.ctx)
			assert.NoError(e, err)
			if n%2 == 0 {
				assert.NoError(e, store.Remove(e.ctx, t.ID))
			}
		}
	})
	var want []auth.Token
	for n := range callers * each {
		if n%each%2 == 1 {
			want = append(want, token(n))
		}
	}
	e.has(e.store, want...)
}
