package authtest

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

func listCases() []testCase {
	return []testCase{{
		Name:  "no tokens",
		About: "Listing an empty store returns no tokens and no error.",
		Run:   func(e *env) { e.has(e.store) },
	}, {
		Name:  "list order",
		About: "Tokens are ordered by creation, and those of one millisecond by id, byte by byte.",
		Run: func(e *env) {
			var want []auth.Token
			for n := range 60 {
				t := token(n)
				t.ID = fmt.Sprintf("%s%016x", []string{"a", "0", "z", "9", "ab", "zz"}[n%6], n*7919%60)
				t.CreatedAt = created.Add(time.Duration(n*31%7) * time.Millisecond)
				want = append(want, e.add(t))
			}
			slices.SortFunc(want, func(a, b auth.Token) int {
				return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
			})
			e.has(e.store, want...)
		},
	}, {
		Name:  "many tokens",
		About: "A long list is complete.",
		Run: func(e *env) {
			const many = 1500
			for n := range many {
				require.NoError(e, e.store.Add(e.ctx, token(n)))
			}
			all, err := e.store.List(e.ctx)
			require.NoError(e, err)
			require.Len(e, all, many)
			for n, t := range all {
				require.Equal(e, token(n).ID, t.ID)
			}
		},
	}, {
		Name:  "results belong to the caller",
		About: "Changing a returned token changes nothing in the store.",
		Run: func(e *env) {
			t := e.add(token(1))
			all, err := e.store.List(e.ctx)
			require.NoError(e, err)
			require.Len(e, all, 1)
			all[0].Hash[0]++
			all[0].Tenant = auth.Tenant{}
			e.has(e.store, t)
		},
	}}
}
