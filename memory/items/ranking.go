package items

import (
	"cmp"
	"iter"
	"slices"
)

// byRank orders items as Remember returns them: the most important first, then
// the most recent, which is the one of the latest step, time and position.
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
	cut := false // best[n-1] is the worst that can be among them
	for it := range items {
		if cut && byRank(it, best[n-1]) > 0 {
			continue
		}
		if len(best)-n >= n { // only now, so that sorting costs little for each item
			slices.SortFunc(best, byRank)
			best, cut = best[:n], true
		}
		best = append(best, it)
	}
	slices.SortFunc(best, byRank)
	return best[:min(n, len(best))]
}
