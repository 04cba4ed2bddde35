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

// inputs returns an input for each importance.
func inputs(importances ...float64) []items.ItemInput {
	var ins []items.ItemInput
	for _, x := range importances {
		ins = append(ins, items.ItemInput{Importance: new(x)})
	}
	return ins
}

// TestEvictionScenarios has the scenarios of seed 002 and the limits of classes.
func TestEvictionScenarios(t *testing.T) {
	t.Parallel()
	repeat := func(x float64, n int) []float64 { return slices.Repeat([]float64{x}, n) }
	atStep := func(step int) items.Options { return items.Options{MaxItems: 2, Step: func() int { return step }} }
	const hour = time.Hour
	for _, test := range []struct {
		name    string
		opts    items.Options
		ins     []items.ItemInput
		evicted []string
		all     []string
	}{
		{"70 items at capacity 64 evict the first six", items.Options{}, inputs(repeat(0.5, 70)...),
			[]string{"i1: normal importance", "i2: normal importance", "i3: normal importance", "i4: normal importance", "i5: normal importance", "i6: normal importance"},
			numbered(7, 70)},
		{"oldest low items first", items.Options{MaxItems: 10}, inputs(slices.Concat(repeat(0.2, 5), repeat(0.8, 5), repeat(0.2, 5))...),
			[]string{"i1: low importance", "i2: low importance", "i3: low importance", "i4: low importance", "i5: low importance"}, numbered(6, 15)},
		{"protected items and the newest stay", items.Options{MaxItems: 5}, inputs(slices.Concat(repeat(0.8, 3), repeat(0.3, 5))...),
			[]string{"i4: normal importance", "i5: normal importance", "i6: normal importance"}, []string{"i1", "i2", "i3", "i7", "i8"}},
		{"all protected", items.Options{MaxItems: 3}, inputs(0.8, 0.7, 1, 0.1),
			[]string{"i1: only protected items were left"}, numbered(2, 4)},
		{"step TTL", atStep(25), []items.ItemInput{{StepIndex: new(10), Importance: new(0.1)}, {StepIndex: new(0), Importance: new(0.6)}, {}, {}},
			[]string{"i2: step TTL", "i1: low importance"}, numbered(3, 4)},
		{"within the step TTL", atStep(20), []items.ItemInput{{StepIndex: new(0)}, {StepIndex: new(-1), Importance: new(1.0)}, {}},
			[]string{"i2: step TTL"}, []string{"i1", "i3"}},
		{"wall TTL", items.Options{MaxItems: 2}, []items.ItemInput{{Timestamp: start.Add(-hour / 2), Importance: new(0.1)}, {Timestamp: start.Add(-2 * hour), Importance: new(0.6)}, {}},
			[]string{"i2: wall TTL"}, []string{"i1", "i3"}},
		{"within the wall TTL", items.Options{MaxItems: 2}, []items.ItemInput{{Timestamp: start.Add(-hour)}, {Timestamp: start.Add(-hour - 1), Importance: new(1.0)}, {}},
			[]string{"i2: wall TTL"}, []string{"i1", "i3"}},
		{"expired and protected before low", atStep(100), []items.ItemInput{{Importance: new(0.1)}, {Importance: new(0.9), StepIndex: new(3)}, {}},
			[]string{"i2: step TTL"}, []string{"i1", "i3"}},
		{"within the recency window", atStep(4), []items.ItemInput{{StepIndex: new(0)}, {StepIndex: new(-1)}, {}},
			[]string{"i2: normal importance"}, []string{"i1", "i3"}},
		{"outside the recency window", atStep(5), []items.ItemInput{{StepIndex: new(0)}, {StepIndex: new(-1)}, {}},
			[]string{"i1: normal importance"}, []string{"i2", "i3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, test.opts)
			var evicted []items.Evicted
			for _, in := range test.ins {
				evicted = append(evicted, memorize(t, s, in).Evicted...)
			}
			require.Equal(t, test.evicted, reasons(evicted))
			require.Equal(t, test.all, allIDs(s))
		})
	}
}

// TestSeedExample replays the example of seed 002, whose last items would make 65 items
// and 4,500 tokens.
func TestSeedExample(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	var evicted []items.Evicted
	step := func(to, count, tokens int, importance float64) {
		for s.Step() < to {
			s.AdvanceStep()
		}
		for range count {
			m := memorize(t, s, items.ItemInput{Text: strings.Repeat("word ", tokens/count), Importance: &importance})
			evicted = append(evicted, m.Evicted...)
			require.LessOrEqual(t, m.Size, 64)
			require.LessOrEqual(t, m.Tokens, 4000)
		}
	}
	step(0, 10, 500, 0.2)
	step(5, 20, 1000, 0.2)
	step(10, 30, 990, 0.5)
	step(15, 25, 1000, 0.5)
	step(20, 20, 1000, 0.5)
	for i, reason := range reasons(evicted[:30]) { // items of steps 0 and 5 are of low importance
		require.Equal(t, fmt.Sprintf("i%d: low importance", i+1), reason)
	}
	require.Equal(t, numbered(42, 105), allIDs(s))
}
