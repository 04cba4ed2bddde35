package items

import (
	"cmp"
	"iter"
	"slices"
)

// byRank orders items as Remember returns them: by importance, then by step, time and
// position, highest first.
func byRank(a, b Item) int {
	return cmp.Or(
		cmp.Compare(b.Importance, a.Importance),
		cmp.Compare(b.StepIndex, a.StepIndex),
		b.Timestamp.Compare(a.Timestamp),
		cmp.Compare(b.Position, a.Position),
	)
}

// foremost returns the n items that rank first, in that order.
func foremost(items iter.Seq[Item], n int) []Item {
	var best []Item
	cut := false // whether best[:n] are sorted, so that later items must precede best[n-1]
	for it := range items {
		if cut && byRank(it, best[n-1]) > 0 {
			continue
		}
		if len(best)-n >= n { // sort rarely, so that it costs little per item
			slices.SortFunc(best, byRank)
			best, cut = best[:n], true
		}
		best = append(best, it)
	}
	slices.SortFunc(best, byRank)
	return best[:min(n, len(best))]
}
