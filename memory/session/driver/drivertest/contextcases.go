package drivertest

import (
	"context"
	"io"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func contextCases() []testCase {
	return []testCase{{
		Name:  "context has ended",
		About: "With a context that has ended every method returns its error, and nothing is changed.",
		Run:   contextEnded,
	}, {
		Name:  "closed",
		About: "After Close, if the store has one, every method returns ErrClosed.",
		Run:   closed,
	}}
}

// everyMethod calls all methods on the session "key" and requires an error.
func (e *env) everyMethod(ctx context.Context, store driver.Store, at driver.Condition, want error) {
	e.Helper()
	_, err := store.Load(ctx, key, -1)
	require.ErrorIs(e, err, want, "Load")
	_, added, err := store.Append(ctx, key, appendOf("b"))
	require.ErrorIs(e, err, want, "Append")
	require.Zero(e, added)
	_, err = store.Write(ctx, key, writeIf(at, `1`, "b"))
	require.ErrorIs(e, err, want, "Write")
	require.ErrorIs(e, store.Delete(ctx, key, nil), want, "Delete")
	require.ErrorIs(e, store.Delete(ctx, key, &at), want, "Delete on a condition")
	_, err = store.List(ctx, driver.ListOptions{Limit: -1})
	require.ErrorIs(e, err, want, "List")
	_, err = store.Due(ctx, longAfter, 1)
	require.ErrorIs(e, err, want, "Due")
}

func contextEnded(e *env) {
	p := e.append("a")
	cancelled, cancel := context.WithCancel(e.ctx)
	cancel()
	e.unchanged(func() { e.everyMethod(cancelled, e.store, at(p), context.Canceled) })
	late, cancel := context.WithDeadline(e.ctx, time.Unix(0, 0))
	defer cancel()
	e.unchanged(func() { e.everyMethod(late, e.store, at(p), context.DeadlineExceeded) })
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	e.everyMethod(cancelled, e.store, driver.Condition{}, context.Canceled)
	e.absent(key)
}

func closed(e *env) {
	p := e.append("a")
	store := e.harness.Open(e)
	closer, ok := store.(io.Closer)
	if !ok {
		e.Skip("the store has no Close")
	}
	require.NoError(e, closer.Close())
	e.everyMethod(e.ctx, store, at(p), driver.ErrClosed)
	if e.harness.Shared {
		e.has("a")
	}
}
