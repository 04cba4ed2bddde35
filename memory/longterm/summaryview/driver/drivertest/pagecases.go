package drivertest

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

func pageCases() []testCase {
	return []testCase{{
		Name:  "lists",
		About: "List and Count select keys by prefix, byte by byte; List orders them and continues after a key, which need not exist.",
		Run: func(e *env) {
			for i, key := range []string{"b/", "a", "a/2", "a/10", "a0", "a/%", "A/1", "a/_", "a.", "a/10/x", "~"} {
				e.add(document(key, i))
			}
			for _, tc := range []struct {
				prefix, after string
				limit         int
				want          []string
				count         int
			}{
				{"", "", 100, []string{"A/1", "a", "a.", "a/%", "a/10", "a/10/x", "a/2", "a/_", "a0", "b/", "~"}, 11},
				{"a/", "", 100, []string{"a/%", "a/10", "a/10/x", "a/2", "a/_"}, 5},
				{"a/", "a/10", 2, []string{"a/10/x", "a/2"}, 5},
				{"a/", "a/11", 100, []string{"a/2", "a/_"}, 5},
				{"a/", "Z", 1, []string{"a/%"}, 5},
				{"a/", "b", 100, nil, 5},
				{"a/_", "", 100, []string{"a/_"}, 1},
				{"a/%", "", 100, []string{"a/%"}, 1},
				{"~", "", 100, []string{"~"}, 1},
				{"c", "", 100, nil, 0},
			} {
				page, err := e.store.List(e.ctx, tc.prefix, tc.after, tc.limit)
				require.NoError(e, err)
				require.Equal(e, tc.want, keysOf(page), "%+v", tc)
				n, err := e.store.Count(e.ctx, tc.prefix)
				require.NoError(e, err)
				require.Equal(e, tc.count, n, "%+v", tc)
			}
		},
	}, {
		Name:  "many documents",
		About: "Pages of a long list are complete.",
		Run: func(e *env) {
			const documents = 3 * driver.MaxDocumentChanges
			for batch := range slices.Chunk(slices.Collect(upTo(documents)), driver.MaxDocumentChanges) {
				var changes []driver.DocumentChange
				for _, n := range batch {
					changes = append(changes, put(document(fmt.Sprintf("k/%04d", n), n), ""))
				}
				e.write(changes...)
			}
			after, seen := "", 0
			for {
				page, err := e.store.List(e.ctx, "k/", after, 70)
				require.NoError(e, err)
				for _, d := range page {
					require.Equal(e, document(fmt.Sprintf("k/%04d", seen), seen), d)
					seen++
				}
				if len(page) == 0 {
					break
				}
				after = page[len(page)-1].Key
			}
			require.Equal(e, documents, seen)
		},
	}, {
		Name:  "due documents",
		About: "Due returns the documents that are due by a time, the earliest first, and of these in order of their keys.",
		Run: func(e *env) {
			e.add(document("late", 3), document("b", 1), document("a", 1), document("early", 0), driver.Document{Key: "never", Revision: "r", Value: []byte{}})
			for _, tc := range []struct {
				at    time.Time
				limit int
				want  []string
			}{
				{noon.Add(time.Hour), 10, []string{"early", "a", "b", "late"}},
				{noon.Add(time.Hour), 2, []string{"early", "a"}},
				{noon.Add(time.Second), 10, []string{"early", "a", "b"}},
				{noon.Add(time.Second - time.Millisecond), 10, []string{"early"}},
				{noon.Add(-time.Millisecond), 10, nil},
			} {
				page, err := e.store.Due(e.ctx, tc.at, tc.limit)
				require.NoError(e, err)
				require.Equal(e, tc.want, keysOf(page), "%+v", tc)
			}
			page, err := e.store.Due(e.ctx, noon, 10)
			require.NoError(e, err)
			require.Equal(e, []driver.Document{document("early", 0)}, page)
		},
	}, {
		Name:  "changed due times",
		About: "A document is due at its last due time, and never after a Put without one or after its removal.",
		Run: func(e *env) {
			e.add(document("a", 1), document("b", 2), document("c", 3))
			postponed := document("a", 100)
			unset := driver.Document{Key: "b", Revision: "r", Value: []byte{}}
			e.write(put(postponed, "r1"), put(unset, "r2"), remove("c", "r3"))
			page, err := e.store.Due(e.ctx, noon.Add(99*time.Second), 10)
			require.NoError(e, err)
			require.Empty(e, page)
			page, err = e.store.Due(e.ctx, noon.Add(100*time.Second), 10)
			require.NoError(e, err)
			require.Equal(e, []driver.Document{postponed}, page)
		},
	}}
}

func upTo(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func keysOf(page []driver.Document) (keys []string) {
	for _, d := range page {
		keys = append(keys, d.Key)
	}
	return keys
}
