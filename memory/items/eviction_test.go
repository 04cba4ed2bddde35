package items_test

import (
	"slices"
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

// TestEvictionScenarios has the scenarios of seed 002, with the defaults.
func TestEvictionScenarios(t *testing.T) {
	t.Parallel()
	repeat := func(x float64, n int) []float64 { return slices.Repeat([]float64{x}, n) }
	atStep := func(step int) items.Options { return items.Options{MaxItems: 2, Step: func() int { return step }} }
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
		{"an expired item before a low one", atStep(25), []items.ItemInput{{StepIndex: new(10), Importance: new(0.1)}, {StepIndex: new(0), Importance: new(0.9)}, {}, {}},
			[]string{"i2: step TTL", "i1: low importance"}, numbered(3, 4)},
		{"an hour is within the wall TTL", items.Options{MaxItems: 2}, []items.ItemInput{{Timestamp: start.Add(-time.Hour)}, {Timestamp: start.Add(-time.Hour - 1), Importance: new(1.0)}, {}},
			[]string{"i2: wall TTL"}, []string{"i1", "i3"}},
		{"five steps are recent", atStep(4), []items.ItemInput{{StepIndex: new(0)}, {StepIndex: new(-1)}, {}},
			[]string{"i2: normal importance"}, []string{"i1", "i3"}},
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
