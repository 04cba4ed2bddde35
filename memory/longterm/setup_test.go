package longterm_test

import (
	"context"
	"errors"
	"flag"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

var _ = flag.Set("rapid.checks", strconv.Itoa(soak.Times(30, 200)))

const day = 24 * time.Hour

var (
	anna = longterm.Of("shop", "anna")
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	errBroken = errors.New("broken")
)

// world is a memory with everything that it works on.
type world struct {
	*longterm.Memory
	index *faultyIndex
	clock *conformance.Clock
	embed *compass
}

// setup returns a memory on a memindex at noon. change may change its options.
func setup(t *testing.T, change func(o *longterm.Options, w *world)) *world {
	t.Helper()
	w := &world{index: &faultyIndex{Index: memindex.New(nil)}, clock: conformance.NewClock(noon), embed: &compass{}}
	opts := &longterm.Options{TouchEvery: -1}
	if change != nil {
		change(opts, w)
	}
	w.Memory = w.reopen(t, opts)
	t.Cleanup(func() { require.NoError(t, w.Close(context.Background())) })
	return w
}

// embedded gives a memory the embedder of its world.
func embedded(o *longterm.Options, w *world) { o.Embedder = w.embed }

// reopen returns another memory on the index.
func (w *world) reopen(t *testing.T, opts *longterm.Options) *longterm.Memory {
	t.Helper()
	opts.Now = w.clock.Now
	m, err := longterm.New(w.index, opts)
	require.NoError(t, err)
	return m
}

func (w *world) put(t *testing.T, records ...longterm.Record) []longterm.Put {
	t.Helper()
	puts, err := w.Put(t.Context(), anna, records, nil)
	require.NoError(t, err)
	require.Len(t, puts, len(records))
	return puts
}

// putApart puts records without merging.
func (w *world) putApart(t *testing.T, records ...longterm.Record) []longterm.Put {
	t.Helper()
	puts, err := w.Put(t.Context(), anna, records, &longterm.PutOptions{NoMerge: true})
	require.NoError(t, err)
	return puts
}

func (w *world) get(t *testing.T, id string) longterm.Record {
	t.Helper()
	r, err := w.Get(t.Context(), anna, id)
	require.NoError(t, err)
	return r
}

func (w *world) update(t *testing.T, id string, change func(r *longterm.Record)) longterm.Record {
	t.Helper()
	r, err := w.Update(t.Context(), anna, id, func(r *longterm.Record) error {
		change(r)
		return nil
	})
	require.NoError(t, err)
	return r
}

func search(t *testing.T, m *longterm.Memory, q longterm.Query) *longterm.Results {
	t.Helper()
	results, err := m.Search(t.Context(), anna, q)
	require.NoError(t, err)
	return results
}

// semantic returns the hits of a search by vectors.
func semantic(t *testing.T, m *longterm.Memory, text string) []longterm.Hit {
	t.Helper()
	return search(t, m, longterm.Query{Text: text, Mode: longterm.ModeSemantic, NoTouch: true}).Hits
}

// all returns the records of all owners by key, ids their ids.
func (w *world) all(t *testing.T) []longterm.Record { return recordsOf(t, w.index.Index) }

func recordsOf(t require.TestingT, index driver.Index) (records []longterm.Record) {
	page, err := index.Search(context.Background(), driver.Search{Scope: longterm.Everyone(), Order: longterm.OrderKey, Limit: longterm.MaxPage})
	require.NoError(t, err)
	for _, hit := range page.Hits {
		records = append(records, hit.Record)
	}
	return records
}

func (w *world) ids(t *testing.T) []string {
	t.Helper()
	ids := []string{}
	for _, r := range w.all(t) {
		ids = append(ids, r.ID)
	}
	return ids
}

func key(id string) driver.RecordKey {
	return driver.RecordKey{Namespace: "shop", UserID: "anna", ID: id}
}

// faultyIndex is an index whose calls the tests intercept.
type faultyIndex struct {
	driver.Index
	mu     sync.Mutex
	writes int
	// before and after are called around the n-th write, from 1 on, and may fail it.
	before, after func(n int) error
	touch, lookup func() error
	search        func(s driver.Search) error
}

func (x *faultyIndex) Lookup(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
	if x.lookup != nil {
		if err := x.lookup(); err != nil {
			return nil, err
		}
	}
	return x.Index.Lookup(ctx, l)
}

func (x *faultyIndex) Write(ctx context.Context, changes []driver.RecordChange) error {
	x.mu.Lock()
	x.writes++
	n, before, after := x.writes, x.before, x.after
	x.mu.Unlock()
	if before != nil {
		if err := before(n); err != nil {
			return err
		}
	}
	err := x.Index.Write(ctx, changes)
	if err == nil && after != nil {
		err = after(n)
	}
	return err
}

func (x *faultyIndex) Touch(ctx context.Context, keys []driver.RecordKey, at time.Time) error {
	if x.touch != nil {
		if err := x.touch(); err != nil {
			return err
		}
	}
	return x.Index.Touch(ctx, keys, at)
}

func (x *faultyIndex) Search(ctx context.Context, s driver.Search) (driver.HitPage, error) {
	if x.search != nil {
		if err := x.search(s); err != nil {
			return driver.HitPage{}, err
		}
	}
	return x.Index.Search(ctx, s)
}

func (x *faultyIndex) Nearest(ctx context.Context, searches []driver.Search) ([][]driver.Hit, error) {
	if x.search != nil {
		if err := x.search(searches[0]); err != nil {
			return nil, err
		}
	}
	return x.Index.Nearest(ctx, searches)
}

// failIf returns err if when is true.
func failIf(when bool, err error) error {
	if when {
		return err
	}
	return nil
}

// compass is an embedder: a text that ends with "@30" points to 30 degrees, any other to the
// zenith, which is far from all of these.
type compass struct {
	mu     sync.Mutex
	model  string
	texts  []string
	calls  int
	broken func(texts []string) ([][]float32, error)
}

func (c *compass) Model() string { return "compass" + c.model }

func (c *compass) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.texts = append(c.texts, texts...)
	if c.broken != nil {
		return c.broken(texts)
	}
	return directions(texts), ctx.Err()
}

