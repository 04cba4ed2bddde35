package sqlitestore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// manyRecords are new records of ann's.
func manyRecords(n int) []driver.RecordChange {
	changes := make([]driver.RecordChange, n)
	for i := range changes {
		rec := longterm.Record{ID: fmt.Sprint(i), UserID: "ann", Hash: fmt.Sprint(i), Text: strings.Repeat("tea ", 500), Topics: []string{"tea"}}
		changes[i] = driver.RecordChange{Key: driver.KeyOf(&rec), Entry: &driver.Entry{Record: rec, Terms: []string{"tea"}, Vector: []float32{1}, Model: "m"}}
	}
	return changes
}

// found is how many records a search by words finds.
func found(t *testing.T, x *Index) int {
	t.Helper()
	page, err := x.Search(t.Context(), driver.Search{Scope: longterm.Of("", "ann"), Mode: longterm.ModeKeyword, Terms: []string{"tea"}})
	require.NoError(t, err)
	return page.Total
}

// Of a write that fails nothing stays, and the index works again when it can.
func TestRecordWritesThatFail(t *testing.T) {
	t.Parallel()
	store := openStore(t, nil)
	x, many := store.Index(), manyRecords(200)
	require.NoError(t, x.Write(t.Context(), many[:1]))
	pragma(t, store, "max_page_count = 60")
	require.ErrorIs(t, x.Write(t.Context(), many[1:]), longterm.ErrUnavailable)
	assert.Equal(t, 1, found(t, x))
	require.NoError(t, x.Write(t.Context(), many[1:]))
	assert.Equal(t, len(many), found(t, x))
}

// A context may end while a change is at work.
func TestLongRecordWriteIsCancelled(t *testing.T) {
	t.Parallel()
	x, many := openStore(t, nil).Index(), manyRecords(20)
	for _, after := range []int{5, 30} { // while it reads, and when it has written
		ctx := &endingContext{Context: t.Context(), after: after}
		require.ErrorIs(t, x.Write(ctx, many), context.Canceled)
		assert.Zero(t, found(t, x))
	}
	require.NoError(t, x.Write(t.Context(), many))
	assert.Equal(t, len(many), found(t, x))
}
