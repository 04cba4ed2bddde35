package slab_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// pair is an entry of the reference model: a plain slice, newest first.
type pair struct {
	hash  uint32
	value int
}

func TestHashedBehavesLikeASlice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			list  slab.Hashed[pair]
			model []pair
			count int
		)
		// Few hashes, so that entries share them, and such that their places in an
		// index are near each other and wrap around.
		hashes := rapid.OneOf(rapid.Uint32Range(0, 20), rapid.Uint32Range(1<<32-20, 1<<32-1), rapid.Uint32())
		draw := func(t *rapid.T) pair {
			count++
			return pair{hashes.Draw(t, "hash"), count}
		}
		handle := func(t *rapid.T) slab.Handle {
			if len(model) == 0 {
				t.Skip("empty")
			}
			h := list.Front()
			for range rapid.IntRange(0, len(model)-1).Draw(t, "position") {
				h = list.Next(h)
			}
			return h
		}
		for range rapid.SampledFrom([]int{0, 30, 40, 100}).Draw(t, "length at first") { // around where the index begins and grows
			p := draw(t)
			list.PushBack(p.hash, p)
			model = append(model, p)
		}
		t.Repeat(map[string]func(*rapid.T){
			"push front": func(t *rapid.T) {
				p := draw(t)
				list.PushFront(p.hash, p)
				model = slices.Insert(model, 0, p)
			},
			"push back": func(t *rapid.T) {
				p := draw(t)
				list.PushBack(p.hash, p)
				model = append(model, p)
			},
			"move to front": func(t *rapid.T) {
				h := handle(t)
				at := slices.Index(model, *list.At(h))
				p := model[at]
				list.MoveToFront(h)
				model = slices.Insert(slices.Delete(model, at, at+1), 0, p)
			},
			"remove": func(t *rapid.T) {
				h := handle(t)
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

func requireSame(t require.TestingT, list *slab.Hashed[pair], model []pair) {
	require.Equal(t, len(model), list.Len())
	require.GreaterOrEqual(t, list.Slots(), list.Len())
	var got []pair
	byHash := map[uint32][]pair{}
	for h := list.Front(); h != slab.None; h = list.Next(h) {
		got = append(got, *list.At(h))
		require.Equal(t, list.At(h).hash, list.Hash(h))
	}
	for _, p := range model {
		byHash[p.hash] = append(byHash[p.hash], p)
	}
	require.True(t, slices.Equal(model, got), "want %v, got %v", model, got)
	if len(model) > 0 {
		require.Equal(t, model[0], *list.At(list.Front()))
		require.Equal(t, model[len(model)-1], *list.At(list.Back()))
	} else {
		require.Equal(t, slab.None, list.Front())
		require.Equal(t, slab.None, list.Back())
	}
	for hash, want := range byHash {
		found := find(list, hash)
		slices.SortFunc(found, func(a, b pair) int { return a.value - b.value })
		slices.SortFunc(want, func(a, b pair) int { return a.value - b.value })
		require.True(t, slices.Equal(want, found), "want %v, got %v", want, found)
	}
	if _, present := byHash[77]; !present {
		require.Empty(t, find(list, 77))
	}
}

func find(list *slab.Hashed[pair], hash uint32) []pair {
	var out []pair
	for h := list.Find(hash); h != slab.None; h = list.FindNext(h) {
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

// tagged is a record of the reference model of a packed list: a slice, oldest first.
type tagged struct {
	tag    byte
	record []byte
}

func TestPackedBehavesLikeASlice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			list  slab.Packed
			model []tagged
		)
		records := rapid.Custom(func(t *rapid.T) []byte {
			size := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(250, 260), rapid.Just(slab.MaxRecord)).Draw(t, "size")
			return bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, size)
		})
		tags := rapid.ByteRange(0, 3)
		position := func(t *rapid.T) (at, index int) {
			if len(model) == 0 {
				t.Skip("empty")
			}
			index = rapid.IntRange(0, len(model)-1).Draw(t, "index")
			at = list.First()
			for range index {
				at = list.Next(at)
			}
			return at, index
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				r := tagged{tags.Draw(t, "tag"), records.Draw(t, "record")}
				list.Append(r.tag, r.record)
				model = append(model, r)
			},
			"prepend": func(t *rapid.T) {
				r := tagged{tags.Draw(t, "tag"), records.Draw(t, "record")}
				list.Prepend(r.tag, r.record)
				model = slices.Insert(model, 0, r)
			},
			"remove": func(t *rapid.T) {
				at, i := position(t)
				list.Remove(at)
				model = slices.Delete(model, i, i+1)
			},
			"move to end": func(t *rapid.T) {
				at, i := position(t)
				list.MoveToEnd(at)
				r := model[i]
				model = append(slices.Delete(model, i, i+1), r)
			},
			"replace": func(t *rapid.T) {
				at, i := position(t)
				record := records.Draw(t, "record")
				list.Replace(at, record)
				model[i].record = record
			},
			"trim": func(*rapid.T) { list.Trim() },
			"clone": func(*rapid.T) {
				clone := list.Clone()
				for at := list.First(); at != slab.NoRecord; at = list.Next(at) {
					clear(list.At(at)) // must not reach the clone
				}
				list = clone
			},
			"": func(t *rapid.T) { requirePacked(t, &list, model) },
		})
	})
}

func requirePacked(t require.TestingT, list *slab.Packed, model []tagged) {
	require.Equal(t, len(model), list.Len())
	at := list.First()
	byTag := map[byte][]int{}
	for _, want := range model {
		require.NotEqual(t, slab.NoRecord, at)
		require.True(t, bytes.Equal(want.record, list.At(at)))
		byTag[want.tag] = append(byTag[want.tag], at)
		at = list.Next(at)
	}
	require.Equal(t, slab.NoRecord, at)
	for tag := range byte(5) {
		var found []int
		for at := list.Find(tag); at != slab.NoRecord; at = list.FindNext(at) {
			found = append(found, at)
		}
		require.Equal(t, byTag[tag], found)
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for _, size := range []int{10, 64, 1000} {
		var list slab.Hashed[int]
		next := 0
		push := func() {
			list.PushFront(uint32(next)*0x9e3779b9, next)
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

	var packed slab.Packed
	record := make([]byte, 100)
	for range 20 {
		packed.Append(1, record)
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		packed.Remove(packed.First())
		packed.Append(2, record)
	}))
}

func TestPackedTakesLittleMoreThanItsRecords(t *testing.T) {
	t.Parallel()
	var list slab.Packed
	record := make([]byte, 1000)
	for range 30 {
		list.Append(1, record)
	}
	for list.Len() > 2 {
		list.Remove(list.First())
	}
	require.Greater(t, list.Room(), 20*len(record))
	list.Trim()
	require.Less(t, list.Room(), 3*len(record))
}
