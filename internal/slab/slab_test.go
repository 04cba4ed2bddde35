package slab_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// pair is an entry of the reference model: a plain slice, newest first.
type pair struct {
	key   string
	value int
}

func TestKeyedBehavesLikeASlice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			list  slab.Keyed[pair]
			model []pair
			count int
		)
		keys := rapid.Map(rapid.IntRange(0, 20), strconv.Itoa)
		handle := func() slab.Handle {
			at := rapid.IntRange(0, len(model)-1).Draw(t, "position")
			h := list.Front()
			for range at {
				h = list.Next(h)
			}
			return h
		}
		for range rapid.SampledFrom([]int{0, 30, 40}).Draw(t, "length at first") { // around where the index begins
			count++
			p := pair{keys.Draw(t, "key"), count}
			list.PushBack(p.key, p)
			model = append(model, p)
		}
		t.Repeat(map[string]func(*rapid.T){
			"push front": func(t *rapid.T) {
				count++
				p := pair{keys.Draw(t, "key"), count}
				list.PushFront(p.key, p)
				model = slices.Insert(model, 0, p)
			},
			"push back": func(t *rapid.T) {
				count++
				p := pair{keys.Draw(t, "key"), count}
				list.PushBack(p.key, p)
				model = append(model, p)
			},
			"move to front": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip("empty")
				}
				h := handle()
				at := slices.Index(model, *list.At(h))
				p := model[at]
				list.MoveToFront(h)
				model = slices.Insert(slices.Delete(model, at, at+1), 0, p)
			},
			"remove": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip("empty")
				}
				h := handle()
				at := slices.Index(model, *list.At(h))
				list.Remove(h)
				model = slices.Delete(model, at, at+1)
			},
			"clone": func(t *rapid.T) {
				clone := list.Clone()
				for h := list.Back(); h != slab.None; h = list.Back() {
					list.Remove(h) // must not reach the clone
				}
				list = clone
				require.Equal(t, list.Len(), list.Slots())
			},
			"": func(t *rapid.T) { requireSame(t, &list, model) },
		})
	})
}

func requireSame(t require.TestingT, list *slab.Keyed[pair], model []pair) {
	require.Equal(t, len(model), list.Len())
	require.GreaterOrEqual(t, list.Slots(), list.Len())
	var got []pair
	byKey := map[string][]pair{}
	for h := list.Front(); h != slab.None; h = list.Next(h) {
		got = append(got, *list.At(h))
	}
	for _, p := range model {
		byKey[p.key] = append(byKey[p.key], p)
	}
	require.True(t, slices.Equal(model, got), "want %v, got %v", model, got)
	if len(model) > 0 {
		require.Equal(t, model[0], *list.At(list.Front()))
		require.Equal(t, model[len(model)-1], *list.At(list.Back()))
	} else {
		require.Equal(t, slab.None, list.Front())
		require.Equal(t, slab.None, list.Back())
	}
	for key, want := range byKey {
		require.ElementsMatch(t, want, find(list, key))
	}
	require.Empty(t, find(list, "absent"))
}

func find(list *slab.Keyed[pair], key string) []pair {
	var out []pair
	for h := list.Find(key); h != slab.None; h = list.FindNext(h) {
		out = append(out, *list.At(h))
	}
	return out
}

func TestRemovedValuesAreReleased(t *testing.T) {
	t.Parallel()
	var list slab.List[*int]
	h := list.PushFront(new(int))
	list.Remove(h)
	require.Nil(t, *list.At(h), "the slot stays for the next value, the old one must not")
	require.Equal(t, h, list.PushBack(nil))
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for _, size := range []int{10, 64, 1000} {
		var list slab.Keyed[int]
		keys := make([]string, 4*size)
		for i := range keys {
			keys[i] = fmt.Sprint("key-", i)
		}
		next := 0
		push := func() {
			list.PushFront(keys[next%len(keys)], next)
			next++
		}
		for range 100 * size { // long enough for the index to settle
			push()
			if list.Len() > size {
				list.Remove(list.Back())
			}
		}
		allocs := testing.AllocsPerRun(1000, func() {
			push()
			list.Remove(list.Back())
			list.MoveToFront(list.Back())
		})
		require.Zero(t, allocs, "size %d", size)
	}
}
