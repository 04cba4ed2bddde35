// Package page selects a page of search results.
package page

import "slices"

// Select returns the limit elements after an offset in the sorted order of a slice. It reorders
// the slice.
func Select[T any](found []T, offset, limit int, compare func(a, b *T) int) []T {
	begin := min(max(offset, 0), len(found))
	end := begin + min(max(limit, 0), len(found)-begin)
	if begin == end {
		return nil
	}
	sortFirst(found, end, compare)
	return found[begin:end]
}

// sortFirst sorts the n first elements to the front, in a time that depends little on the
// rest: pages are small, but results may be many.
func sortFirst[T any](all []T, n int, compare func(a, b *T) int) {
	if n > len(all)/4 {
		slices.SortFunc(all, func(a, b T) int { return compare(&a, &b) })
		return
	}
	// The first n are a heap whose root is the last of them in the order.
	for i := n/2 - 1; i >= 0; i-- {
		siftDown(all[:n], i, compare)
	}
	for i := n; i < len(all); i++ {
		if compare(&all[i], &all[0]) < 0 {
			all[i], all[0] = all[0], all[i]
			siftDown(all[:n], 0, compare)
		}
	}
	slices.SortFunc(all[:n], func(a, b T) int { return compare(&a, &b) })
}

// siftDown moves an element of a heap down until no child comes after it.
func siftDown[T any](heap []T, i int, compare func(a, b *T) int) {
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
