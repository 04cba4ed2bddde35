package slab_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

func TestPackedModel(t *testing.T) {
	t.Parallel()
	type tagged struct {
		tag    byte
		record []byte
	}
	rapid.Check(t, func(t *rapid.T) {
		var (
			list  slab.Packed
			model []tagged // oldest first
		)
		draw := func(t *rapid.T) tagged {
			size := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(250, 260), rapid.Just(slab.MaxRecord)).Draw(t, "size")
			return tagged{rapid.ByteRange(0, 3).Draw(t, "tag"), bytes.Repeat([]byte{rapid.Byte().Draw(t, "byte")}, size)}
		}
		position := func(t *rapid.T) (at, index int) {
			if len(model) == 0 {
				t.Skip("empty")
			}
			at, index = list.First(), rapid.IntRange(0, len(model)-1).Draw(t, "index")
			for range index {
				at = list.Next(at)
			}
			return at, index
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				r := draw(t)
				list.Append(r.tag, r.record)
				model = append(model, r)
			},
			"prepend": func(t *rapid.T) {
				r := draw(t)
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
				model[i].record = draw(t).record
				list.Replace(at, model[i].record)
			},
			"trim": func(t *rapid.T) {
				list.Trim()
				size := 0
				for _, r := range model {
					size += len(r.record) + 3
				}
				require.LessOrEqual(t, list.Room(), 2*size+256)
			},
			"clone": func(*rapid.T) {
				clone := list.Clone()
				for at := list.First(); at != slab.NoRecord; at = list.Next(at) {
					clear(list.At(at)) // must not affect the clone
				}
				list = clone
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(model), list.Len())
				at, byTag := list.First(), map[byte][]int{}
				for _, want := range model {
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
			},
		})
	})
}
