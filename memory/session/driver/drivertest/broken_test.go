package drivertest

import (
	"context"
	"flag"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// fault is a fault of a store, and the cases that must find it.
type fault struct {
	name   string
	broken func(s driver.Store, c *clock) *broken
	cases  []string
}

func allFaults() []fault {
	return slices.Concat(appendFaults(), writeFaults(), idFaults(), contentFaults(), ttlFaults(), listFaults(), dueFaults(), concurrencyFaults())
}

// broken is a store with some methods replaced.
type broken struct {
	driver.Store
	load   func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error)
	append func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error)
	write  func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error)
	delete func(ctx context.Context, key session.Key, where *driver.Condition) error
	list   func(ctx context.Context, f session.ListOptions) (session.Listing, error)
	due    func(ctx context.Context, by time.Time, limit int) ([]session.Key, error)
	close  func() error
	// another returns another handle. It is nil if there is only one.
	another func() *broken
}

func (b *broken) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	if b.load != nil {
		return b.load(ctx, key, last)
	}
	return b.Store.Load(ctx, key, last)
}

func (b *broken) Append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	if b.append != nil {
		return b.append(ctx, key, a)
	}
	return b.Store.Append(ctx, key, a)
}

func (b *broken) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	if b.write != nil {
		return b.write(ctx, key, w)
	}
	return b.Store.Write(ctx, key, w)
}

func (b *broken) Delete(ctx context.Context, key session.Key, where *driver.Condition) error {
	if b.delete != nil {
		return b.delete(ctx, key, where)
	}
	return b.Store.Delete(ctx, key, where)
}

func (b *broken) List(ctx context.Context, f session.ListOptions) (session.Listing, error) {
	if b.list != nil {
		return b.list(ctx, f)
	}
	return b.Store.List(ctx, f)
}

func (b *broken) Due(ctx context.Context, by time.Time, limit int) ([]session.Key, error) {
	if b.due != nil {
		return b.due(ctx, by, limit)
	}
	return b.Store.Due(ctx, by, limit)
}

func (b *broken) Close() error {
	if b.close != nil {
		return b.close()
	}
	return b.Store.(io.Closer).Close()
}

// clock is the clock of a broken store.
type clock = conformance.Clock

// harness returns a harness of stores with a fault.
func harness(f fault) func(testing.TB) Harness {
	return func(testing.TB) Harness {
		c := conformance.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		inner := memstore.New(&memstore.Options{Now: c.Now})
		store := f.broken(inner, c)
		return Harness{Sleep: c.Sleep, Shared: store.another != nil, Open: func(testing.TB) driver.Store {
			if store.another != nil {
				return store.another()
			}
			return store
		}}
	}
}

// Random cases are meant to fail here: they write no files and do not shrink. The seed is fixed,
// as a run need not find every fault.
var _, _, _ = flag.Set("rapid.nofailfile", "true"), flag.Set("rapid.shrinktime", "0s"), flag.Set("rapid.seed", "1")

func TestSuite(t *testing.T) {
	t.Parallel()
	works := fault{broken: func(s driver.Store, _ *clock) *broken { return &broken{Store: s} }}
	var faults []conformance.Fault[*env]
	for _, f := range allFaults() {
		faults = append(faults, conformance.Fault[*env]{Name: f.name, Open: newEnv(harness(f)), Cases: f.cases})
	}
	conformance.Verify(t, allCases(), newEnv(harness(works)), faults)
}
