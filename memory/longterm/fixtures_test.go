package longterm_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// monday is when the sessions of the tests are.
var monday = time.Date(2026, 3, 2, 9, 0, 0, 123_456_789, time.UTC)

var annas = session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}

// newPromoter makes a promoter on a memory of its own.
func newPromoter(tb testing.TB, opts *longterm.PromoterOptions) (*longterm.Promoter, *longterm.Memory) {
	tb.Helper()
	return promoterOn(tb, memindex.New(nil), opts)
}

func promoterOn(tb testing.TB, index driver.Index, opts *longterm.PromoterOptions) (*longterm.Promoter, *longterm.Memory) {
	tb.Helper()
	memory, err := longterm.New(index, nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = memory.Close(context.Background()) })
	promoter, err := longterm.NewPromoter(memory, opts)
	require.NoError(tb, err)
	return promoter, memory
}

// all returns the records of an owner, without messages.
func all(tb testing.TB, m *longterm.Memory, key session.Key) []longterm.Record {
	tb.Helper()
	results, err := m.Search(tb.Context(), longterm.Of(key.Namespace, key.UserID), longterm.Query{
		Filter: longterm.RecordFilter{Type: &longterm.TextCondition{Ne: new(string(session.RecordMessage))}}, Limit: longterm.MaxPage, NoTouch: true,
	})
	require.NoError(tb, err)
	var records []longterm.Record
	for i := range results.Hits {
		records = append(records, results.Hits[i].Record)
	}
	return records
}

// brokenIndex fails the next writes, before or after they had their effect.
type brokenIndex struct {
	driver.Index
	mu            sync.Mutex
	before, after int
}

func (b *brokenIndex) Write(ctx context.Context, changes []driver.RecordChange) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.before > 0 {
		b.before--
		return longterm.ErrUnavailable
	}
	err := b.Index.Write(ctx, changes)
	if b.after > 0 && err == nil {
		b.after--
		return longterm.ErrUnavailable
	}
	return err
}
