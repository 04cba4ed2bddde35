package drivertest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

type store = driver.MemoryDocuments

// faulty is a store whose functions replace methods.
type faulty struct {
	*store
	write func(ctx context.Context, s *store, changes []driver.DocumentChange) error
	list  func(page []driver.Document) []driver.Document
	due   func(page []driver.Document) []driver.Document
	get   func(s *store, key string) string
	count func(s *store, prefix string) int
	open  bool // Close does nothing
}

func (f *faulty) Write(ctx context.Context, changes []driver.DocumentChange) error {
	if f.write == nil {
		return f.store.Write(ctx, changes)
	}
	if err := driver.CheckChanges(changes); err != nil {
		return err
	}
	return f.write(ctx, f.store, changes)
}

func (f *faulty) List(ctx context.Context, prefix, after string, limit int) ([]driver.Document, error) {
	page, err := f.store.List(ctx, prefix, after, limit)
	if f.list != nil {
		page = f.list(page)
	}
	return page, err
}

func (f *faulty) Due(ctx context.Context, at time.Time, limit int) ([]driver.Document, error) {
	page, err := f.store.Due(ctx, at, limit)
	if f.due != nil {
		page = f.due(page)
	}
	return page, err
}

func (f *faulty) Get(ctx context.Context, key string) (driver.Document, error) {
	if f.get != nil {
		key = f.get(f.store, key)
	}
	return f.store.Get(ctx, key)
}

func (f *faulty) Count(ctx context.Context, prefix string) (int, error) {
	n, err := f.store.Count(ctx, prefix)
	if f.count != nil {
		n = f.count(f.store, prefix)
	}
	return n, err
}

func (f *faulty) Close() error {
	if f.open {
		return nil
	}
	return f.store.Close()
}

// changed returns a write that changes the documents that are put.
func changed(change func(d *driver.Document)) func(ctx context.Context, s *store, changes []driver.DocumentChange) error {
	return func(ctx context.Context, s *store, changes []driver.DocumentChange) error {
		changes = slices.Clone(changes)
		for i := range changes {
			if changes[i].Do == driver.PutDocument {
				change(&changes[i].Document)
			}
		}
		return s.Write(ctx, changes)
	}
}

// oneByOne applies each change by itself.
func oneByOne(ctx context.Context, s *store, changes []driver.DocumentChange) error {
	for _, c := range changes {
		if err := s.Write(ctx, []driver.DocumentChange{c}); err != nil {
			return err
		}
	}
	return nil
}

// firstOnly applies only the first change.
func firstOnly(ctx context.Context, s *store, changes []driver.DocumentChange) error {
	return s.Write(ctx, changes[:min(len(changes), 1)])
}

// removesOnly acknowledges puts of existing documents without applying them.
func removesOnly(ctx context.Context, s *store, changes []driver.DocumentChange) error {
	if len(changes) == 1 && changes[0].Do == driver.PutDocument && changes[0].If != "" {
		return nil
	}
	return s.Write(ctx, changes)
}

// expectNothing applies changes whatever the revisions are.
func expectNothing(ctx context.Context, s *store, changes []driver.DocumentChange) error {
	changes = slices.Clone(changes)
	for i := range changes {
		d, _ := s.Get(ctx, changes[i].Document.Key)
		changes[i].If = d.Revision
		if changes[i].Do == driver.PutDocument && d.Revision == changes[i].Document.Revision {
			changes[i].Do = driver.RequireDocument
		}
	}
	return s.Write(ctx, changes)
}

func TestSuite(t *testing.T) {
	t.Parallel()
	var faults []conformance.Fault[*env]
	for _, f := range []struct {
		name  string
		fault faulty
		cases []string
	}{
		{"drops the due time", faulty{write: changed(func(d *driver.Document) { d.Due = time.Time{} })}, []string{"all fields are stored", "due documents", "changed due times", "results belong to the caller"}},
		{"takes none for 1970", faulty{write: changed(func(d *driver.Document) {
			if d.Due.IsZero() {
				d.Due = time.UnixMilli(0)
			}
		})}, []string{"millisecond times", "largest documents"}},
		{"stores text", faulty{write: changed(func(d *driver.Document) { d.Value = []byte(string([]rune(string(d.Value)))) })}, []string{"values are bytes"}},
		{"expects nothing", faulty{write: expectNothing}, []string{"expected revisions", "all or none", "a repeated write", "one claim wins"}},
		{"applies the first change", faulty{write: firstOnly}, []string{"opposite orders"}},
		{"keeps what it has", faulty{write: removesOnly}, []string{"no update is lost"}},
		{"changes one by one", faulty{write: oneByOne}, []string{"all or none"}},
		{"finds by prefix", faulty{get: func(s *store, key string) string {
			page, err := s.List(context.Background(), key[:min(len(key), 1)], "", 1)
			if err != nil || len(page) == 0 || driver.CheckKey(key) != nil {
				return key
			}
			return page[0].Key
		}}, []string{"missing document"}},
		{"lists in reverse", faulty{list: func(page []driver.Document) []driver.Document { slices.Reverse(page); return page }}, []string{"lists", "many documents"}},
		{"lists in order of due times", faulty{due: func(page []driver.Document) []driver.Document { slices.Reverse(page); return page }}, []string{"due documents"}},
		{"counts all", faulty{count: func(s *store, _ string) int { n, _ := s.Count(context.Background(), ""); return n }}, []string{"lists"}},
		{"stays open", faulty{open: true}, []string{"closed"}},
	} {
		open := func(testing.TB) Harness {
			broken := f.fault
			broken.store = new(store)
			return Harness{Open: func(testing.TB) driver.DocumentStore { return &broken }}
		}
		faults = append(faults, conformance.Fault[*env]{Name: f.name, Open: newEnv(open), Cases: f.cases})
	}
	separate := func(testing.TB) Harness {
		return Harness{Shared: true, Open: func(testing.TB) driver.DocumentStore { return new(store) }}
	}
	faults = append(faults,
		conformance.Fault[*env]{Name: "does not share", Open: newEnv(separate), Cases: []string{"shared handles"}},
		conformance.Fault[*env]{Name: "checks nothing", Open: newEnv(func(testing.TB) Harness {
			return Harness{Open: func(testing.TB) driver.DocumentStore { return &careless{store: new(store)} }}
		}), Cases: []string{"refused arguments", "ended contexts"}},
	)
	conformance.Verify(t, allCases(), newEnv(func(testing.TB) Harness {
		s := new(store)
		return Harness{Open: func(testing.TB) driver.DocumentStore { return s }}
	}), faults)
}

// careless is a store that neither checks changes nor looks at contexts.
type careless struct{ *store }

func (c *careless) Write(ctx context.Context, changes []driver.DocumentChange) error {
	if driver.CheckChanges(changes) != nil {
		return nil
	}
	return c.store.Write(context.WithoutCancel(ctx), changes)
}
