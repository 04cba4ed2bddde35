package slab_test

import (
	"flag"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/internal/soak"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", strconv.Itoa(soak.Times(20, 200))); err != nil {
		panic(err)
	}
	m.Run()
}

// pair is an entry of the reference model, a slice.
type pair struct {
	hash  uint32
	value int
}

func TestHashedModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			list  slab.Hashed[pair]
			model []pair
			count int
		)
		// Few hashes, so that entries share them, whose slots in an index are close to
		// each other and wrap around.
		hashes := rapid.OneOf(rapid.Uint32Range(0, 20), rapid.Uint32Range(1<<32-20, 1<<32-1), rapid.Uint32())
		push := func(t *rapid.T) {
			count++
			p := pair{hashes.Draw(t, "hash"), count}
			if rapid.Bool().Draw(t, "front") {
				list.PushFront(p.hash, p)
				model = slices.Insert(model, 0, p)
			} else {
				list.PushBack(p.hash, p)
				model = append(model, p)
			}
		}
		for range rapid.SampledFrom([]int{0, 30, 40, 100}).Draw(t, "initial length") { // around the sizes at which the index grows
			push(t)
		}
		// take removes an entry from the model and returns its handle.
		take := func(t *rapid.T) (slab.Handle, pair) {
			if len(model) == 0 {
				t.Skip("empty")
			}
			h, at := list.Front(), rapid.IntRange(0, len(model)-1).Draw(t, "position")
			for range at {
				h = list.Next(h)
			}
			p := model[at]
			model = slices.Delete(model, at, at+1)
			return h, p
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": push,
			"move to front": func(t *rapid.T) {
				h, p := take(t)
				list.MoveToFront(h)
				model = slices.Insert(model, 0, p)
			},
			"remove": func(t *rapid.T) {
				h, _ := take(t)
				list.Remove(h)
			},
			"clone": func(t *rapid.T) {
				clone := list.Clone()
				for h := list.Back(); h != slab.None; h = list.Back() {
					list.Remove(h) // must not affect the clone
				}
				list = clone
				require.Equal(t, list.Len(), list.Slots())
			},
			"": func(t *rapid.T) { requireHashed(t, &list, model) },
		})
	})
}

func requireHashed(t *rapid.T, list *slab.Hashed[pair], model []pair) {
	require.Equal(t, len(model), list.Len())
	require.GreaterOrEqual(t, list.Slots(), list.Len())
	byHash := map[uint32][]pair{77: nil}
	last, h := slab.None, list.Front()
	for _, want := range model {
		require.Equal(t, want, *list.At(h))
		require.Equal(t, want.hash, list.Hash(h))
		byHash[want.hash] = append(byHash[want.hash], want)
		last, h = h, list.Next(h)
	}
	require.Equal(t, slab.None, h)
	require.Equal(t, last, list.Back())
	for hash, want := range byHash {
		var found []pair
		for h := list.Find(hash); h != slab.None; h = list.FindNext(h) {
			found = append(found, *list.At(h))
		}
		require.ElementsMatch(t, want, found)
	}
}

func TestListRemoveReleasesValue(t *testing.T) {
	t.Parallel()
	var list slab.List[*int]
	h := list.PushFront(new(int))
	list.Remove(h)
	require.Nil(t, *list.At(h))
	require.Equal(t, h, list.PushBack(nil), "the slot is reused")
}
