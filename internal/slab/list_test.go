package slab_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

func TestListAppendsItsValuesInOrder(t *testing.T) {
	t.Parallel()
	var list slab.List[int]
	require.Equal(t, []int{7}, list.AppendTo([]int{7}))
	for i := range 10 {
		list.PushBack(i)
	}
	for range 4 {
		list.Remove(list.Front())
	}
	list.PushBack(10) // in a slot that was free
	list.PushFront(11)
	require.Equal(t, []int{7, 11, 4, 5, 6, 7, 8, 9, 10}, list.AppendTo([]int{7}))
}

func TestListGrowsAtOnce(t *testing.T) {
	t.Parallel()
	var list slab.List[int]
	list.Grow(7)
	require.Equal(t, 7, list.Slots())
	for i := range 7 {
		list.PushBack(i)
	}
	require.Equal(t, 7, list.Slots(), "there was room for all")
	list.Remove(list.Front())
	list.Remove(list.Front())
	list.Grow(2)
	require.Equal(t, 7, list.Slots(), "what is free is room")
	list.Grow(3)
	require.Equal(t, 8, list.Slots())
	require.Equal(t, []int{2, 3, 4, 5, 6}, list.AppendTo(nil))
	list.PushBack(7)
	require.Equal(t, []int{2, 3, 4, 5, 6, 7}, list.AppendTo(nil))
}
