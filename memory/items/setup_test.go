package items_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/items"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

// counterFunc is a TokenCounter.
type counterFunc func(string) int

func (f counterFunc) CountTokens(text string) int { return f(text) }

// byWords counts words, so that tests can say how many tokens a text has.
var byWords = counterFunc(func(text string) int { return len(strings.Fields(text)) })

// stoppedClock is a clock that is moved by hand.
type stoppedClock struct{ now time.Time }

func (c *stoppedClock) Now() time.Time          { return c.now }
func (c *stoppedClock) advance(d time.Duration) { c.now = c.now.Add(d) }

// newStore makes a store that counts words, makes ids i1, i2, … and has a clock
// that stands still, unless the options say otherwise.
func newStore(t testing.TB, opts items.Options) *items.Store {
	t.Helper()
	if opts.Counter == nil {
		opts.Counter = byWords
	}
	if opts.Now == nil {
		opts.Now = func() time.Time { return start }
	}
	if opts.NewID == nil {
		made := 0
		opts.NewID = func() string {
			made++
			return fmt.Sprint("i", made)
		}
	}
	s, err := items.New(&opts)
	require.NoError(t, err)
	return s
}

// memorize adds an item that must be taken.
func memorize(t testing.TB, s *items.Store, in items.ItemInput) items.Memorized {
	t.Helper()
	if in.Text == "" {
		in.Text = "text"
	}
	m, err := s.Memorize(t.Context(), in)
	require.NoError(t, err)
	return m
}

// memorizeMany adds an item for each importance, and returns what left.
func memorizeMany(t testing.TB, s *items.Store, importances ...float64) []items.Evicted {
	t.Helper()
	var evicted []items.Evicted
	for _, x := range importances {
		evicted = append(evicted, memorize(t, s, items.ItemInput{Importance: &x}).Evicted...)
	}
	return evicted
}

// repeated is a list of n importances.
func repeated(x float64, n int) []float64 { return slices.Repeat([]float64{x}, n) }

func itemIDs(items []items.Item) []string {
	ids := []string{}
	for _, it := range items {
		ids = append(ids, it.ID)
	}
	return ids
}

// keptIDs lists the ids in the store, oldest first.
func keptIDs(s *items.Store) []string { return itemIDs(slices.Collect(s.All())) }

// evictions lists "id: reason" in the order of eviction.
func evictions(es []items.Evicted) []string {
	out := []string{}
	for _, e := range es {
		out = append(out, e.Item.ID+": "+string(e.Reason))
	}
	return out
}

// numbered is i<from>, …, i<to>.
func numbered(from, to int) []string {
	ids := []string{}
	for i := from; i <= to; i++ {
		ids = append(ids, fmt.Sprint("i", i))
	}
	return ids
}
