package longterm_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// Any records, put in any order and in any division: putting them again changes nothing, no
// two records are the same memory, and none loses what another contributed.
func TestPutIsIdempotent(t *testing.T) {
	t.Parallel()
	record := rapid.Custom(func(t *rapid.T) longterm.Record {
		group, at := rapid.IntRange(0, 2).Draw(t, "group"), rapid.IntRange(0, 9).Draw(t, "at") // near within a group, far between them
		r := longterm.Record{
			Text: fmt.Sprintf("%d @%d", at, group*90+at), Pinned: rapid.Bool().Draw(t, "pinned"), Topics: []string{fmt.Sprint("group ", group)},
			LastAccessed: noon.Add(time.Duration(rapid.IntRange(-9, 0).Draw(t, "used")) * time.Hour),
		}
		if rapid.Bool().Draw(t, "dated") {
			r.CreatedAt = noon.Add(time.Duration(rapid.IntRange(-9, -1).Draw(t, "created")) * time.Hour)
		}
		if rapid.Bool().Draw(t, "extracted") {
			r.ExtractedFrom = []string{"m"}
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		now, ctx, index := noon, context.Background(), memindex.New(nil)
		m, err := longterm.New(index, &longterm.Options{Now: func() time.Time { return now }, Embedder: &compass{}})
		require.NoError(t, err)
		records := rapid.SliceOfN(record, 1, 12).Draw(t, "records")
		for i := range records {
			records[i].ID = fmt.Sprint(i)
			records[i].Topics = append(records[i].Topics, fmt.Sprint("of ", i))
		}
		put := func(records []longterm.Record) {
			puts, err := m.Put(ctx, anna, records, nil)
			require.NoError(t, err)
			for _, put := range puts {
				_, err := m.Get(ctx, anna, put.Key.ID)
				require.NoError(t, err)
			}
		}
		for some := range slices.Chunk(records, rapid.IntRange(1, len(records)).Draw(t, "at once")) {
			put(some)
		}
		before := recordsOf(t, index)
		merged := map[string]longterm.Record{}
		for _, r := range before {
			require.Equal(t, driver.HashOf(&r, false), r.Hash)
			require.NotContains(t, merged, r.Topics[0], "one record of each group")
			merged[r.Topics[0]] = r
		}
		for _, r := range records {
			m := merged[r.Topics[0]]
			require.Subset(t, m.Topics, r.Topics)
			require.True(t, m.Pinned || !r.Pinned)
			require.False(t, m.LastAccessed.Before(r.LastAccessed))
			require.True(t, r.CreatedAt.IsZero() || !m.CreatedAt.After(r.CreatedAt))
		}
		now = now.Add(time.Hour)
		put(records)
		require.Equal(t, before, recordsOf(t, index))
		for i := range records {
			if !records[i].CreatedAt.IsZero() { // a record without a time is stated now
				put(records[i : i+1])
			}
		}
		require.Len(t, recordsOf(t, index), len(before))
		c, err := m.Compact(ctx, anna)
		require.NoError(t, err)
		require.Equal(t, longterm.Compaction{Remaining: len(before)}, c)
	})
}

func TestConcurrentPutsOfTheSameTexts(t *testing.T) {
	t.Parallel()
	index := memindex.New(nil)
	const memories, goroutines, texts = 3, 4, 20
	var wg sync.WaitGroup
	for i := range memories {
		m, err := longterm.New(index, &longterm.Options{Embedder: &compass{}})
		require.NoError(t, err)
		for j := range goroutines {
			wg.Go(func() {
				var records []longterm.Record
				for k := range texts {
					records = append(records, longterm.Record{
						ID: fmt.Sprintf("%d-%d-%d", i, j, k), Text: fmt.Sprintf("fact %d @%d", k, 3*k), Topics: []string{fmt.Sprintf("%d-%d", i, j)},
						SessionID: fmt.Sprint(k), // texts of one session would be near each other
					})
				}
				for some := range slices.Chunk(records, 1+3*j) {
					if _, err := m.Put(context.Background(), anna, some, nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	records := recordsOf(t, index)
	require.Len(t, records, texts)
	for _, r := range records {
		require.Len(t, r.Topics, memories*goroutines)
	}
}
