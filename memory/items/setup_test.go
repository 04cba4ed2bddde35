package items_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", strconv.Itoa(soak.Times(20, 200))); err != nil {
		panic(err)
	}
	m.Run()
}

const secret = "s3cret"

var (
	start   = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	errTest = errors.New("test failure")
)

// counterFunc is a TokenCounter.
type counterFunc func(string) int

func (f counterFunc) CountTokens(text string) int { return f(text) }

// byWords counts words.
var byWords = counterFunc(func(text string) int { return len(strings.Fields(text)) })

// scorerFunc is a Scorer.
type scorerFunc func(ctx context.Context, prompt string, items []items.Item) ([]float64, error)

func (f scorerFunc) Score(ctx context.Context, prompt string, items []items.Item) ([]float64, error) {
	return f(ctx, prompt, items)
}

// summarizerFunc is a TextSummarizer.
type summarizerFunc func(ctx context.Context, texts []string, maxTokens int) (string, error)

func (f summarizerFunc) Summarize(ctx context.Context, texts []string, maxTokens int) (string, error) {
	return f(ctx, texts, maxTokens)
}

// fakeClock is a clock that only advances on request.
type fakeClock struct{ now time.Time }

func (c *fakeClock) Now() time.Time          { return c.now }
func (c *fakeClock) advance(d time.Duration) { c.now = c.now.Add(d) }

// newStore returns a store that, by default, counts words, generates the ids i1, i2, …
// and has a constant time.
func newStore(t testing.TB, opts items.Options) *items.Store {
	t.Helper()
	if opts.Counter == nil {
		opts.Counter = byWords
	}
	if opts.Now == nil {
		opts.Now = func() time.Time { return start }
	}
	if opts.NewID == nil {
		n := 0
		opts.NewID = func() string { n++; return fmt.Sprint("i", n) }
	}
	s, err := items.New(&opts)
	require.NoError(t, err)
	return s
}

// memorize adds an item, whose text is "text" by default.
func memorize(t testing.TB, s *items.Store, in items.ItemInput) items.Memorized {
	t.Helper()
	if in.Text == "" {
		in.Text = "text"
	}
	m, err := s.Memorize(t.Context(), in)
	require.NoError(t, err)
	return m
}

// memorizeAll adds an item for each importance and returns the evicted ones.
func memorizeAll(t testing.TB, s *items.Store, importances ...float64) (evicted []items.Evicted) {
	t.Helper()
	for _, x := range importances {
		evicted = append(evicted, memorize(t, s, items.ItemInput{Importance: &x}).Evicted...)
	}
	return evicted
}

// get returns an item that must be present.
func get(t testing.TB, s *items.Store, id string) items.Item {
	t.Helper()
	it, err := s.Get(id)
	require.NoError(t, err)
	return it
}

// remember returns the ids of the items that are found.
func remember(t testing.TB, s *items.Store, prompt string, c items.Criteria) []string {
	t.Helper()
	found, err := s.Remember(t.Context(), prompt, c, 0)
	require.NoError(t, err)
	return itemIDs(found)
}

// forget forgets items that must be named by the instruction, and returns their ids.
func forget(t testing.TB, s *items.Store, instruction string, mode items.ForgetMode) []string {
	t.Helper()
	f, err := s.Forget(t.Context(), instruction, mode)
	require.NoError(t, err)
	return itemIDs(f.Items)
}

func itemIDs(list []items.Item) []string {
	ids := []string{}
	for _, it := range list {
		ids = append(ids, it.ID)
	}
	return ids
}

// allIDs returns the ids in the store, oldest first.
func allIDs(s *items.Store) []string { return itemIDs(slices.Collect(s.All())) }

// reasons returns "id: reason" for each eviction, in order.
func reasons(evicted []items.Evicted) []string {
	out := []string{}
	for _, e := range evicted {
		out = append(out, e.Item.ID+": "+string(e.Reason))
	}
	return out
}

// numbered returns i<from>, …, i<to>.
func numbered(from, to int) []string {
	ids := []string{}
	for i := from; i <= to; i++ {
		ids = append(ids, fmt.Sprint("i", i))
	}
	return ids
}
