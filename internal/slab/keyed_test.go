package slab_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

func TestKeyedBehavesLikeASlice(t *testing.T) {
	t.Parallel()
	type entry struct {
		key   string
		value int
	}
	rapid.Check(t, func(t *rapid.T) {
		var (
			list  slab.Keyed[int]
			model []entry
			count int
		)
		// More keys than are looked through one by one.
		keys := rapid.StringMatching(`[a-z][0-9]`)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				e := entry{keys.Draw(t, "key"), count}
				if list.Find(e.key) != slab.None {
					return
				}
				list.PushBack(e.key, e.value)
				model = append(model, e)
				count++
			},
			"push many": func(*rapid.T) {
				for i := range 40 {
					e := entry{"many " + string(rune('A'+i)), i}
					if list.Find(e.key) == slab.None {
						list.PushBack(e.key, e.value)
						model = append(model, e)
					}
				}
			},
			"remove": func(t *rapid.T) {
				key := keys.Draw(t, "key")
				i := slices.IndexFunc(model, func(e entry) bool { return e.key == key })
				h := list.Find(key)
				require.Equal(t, i < 0, h == slab.None)
				if h != slab.None {
					list.Remove(h)
					model = slices.Delete(model, i, i+1)
				}
			},
			"remove the first": func(*rapid.T) {
				if len(model) > 0 {
					list.Remove(list.Front())
					model = model[1:]
				}
			},
			"clone": func(*rapid.T) {
				clone := list.Clone()
				require.Equal(t, len(model), clone.Slots())
				for h := list.Front(); h != slab.None; h = list.Next(h) {
					*list.At(h) = -1 // must not reach the clone
				}
				list = clone
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(model), list.Len())
				h := list.Front()
				for _, e := range model {
					require.Equal(t, e.value, *list.At(h))
					require.Equal(t, h, list.Find(e.key))
					h = list.Next(h)
				}
				require.Equal(t, slab.None, h)
			},
		})
	})
}
