package slab_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// ranked is an entry of the reference model of a ranking: a slice, in order.
type ranked struct {
	handle slab.Handle
	leaf   slab.Leaf
}

func TestRankingBehavesLikeASlice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			ranking slab.Ranking
			model   []ranked
			handles slab.List[struct{}] // gives handles, and takes them back
		)
		leaves := rapid.Custom(func(t *rapid.T) slab.Leaf {
			return slab.Leaf{
				Rank: uint8(rapid.IntRange(0, 3).Draw(t, "rank")),
				Step: rapid.SampledFrom([]int{1, 2, 3, slab.NeverStep}).Draw(t, "step"),
				Time: rapid.SampledFrom([]int64{1, 2, 3, slab.NeverTime}).Draw(t, "time"),
			}
		})
		push := func(l slab.Leaf) {
			h := handles.PushBack(struct{}{})
			ranking.Push(h, l)
			model = append(model, ranked{h, l})
		}
		remove := func(i int) {
			ranking.Remove(model[i].handle)
			handles.Remove(model[i].handle)
			model = slices.Delete(model, i, i+1)
		}
		index := func(t *rapid.T) int {
			if len(model) == 0 {
				t.Skip("empty")
			}
			return rapid.IntRange(0, len(model)-1).Draw(t, "index")
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) { push(leaves.Draw(t, "leaf")) },
			"push many": func(t *rapid.T) {
				for _, l := range rapid.SliceOfN(leaves, 0, 90).Draw(t, "leaves") {
					push(l)
				}
			},
			"remove": func(t *rapid.T) { remove(index(t)) },
			"remove the first ones": func(t *rapid.T) {
				for range index(t) {
					remove(0)
				}
			},
			"set": func(t *rapid.T) {
				i := index(t)
				model[i].leaf = leaves.Draw(t, "leaf")
				ranking.Set(model[i].handle, model[i].leaf)
			},
			"clone": func(*rapid.T) {
				handles = slab.List[struct{}]{}
				for i := range model {
					model[i].handle = handles.PushBack(struct{}{})
				}
				clone := ranking.Clone(func(yield func(slab.Handle) bool) {
					for _, e := range model {
						_ = yield(e.handle)
					}
				})
				for ranking.Len() > 0 {
					ranking.Remove(ranking.First()) // must not reach the clone
				}
				ranking = clone
			},
			"": func(t *rapid.T) { requireRanking(t, &ranking, model) },
		})
	})
}

func requireRanking(t *rapid.T, ranking *slab.Ranking, model []ranked) {
	require.Equal(t, len(model), ranking.Len())
	first := ranked{handle: slab.None, leaf: slab.Leaf{Rank: slab.MaxRank}}
	for i, e := range model {
		require.Equal(t, e.leaf, ranking.At(e.handle))
		require.Equal(t, i, ranking.Position(e.handle))
		require.Equal(t, e.handle, ranking.Select(i))
		if e.leaf.Rank < first.leaf.Rank {
			first = e
		}
	}
	require.Equal(t, first.handle, ranking.First())
	require.Equal(t, slab.None, ranking.Select(-1))
	require.Equal(t, slab.None, ranking.Select(len(model)))

	for step := range 4 {
		for time := range int64(4) {
			isDue := func(e ranked) bool { return e.leaf.Step <= step || e.leaf.Time <= time }
			found := ranking.Due(step, time)
			require.Equal(t, slices.ContainsFunc(model, isDue), found != slab.None)
			if found != slab.None {
				require.True(t, isDue(model[slices.IndexFunc(model, func(e ranked) bool { return e.handle == found })]))
			}
		}
	}
}

func TestRankingInSteadyStateDoesNotAllocate(t *testing.T) {
	for _, size := range []int{10, 64, 1000} {
		var ranking slab.Ranking
		var handles slab.List[struct{}]
		cycle := func() {
			if ranking.Len() == size {
				h := ranking.First()
				ranking.Remove(h)
				handles.Remove(h)
			}
			ranking.Push(handles.PushBack(struct{}{}), slab.Leaf{Rank: 1, Step: slab.NeverStep, Time: slab.NeverTime})
		}
		for range 10 * size {
			cycle()
		}
		require.Zero(t, testing.AllocsPerRun(10*size, cycle), "size %d", size)
	}
}
