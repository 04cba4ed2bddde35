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
)

// fault is a way for an index to be wrong, and the cases that must find it.
type fault struct {
	name   string
	broken func(x *memindex.Index) *broken
	cases  []string
}

func allFaults() []fault {
	return slices.Concat(writeFaults(), versionFaults(), contentFaults(), filterFaults(), listFaults(), rankFaults(), pageFaults(), tenantFaults(), concurrencyFaults())
}

// broken is an index of which some methods are others.
type broken struct {
	*memindex.Index
	lookup func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error)
	write  func(ctx context.Context, changes []driver.RecordChange) error
	touch  func(ctx context.Context, keys []driver.RecordKey, at time.Time) error
	search func(ctx context.Context, s driver.Search) (driver.HitPage, error)
	close  func() error
	// another makes another handle. nil: there is one.
	another func() *broken
}

func (b *broken) Lookup(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
	if b.lookup != nil {
		return b.lookup(ctx, l)
	}
	return b.Index.Lookup(ctx, l)
}

func (b *broken) Write(ctx context.Context, changes []driver.RecordChange) error {
	if b.write != nil {
		return b.write(ctx, changes)
	}
	return b.Index.Write(ctx, changes)
}

func (b *broken) Touch(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
	if b.touch != nil {
		return b.touch(ctx, keys, at)
	}
	return b.Index.Touch(ctx, keys, at)
}

func (b *broken) Search(ctx context.Context, s driver.Search) (driver.HitPage, error) {
	if b.search != nil {
		return b.search(ctx, s)
	}
	return b.Index.Search(ctx, s)
}

func (b *broken) Close() error {
	if b.close != nil {
		return b.close()
	}
	return b.Index.Close()
}

// harness returns a harness of indexes that work but for a fault.
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

// onSearch is a fault in what is searched for.
func onSearch(change func(s *driver.Search)) func(*memindex.Index) *broken {
	return func(x *memindex.Index) *broken {
		return &broken{Index: x, search: func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
			change(&s)
			return x.Search(ctx, s)
		}}
	}
}

// onPage is a fault in what a search returns.
func onPage(change func(s driver.Search, page *driver.HitPage)) func(*memindex.Index) *broken {
	return func(x *memindex.Index) *broken {
		return &broken{Index: x, search: func(ctx context.Context, s driver.Search) (driver.HitPage, error) {
			page, err := x.Search(ctx, s)
			if err == nil {
				change(s, &page)
			}
			return page, err
		}}
	}
}

// onLookup is a fault in what a Lookup returns.
func onLookup(change func(l driver.Lookup, found []driver.Entry) []driver.Entry) func(*memindex.Index) *broken {
	return func(x *memindex.Index) *broken {
		return &broken{Index: x, lookup: func(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
			found, err := x.Lookup(ctx, l)
			return change(l, found), err
		}}
	}
}

// onWrite is a fault in what is written.
func onWrite(change func(x *memindex.Index, changes []driver.RecordChange) []driver.RecordChange) func(*memindex.Index) *broken {
	return func(x *memindex.Index) *broken {
		return &broken{Index: x, write: func(ctx context.Context, changes []driver.RecordChange) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return x.Write(ctx, change(x, slices.Clone(changes)))
		}}
	}
}

// onEntry is a fault in the entries that are written.
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

// stored returns an entry as it stands, nil if there is none.
func stored(x *memindex.Index, key driver.RecordKey) *driver.Entry {
	found, err := x.Lookup(context.Background(), driver.Lookup{Keys: []driver.RecordKey{key}})
	if err != nil || len(found) == 0 {
		return nil
	}
	return &found[0]
}

// notes are what a fault remembers of records.
type notes[T any] struct {
	mu sync.Mutex
	of map[driver.RecordKey]T
}

func (n *notes[T]) set(key driver.RecordKey, value T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == nil {
		n.of = map[driver.RecordKey]T{}
	}
	n.of[key] = value
}

func (n *notes[T]) get(key driver.RecordKey) T {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.of[key]
}

// The cases that draw at random are to write no files on how they failed, and not to
// look for shorter ways: they are meant to fail here. They draw the same each time:
// what is drawn in one run need not find each fault.
var _, _, _ = flag.Set("rapid.nofailfile", "true"), flag.Set("rapid.shrinktime", "0s"), flag.Set("rapid.seed", "1")

func TestSuite(t *testing.T) {
	t.Parallel()
	works := fault{broken: func(x *memindex.Index) *broken { return &broken{Index: x} }}
	var faults []conformance.Fault[*env]
	for _, f := range allFaults() {
		faults = append(faults, conformance.Fault[*env]{Name: f.name, Open: newEnv(harness(f)), Cases: f.cases})
	}
	conformance.Verify(t, allCases(), newEnv(harness(works)), faults)
}
