package longtermtest

import (
	"context"
	"flag"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// fault is a way for an index to be wrong, and the cases that must find it.
type fault struct {
	name   string
	broken func(x *longterm.MemoryIndex) *broken
	cases  []string
}

func allFaults() []fault {
	return slices.Concat(writeFaults(), versionFaults(), contentFaults(), filterFaults(), listFaults(), rankFaults(), pageFaults(), tenantFaults(), concurrencyFaults())
}

// broken is an index of which some methods are others.
type broken struct {
	*longterm.MemoryIndex
	lookup func(ctx context.Context, l longterm.Lookup) ([]longterm.Entry, error)
	write  func(ctx context.Context, changes []longterm.Change) error
	touch  func(ctx context.Context, keys []longterm.Key, at time.Time) error
	search func(ctx context.Context, s longterm.Search) (longterm.Page, error)
	close  func() error
	// another makes another handle. nil: there is one.
	another func() *broken
}

func (b *broken) Lookup(ctx context.Context, l longterm.Lookup) ([]longterm.Entry, error) {
	if b.lookup != nil {
		return b.lookup(ctx, l)
	}
	return b.MemoryIndex.Lookup(ctx, l)
}

func (b *broken) Write(ctx context.Context, changes []longterm.Change) error {
	if b.write != nil {
		return b.write(ctx, changes)
	}
	return b.MemoryIndex.Write(ctx, changes)
}

func (b *broken) Touch(ctx context.Context, keys []longterm.Key, at time.Time) error {
	if b.touch != nil {
		return b.touch(ctx, keys, at)
	}
	return b.MemoryIndex.Touch(ctx, keys, at)
}

func (b *broken) Search(ctx context.Context, s longterm.Search) (longterm.Page, error) {
	if b.search != nil {
		return b.search(ctx, s)
	}
	return b.MemoryIndex.Search(ctx, s)
}

func (b *broken) Close() error {
	if b.close != nil {
		return b.close()
	}
	return b.MemoryIndex.Close()
}

// harness returns a harness of indexes that work but for a fault.
func harness(f fault) func(testing.TB) Harness {
	return func(testing.TB) Harness {
		index := f.broken(longterm.NewMemoryIndex(nil))
		return Harness{Shared: index.another != nil, Open: func(testing.TB) longterm.Index {
			if index.another != nil {
				return index.another()
			}
			return index
		}}
	}
}

// onSearch is a fault in what is searched for.
func onSearch(change func(s *longterm.Search)) func(*longterm.MemoryIndex) *broken {
	return func(x *longterm.MemoryIndex) *broken {
		return &broken{MemoryIndex: x, search: func(ctx context.Context, s longterm.Search) (longterm.Page, error) {
			change(&s)
			return x.Search(ctx, s)
		}}
	}
}

// onPage is a fault in what a search returns.
func onPage(change func(s longterm.Search, page *longterm.Page)) func(*longterm.MemoryIndex) *broken {
	return func(x *longterm.MemoryIndex) *broken {
		return &broken{MemoryIndex: x, search: func(ctx context.Context, s longterm.Search) (longterm.Page, error) {
			page, err := x.Search(ctx, s)
			if err == nil {
				change(s, &page)
			}
			return page, err
		}}
	}
}

// onLookup is a fault in what a Lookup returns.
func onLookup(change func(l longterm.Lookup, found []longterm.Entry) []longterm.Entry) func(*longterm.MemoryIndex) *broken {
	return func(x *longterm.MemoryIndex) *broken {
		return &broken{MemoryIndex: x, lookup: func(ctx context.Context, l longterm.Lookup) ([]longterm.Entry, error) {
			found, err := x.Lookup(ctx, l)
			return change(l, found), err
		}}
	}
}

// onWrite is a fault in what is written.
func onWrite(change func(x *longterm.MemoryIndex, changes []longterm.Change) []longterm.Change) func(*longterm.MemoryIndex) *broken {
	return func(x *longterm.MemoryIndex) *broken {
		return &broken{MemoryIndex: x, write: func(ctx context.Context, changes []longterm.Change) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return x.Write(ctx, change(x, slices.Clone(changes)))
		}}
	}
}

// onEntry is a fault in the entries that are written.
func onEntry(change func(x *longterm.MemoryIndex, e *longterm.Entry)) func(*longterm.MemoryIndex) *broken {
	return onWrite(func(x *longterm.MemoryIndex, changes []longterm.Change) []longterm.Change {
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
func stored(x *longterm.MemoryIndex, key longterm.Key) *longterm.Entry {
	found, err := x.Lookup(context.Background(), longterm.Lookup{Keys: []longterm.Key{key}})
	if err != nil || len(found) == 0 {
		return nil
	}
	return &found[0]
}

// notes are what a fault remembers of records.
type notes[T any] struct {
	mu sync.Mutex
	of map[longterm.Key]T
}

func (n *notes[T]) set(key longterm.Key, value T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == nil {
		n.of = map[longterm.Key]T{}
	}
	n.of[key] = value
}

func (n *notes[T]) get(key longterm.Key) T {
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
	works := fault{broken: func(x *longterm.MemoryIndex) *broken { return &broken{MemoryIndex: x} }}
	var faults []conformance.Fault[*env]
	for _, f := range allFaults() {
		faults = append(faults, conformance.Fault[*env]{Name: f.name, Open: newEnv(harness(f)), Cases: f.cases})
	}
	conformance.Verify(t, allCases(), newEnv(harness(works)), faults)
}
