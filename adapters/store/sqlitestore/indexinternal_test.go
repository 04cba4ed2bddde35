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

// manyRecords returns changes that add n records of ann.
func manyRecords(n int) []driver.RecordChange {
	changes := make([]driver.RecordChange, n)
	for i := range changes {
		rec := longterm.Record{ID: fmt.Sprint(i), UserID: "ann", Hash: fmt.Sprint(i), Text: strings.Repeat("tea ", 500), Topics: []string{"tea"}}
		changes[i] = driver.RecordChange{Key: driver.KeyOf(&rec), Entry: &driver.Entry{Record: rec, Terms: []string{"tea"}, Vector: []float32{1}, Model: "m"}}
	}
	return changes
}

// found returns the number of records that a keyword search finds.
func found(t *testing.T, x *Index) int {
	t.Helper()
	page, err := x.Search(t.Context(), driver.Search{Scope: longterm.Of("", "ann"), Mode: longterm.ModeKeyword, Terms: []string{"tea"}})
	require.NoError(t, err)
	return page.Total
}

// TestRecordWritesThatFail: a write that fails changes nothing, and the index recovers.
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

// TestLongRecordWriteIsCancelled: the context of a running change is checked.
func TestLongRecordWriteIsCancelled(t *testing.T) {
	t.Parallel()
	x, many := openStore(t, nil).Index(), manyRecords(20)
	for _, after := range []int{5, 30} { // before and after the first write
		ctx := &endingContext{Context: t.Context(), after: after}
		require.ErrorIs(t, x.Write(ctx, many), context.Canceled)
		assert.Zero(t, found(t, x))
	}
	require.NoError(t, x.Write(t.Context(), many))
	assert.Equal(t, len(many), found(t, x))
}
