package authtest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

func endingCases() []testCase {
	return []testCase{{
		Name:  "removal",
		About: "A removed token is neither listed nor found, removing it again returns ErrNotFound, and other tokens stay.",
		Run: func(e *env) {
			first, second, third := e.add(token(1)), e.add(token(2)), e.add(token(3))
			require.NoError(e, e.store.Remove(e.ctx, second.ID))
			e.absent(second.ID)
			e.has(e.store, first, third)
		},
	}, {
		Name:  "reused id",
		About: "The id of a removed token is free, and a new token with it inherits nothing.",
		Run: func(e *env) {
			e.add(token(1))
			require.NoError(e, e.store.Remove(e.ctx, token(1).ID))
			t := token(2)
			t.ID, t.Description, t.Tenant = token(1).ID, "", auth.Tenant{}
			e.add(t)
			e.has(e.store, t)
		},
	}, {
		Name:  "ended contexts",
		About: "A call whose context is cancelled, or past its deadline, returns ctx.Err() and has no effect.",
		Run:   endedContexts,
	}, {
		Name:  "closed",
		About: "After Close every call returns ErrClosed, and closing again is no error.",
		Run: func(e *env) {
			e.add(token(1))
			require.NoError(e, e.close(e.store))
			require.NoError(e, e.close(e.store))
			for name, call := range calls(e.store, token(1)) {
				require.ErrorIs(e, call(e.ctx), auth.ErrClosed, name)
			}
		},
	}}
}

func endedContexts(e *env) {
	kept, other := e.add(token(1)), token(2)
	cancelled, cancel := context.WithCancel(e.ctx)
	cancel()
	late, stop := context.WithDeadline(e.ctx, time.Unix(1, 0))
	defer stop()
	for _, ctx := range []context.Context{cancelled, late} {
		for name, call := range calls(e.store, kept) {
			require.ErrorIs(e, call(ctx), ctx.Err(), name)
		}
		require.ErrorIs(e, e.store.Add(ctx, other), ctx.Err())
	}
	e.has(e.store, kept)
}
