package drivertest

import (
	"context"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// nearFault returns a fault of Nearest.
func nearFault(name, found string, call func(ctx context.Context, x *memindex.Index, searches []driver.Search) ([][]driver.Hit, error)) fault {
	return fault{name, []string{found}, func(x *memindex.Index) *broken {
		b := newBroken(x)
		b.nearest = func(ctx context.Context, searches []driver.Search) ([][]driver.Hit, error) {
			return call(ctx, x, searches)
		}
		return b
	}}
}

// neighbourFault returns a fault of Neighbours.
func neighbourFault(name string, change func(x *memindex.Index, keys []driver.RecordKey, around []driver.Neighbours) []driver.Neighbours) fault {
	return fault{name, []string{"neighbours"}, func(x *memindex.Index) *broken {
		b := newBroken(x)
		b.neighbours = func(ctx context.Context, keys []driver.RecordKey) ([]driver.Neighbours, error) {
			around, err := x.Neighbours(ctx, keys)
			if err != nil {
				return nil, err
			}
			return change(x, keys, around), nil
		}
		return b
	}}
}

func nearFaults() []fault {
	return []fault{
		nearFault("Nearest ignores filters", "many searches at once", func(ctx context.Context, x *memindex.Index, searches []driver.Search) ([][]driver.Hit, error) {
			searches = slices.Clone(searches)
			for i := range searches {
				searches[i].Filter = driver.RecordFilter{}
			}
			return x.Nearest(ctx, searches)
		}),
		nearFault("Nearest returns the hits of the first search", "many searches at once", func(ctx context.Context, x *memindex.Index, searches []driver.Search) ([][]driver.Hit, error) {
			all, err := x.Nearest(ctx, searches)
			for i := range all {
				all[i] = all[0]
			}
			return all, err
		}),
		nearFault("Nearest accepts any searches", "invalid searches at once", func(ctx context.Context, x *memindex.Index, searches []driver.Search) ([][]driver.Hit, error) {
			if all, err := x.Nearest(ctx, searches); err == nil {
				return all, nil
			}
			return make([][]driver.Hit, len(searches)), nil
		}),
		{"of thousands only those are compared that were added first", []string{"search among thousands of vectors"}, onSearchCall(func(ctx context.Context, x *memindex.Index, s driver.Search) (driver.HitPage, error) {
			page, err := x.Search(ctx, s)
			if err == nil && page.Total > driver.ExactVectors && len(page.Hits) > 1 {
				page.Hits = page.Hits[:len(page.Hits)/2]
			}
			return page, err
		})},
		{"totals of thousands are estimates", []string{"search among thousands of vectors"}, onPage(func(s driver.Search, page *driver.HitPage) {
			if page.Total > driver.ExactVectors {
				page.Total = page.Total / 100 * 100
			}
		})},
		{"without a total nothing is counted", []string{"no total"}, onPage(func(s driver.Search, page *driver.HitPage) {
			if s.NoTotal {
				page.Total = 0
			}
		})},
		{"without a total only the best hit is found", []string{"no total"}, onPage(func(s driver.Search, page *driver.HitPage) {
			if s.NoTotal && len(page.Hits) > 1 {
				page.Hits = page.Hits[:1]
			}
		})},
		neighbourFault("neighbours are reversed", func(_ *memindex.Index, _ []driver.RecordKey, around []driver.Neighbours) []driver.Neighbours {
			for i, n := range around {
				around[i] = driver.Neighbours{Previous: n.Next, Next: n.Previous}
			}
			return around
		}),
		neighbourFault("the ends of a session meet", func(_ *memindex.Index, keys []driver.RecordKey, around []driver.Neighbours) []driver.Neighbours {
			for i := range around {
				if around[i].Next != "" && around[i].Previous == "" {
					around[i].Previous = around[i].Next
				}
			}
			return around
		}),
		neighbourFault("records without neighbours are left out", func(_ *memindex.Index, _ []driver.RecordKey, around []driver.Neighbours) []driver.Neighbours {
			return slices.DeleteFunc(around, func(n driver.Neighbours) bool { return n == driver.Neighbours{} })
		}),
	}
}
