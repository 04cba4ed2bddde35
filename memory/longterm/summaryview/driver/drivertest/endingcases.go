package drivertest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

func endingCases() []testCase {
	return []testCase{{
		Name:  "ended contexts",
		About: "A call whose context is cancelled, or past its deadline, returns ctx.Err() and has no effect.",
		Run: func(e *env) {
			e.add(document("a", 1))
			cancelled, cancel := context.WithCancel(e.ctx)
			cancel()
			late, stop := context.WithDeadline(e.ctx, time.Unix(1, 0))
			defer stop()
			for _, ctx := range []context.Context{cancelled, late} {
				for name, call := range calls(e.store) {
					require.ErrorIs(e, call(ctx), ctx.Err(), name)
				}
			}
			e.has(document("a", 1))
		},
	}, {
		Name:  "closed",
		About: "After Close every call returns ErrClosed, and closing again is no error.",
		Run: func(e *env) {
			e.add(document("a", 1))
			require.NoError(e, e.close(e.store))
			require.NoError(e, e.close(e.store))
			for name, call := range calls(e.store) {
				require.ErrorIs(e, call(e.ctx), driver.ErrClosed, name)
			}
		},
	}}
}
