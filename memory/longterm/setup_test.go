package longterm_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

var (
	anna = longterm.Of("shop", "anna")
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// world is a memory with all that it works on.
type world struct {
	*longterm.Memory
	index *faultyIndex
	clock *conformance.Clock
	embed *compass
}

// setup makes a memory at noon, on an index in the process. change may change its options.
func setup(t *testing.T, change func(o *longterm.Options, w *world)) *world {
	t.Helper()
	w := &world{index: &faultyIndex{Index: memindex.New(nil)}, clock: conformance.NewClock(noon), embed: &compass{}}
	opts := &longterm.Options{Now: w.clock.Now, TouchEvery: -1}
	if change != nil {
		change(opts, w)
	}
	var err error
	w.Memory, err = longterm.New(w.index, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close(context.Background())) })
	return w
}

// embedded makes the embedder that of a world.
func embedded(o *longterm.Options, w *world) { o.Embedder = w.embed }

func (w *world) put(t *testing.T, records ...longterm.Record) []longterm.Put {
	t.Helper()
	puts, err := w.Put(t.Context(), anna, records, nil)
	require.NoError(t, err)
	require.Len(t, puts, len(records))
	return puts
}

func (w *world) get(t *testing.T, id string) longterm.Record {
	t.Helper()
	r, err := w.Get(t.Context(), anna, id)
	require.NoError(t, err)
	return r
}

// all are the records of everyone, by their keys.
func (w *world) all(t *testing.T) []longterm.Record {
	t.Helper()
	page, err := w.index.Index.Search(t.Context(), driver.Search{Scope: longterm.Everyone(), Order: longterm.OrderKey, Limit: longterm.MaxPage})
	require.NoError(t, err)
	var records []longterm.Record
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

// faultyIndex is an index in which tests get in the way.
type faultyIndex struct {
	driver.Index
	mu     sync.Mutex
	writes int
	// before is called ahead of a write, with its number from 1 on, after behind it.
	// What they return is its error.
	before, after func(write int) error
	touch         func() error
	search        func(s driver.Search) error
	lookup        func()
}

func (x *faultyIndex) Lookup(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
	if x.lookup != nil {
		x.lookup()
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

// written is how many writes there were.
func (x *faultyIndex) written() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.writes
}

// compass is an embedder: a text that ends with "@30" points to 30 degrees. Any other
// points to the north, which is far from all of these.
type compass struct {
	mu     sync.Mutex
	model  string
	texts  []string // that were embedded
	calls  int
	broken func(texts []string) ([][]float32, error)
}

func (c *compass) Model() string {
	if c.model != "" {
		return c.model
	}
	return "compass"
}

func (c *compass) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.texts = append(c.texts, texts...)
	if c.broken != nil {
		return c.broken(texts)
	}
	var vectors [][]float32
	for _, text := range texts {
		vectors = append(vectors, direction(text))
	}
	return vectors, ctx.Err()
}

// embedded are the texts that were embedded since it was last asked.
func (c *compass) embedded() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	texts := slices.Sorted(slices.Values(c.texts))
	c.texts = nil
	return texts
}

func direction(text string) []float32 {
	_, degrees, ok := strings.Cut(text, "@")
	at, err := strconv.ParseFloat(degrees, 64)
	if !ok || err != nil {
		return []float32{0, 0, 3}
	}
	sin, cos := math.Sincos(at / 180 * math.Pi)
	return []float32{float32(3 * cos), float32(3 * sin), 0}
}

var errBroken = errors.New("broken")
