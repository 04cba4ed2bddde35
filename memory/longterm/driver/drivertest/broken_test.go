package drivertest

import (
	"context"
	"flag"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// fault is a defect of an index, with the cases that must find it.
type fault struct {
	name   string
	cases  []string
	broken func(x *memindex.Index) *broken
}

func allFaults() []fault {
	return slices.Concat(writeFaults(), versionFaults(), contentFaults(), filterFaults(), listFaults(), rankFaults(), nearFaults(), pageFaults(), tenantFaults(), reserveFaults(), concurrencyFaults())
}

// broken is an index with some methods replaced.
type broken struct {
	*memindex.Index
	lookup     func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error)
	write      func(ctx context.Context, changes []driver.RecordChange) error
	touch      func(ctx context.Context, keys []driver.RecordKey, at time.Time) error
	search     func(ctx context.Context, s driver.Search) (driver.HitPage, error)
	nearest    func(ctx context.Context, searches []driver.Search) ([][]driver.Hit, error)
	neighbours func(ctx context.Context, keys []driver.RecordKey) ([]driver.Neighbours, error)
	close      func() error
	// another opens another handle; nil if there is only one.
	another func() *broken
}

func newBroken(x *memindex.Index) *broken {
	return &broken{Index: x, lookup: x.Lookup, write: x.Write, touch: x.Touch, search: x.Search, nearest: x.Nearest, neighbours: x.Neighbours, close: x.Close}
}

func (b *broken) Lookup(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
	return b.lookup(ctx, l)
}

func (b *broken) Write(ctx context.Context, changes []driver.RecordChange) error {
	return b.write(ctx, changes)
}

func (b *broken) Touch(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
	return b.touch(ctx, keys, at)
}

func (b *broken) Search(ctx context.Context, s driver.Search) (driver.HitPage, error) {
	return b.search(ctx, s)
}

func (b *broken) Nearest(ctx context.Context, searches []driver.Search) ([][]driver.Hit, error) {
	return b.nearest(ctx, searches)
}

func (b *broken) Neighbours(ctx context.Context, keys []driver.RecordKey) ([]driver.Neighbours, error) {
	return b.neighbours(ctx, keys)
}

func (b *broken) Close() error { return b.close() }

// harness returns a harness of indexes with a fault.
func harness(f fault) func(testing.TB) Harness {
	return func(testing.TB) Harness {
		index := f.broken(memindex.New(nil))
		return Harness{Shared: index.another != nil, Open: func(testing.TB) driver.Index {
			if index.another != nil {
				return index.another()
			}
			return index
		}}
	}
}

// onLookupCall, onWriteCall, onTouchCall and onSearchCall replace a method.
func onLookupCall(call func(ctx context.Context, x *memindex.Index, l driver.Lookup) ([]driver.Entry, error)) func(*memindex.Index) *broken {
	return func(x *memindex.Index) *broken {
		b := newBroken(x)
		b.lookup = func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) { return call(ctx, x, l) }
		return b
	}
}

func onWriteCall(call func(ctx context.Context, x *memindex.Index, changes []driver.RecordChange) error) func(*memindex.Index) *broken {
	return func(x *memindex.Index) *broken {
		b := newBroken(x)
		b.write = func(ctx context.Context, changes []driver.RecordChange) error {
			return call(ctx, x, slices.Clone(changes))
		}
		return b
	}
}

func onTouchCall(call func(ctx context.Context, x *memindex.Index, keys []driver.RecordKey, at time.Time) error) func(*memindex.Index) *broken {
	return func(x *memindex.Index) *broken {
		b := newBroken(x)
		b.touch = func(ctx context.Context, keys []driver.RecordKey, at time.Time) error { return call(ctx, x, keys, at) }
		return b
	}
}

func onSearchCall(call func(ctx context.Context, x *memindex.Index, s driver.Search) (driver.HitPage, error)) func(*memindex.Index) *broken {
	return func(x *memindex.Index) *broken {
		b := newBroken(x)
		b.search = func(ctx context.Context, s driver.Search) (driver.HitPage, error) { return call(ctx, x, s) }
		return b
	}
}

// onSearch changes the searches, onPage their results, onLookup the results of lookups.
func onSearch(change func(s *driver.Search)) func(*memindex.Index) *broken {
	return onSearchCall(func(ctx context.Context, x *memindex.Index, s driver.Search) (driver.HitPage, error) {
		change(&s)
		return x.Search(ctx, s)
	})
}

func onPage(change func(s driver.Search, page *driver.HitPage)) func(*memindex.Index) *broken {
	return onSearchCall(func(ctx context.Context, x *memindex.Index, s driver.Search) (driver.HitPage, error) {
		page, err := x.Search(ctx, s)
		if err == nil {
			change(s, &page)
		}
		return page, err
	})
}

func onLookup(change func(l driver.Lookup, found []driver.Entry) []driver.Entry) func(*memindex.Index) *broken {
	return onLookupCall(func(ctx context.Context, x *memindex.Index, l driver.Lookup) ([]driver.Entry, error) {
		found, err := x.Lookup(ctx, l)
		return change(l, found), err
	})
}

// onWrite changes the changes of writes, onEntry their entries.
func onWrite(change func(x *memindex.Index, changes []driver.RecordChange) []driver.RecordChange) func(*memindex.Index) *broken {
	return onWriteCall(func(ctx context.Context, x *memindex.Index, changes []driver.RecordChange) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return x.Write(ctx, change(x, changes))
	})
}

func onEntry(change func(x *memindex.Index, e *driver.Entry)) func(*memindex.Index) *broken {
	return onWrite(func(x *memindex.Index, changes []driver.RecordChange) []driver.RecordChange {
		for i, c := range changes {
			if c.Entry != nil {
				copied := *c.Entry
				change(x, &copied)
				changes[i].Entry = &copied
			}
		}
		return changes
	})
}

// stored returns the present entry of a key, nil if it has none.
func stored(x *memindex.Index, key driver.RecordKey) *driver.Entry {
	found, err := x.Lookup(context.Background(), driver.Lookup{Keys: []driver.RecordKey{key}})
	if err != nil || len(found) == 0 {
		return nil
	}
	return &found[0]
}

// notes holds values by record. It is safe for concurrent use.
type notes[T any] struct{ values sync.Map }

func (n *notes[T]) set(key driver.RecordKey, value T) { n.values.Store(key, value) }

func (n *notes[T]) get(key driver.RecordKey) (value T) {
	if v, ok := n.values.Load(key); ok {
		value = v.(T)
	}
	return value
}

// Cases that draw at random fail here on purpose: they write no files about it and do not look
// for smaller examples. They draw the same in each run, because not every draw finds each fault.
var _, _, _ = flag.Set("rapid.nofailfile", "true"), flag.Set("rapid.shrinktime", "0s"), flag.Set("rapid.seed", "1")

func TestSuite(t *testing.T) {
	t.Parallel()
	works := fault{broken: reserving(func(reserve sessiondriver.Reserve, texts int64) error { return reserve("index", 2*texts) })}
	var faults []conformance.Fault[*env]
	for _, f := range allFaults() {
		faults = append(faults, conformance.Fault[*env]{Name: f.name, Open: newEnv(harness(f)), Cases: f.cases})
	}
	conformance.Verify(t, allCases(), newEnv(harness(works)), faults)
}