// takeTexts returns the texts that were embedded since the last call, sorted.
func (c *compass) takeTexts() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	texts := slices.Sorted(slices.Values(c.texts))
	c.texts = nil
	return texts
}

func directions(texts []string) [][]float32 {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = []float32{0, 0, 3}
		if _, degrees, ok := strings.Cut(text, "@"); ok {
			if at, err := strconv.ParseFloat(degrees, 64); err == nil {
				sin, cos := math.Sincos(at / 180 * math.Pi)
				vectors[i] = []float32{float32(3 * cos), float32(3 * sin), 0}
			}
		}
	}
	return vectors
}

// monday is the time of the sessions, annas the key of one.
var (
	monday = time.Date(2026, 3, 2, 9, 0, 0, 123_456_789, time.UTC)
	annas  = session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}
)

var keeping = &longterm.PromoterOptions{Messages: true}

// newPromoter returns a promoter on a memory of its own.
func newPromoter(t *testing.T, opts *longterm.PromoterOptions) (*longterm.Promoter, *longterm.Memory) {
	t.Helper()
	return promoterOn(t, memindex.New(nil), opts)
}

func promoterOn(t *testing.T, index driver.Index, opts *longterm.PromoterOptions) (*longterm.Promoter, *longterm.Memory) {
	t.Helper()
	m, err := longterm.New(index, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	p, err := longterm.NewPromoter(m, opts)
	require.NoError(t, err)
	return p, m
}

// facts returns Anna's records without messages.
func facts(t *testing.T, m *longterm.Memory) (records []longterm.Record) {
	t.Helper()
	for _, hit := range search(t, m, longterm.Query{
		Filter: longterm.RecordFilter{Type: &longterm.TextCondition{Ne: new(string(session.RecordMessage))}}, Limit: longterm.MaxPage,
	}).Hits {
		records = append(records, hit.Record)
	}
	return records
}

// managed returns a manager without background work.
func managed(t *testing.T, p *longterm.Promoter) (*session.Manager, *conformance.Clock) {
	t.Helper()
	c := conformance.NewClock(monday)
	m, err := session.NewManager(memstore.New(&memstore.Options{Now: c.Now}), &session.Options{
		LongTerm: p, Now: c.Now, Promotions: promotion.Options{Off: true, Batch: 20}, Summaries: summary.Options{Mode: summary.Off},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m, c
}

// settle promotes a session until nothing is due.
func settle(t *testing.T, m *session.Manager, c *conformance.Clock, key session.Key) {
	t.Helper()
	for range 100 {
		outcome, err := m.Promote(t.Context(), key)
		if err == nil && outcome.Again.IsZero() {
			return
		}
		c.Sleep(time.Hour)
	}
	require.FailNow(t, "the session is still due")
}
