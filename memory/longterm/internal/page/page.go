// Package page selects a page of what a search found.
package page

import "slices"

// Select returns limit elements of a slice behind an offset, as if all of it were sorted.
// It changes the order of the slice.
func Select[T any](found []T, offset, limit int, compare func(a, b *T) int) []T {
	begin := min(max(offset, 0), len(found))
	end := begin + min(max(limit, 0), len(found)-begin)
	if begin == end {
		return nil
	}
	first(found, end, compare)
	return found[begin:end]
}

// first sorts the first n of a slice, as if all of it were sorted. What is behind them
// comes in any order: pages are small, and what is found may be much.
func first[T any](all []T, n int, compare func(a, b *T) int) {
	if n > len(all)/4 {
		slices.SortFunc(all, func(a, b T) int { return compare(&a, &b) })
		return
	}
	// The first n are a heap, its root the last of them in the order.
	for i := n/2 - 1; i >= 0; i-- {
		sink(all[:n], i, compare)
	}
	for i := n; i < len(all); i++ {
		if compare(&all[i], &all[0]) < 0 {
			all[i], all[0] = all[0], all[i]
			sink(all[:n], 0, compare)
		}
	}
	slices.SortFunc(all[:n], func(a, b T) int { return compare(&a, &b) })
}

// sink moves an element of a heap down to where none below comes after it.
func sink[T any](heap []T, i int, compare func(a, b *T) int) {
	for {
		last := 2*i + 1
		if last >= len(heap) {
			return
		}
		if right := last + 1; right < len(heap) && compare(&heap[right], &heap[last]) > 0 {
			last = right
		}
		if compare(&heap[last], &heap[i]) <= 0 {
			return
		}
		heap[i], heap[last] = heap[last], heap[i]
		i = last
	}
}
