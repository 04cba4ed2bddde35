package drivertest

import (
	"errors"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func reserveCases() []testCase {
	return []testCase{{
		Name:  "asks for enough memory",
		About: "If a Load asks the Reserve of its context, it asks for at least twice what it returns, and returns the error of a refusal.",
		Run:   asksForEnough,
	}}
}

func asksForEnough(e *env) {
	sizes := []int{10, 100_000, 3, 30_000, 1000}
	a := appendOf(numbered(1, len(sizes))...)
	for i, size := range sizes {
		a.Messages[i].Body = []byte(`"` + strings.Repeat("x", size) + `"`)
	}
	a.Head = []byte(`"` + strings.Repeat("h", 50_000) + `"`)
	e.appendTo(key, a, len(sizes))
	refusal := errors.New("refused")
	for last := -1; last <= len(sizes)+1; last++ {
		var asked int64
		granting := driver.WithReserve(e.ctx, func(store any, bytes int64) error {
			require.NotNil(e, store)
			asked = max(asked, bytes)
			return nil
		})
		r, err := e.store.Load(granting, key, last)
		require.NoError(e, err)
		if asked == 0 {
			e.Skip("the store does not ask")
		}
		returned := len(r.Head)
		for _, m := range r.Messages {
			returned += len(m.ID) + len(m.Body)
		}
		require.GreaterOrEqual(e, asked, int64(2*returned), "the last %d", last)
		_, err = e.store.Load(driver.WithReserve(e.ctx, func(any, int64) error { return refusal }), key, last)
		require.ErrorIs(e, err, refusal)
	}
	_, err := e.store.Load(driver.WithReserve(e.ctx, func(any, int64) error { return nil }), driver.Key{SessionID: "none"}, -1)
	require.ErrorIs(e, err, driver.ErrNotFound)
}
