package slab_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

func TestRingReleasesDroppedValues(t *testing.T) {
	t.Parallel()
	var r, other slab.Ring[*[1 << 20]byte]
	freed := make(chan int, 4)
	push := func(i int) {
		p := new([1 << 20]byte)
		runtime.AddCleanup(p, func(i int) { freed <- i }, i)
		r.PushBack(p)
	}
	for i := range 3 {
		push(i)
	}
	r.Drop(1)
	awaitFreed(t, freed, 0)
	other = r.Share()
	r.Drop(1) // still held by other
	require.Equal(t, 2, other.Len())
	other.Release()
	awaitFreed(t, freed, 1)
	push(3)
	r.Drop(1)
	awaitFreed(t, freed, 2)
	require.Equal(t, 1, r.Len())
}

func awaitFreed(t *testing.T, freed <-chan int, want int) {
	t.Helper()
	for range 100 {
		runtime.GC()
		select {
		case i := <-freed:
			if i == want {
				return
			}
		default:
			runtime.Gosched()
		}
	}
	t.Fatalf("%d is not released", want)
}

// A copy of a few remaining entries does not allocate slots for many.
func TestRingShrinksWhenCopied(t *testing.T) {
	var r slab.Ring[[1 << 10]byte]
	r.PushBack(make([][1 << 10]byte, 1000)...)
	r.Drop(999)
	other := r.Share()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r.PushBack([1 << 10]byte{})
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<10))
	assert.Equal(t, []int{2, 1}, []int{r.Len(), other.Len()})
}

// Rings that share memory behave like independent slices.
func TestRingModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rings, models := make([]slab.Ring[int], 1), make([][]int, 1)
		count := 0
		draw := func(t *rapid.T) int { return rapid.IntRange(0, len(rings)-1).Draw(t, "ring") }
		push := func(i, n int) {
			for range n {
				count++
				models[i] = append(models[i], count)
			}
			rings[i].PushBack(models[i][len(models[i])-n:]...)
		}
		drop := func(i, n int) {
			rings[i].Drop(n)
			models[i] = models[i][n:]
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) { push(draw(t), rapid.IntRange(0, 9).Draw(t, "n")) },
			"drop": func(t *rapid.T) {
				i := draw(t)
				n := rapid.IntRange(0, len(models[i])).Draw(t, "n")
				require.Equal(t, append([]int{-1}, models[i][:n]...), rings[i].AppendFirst([]int{-1}, n))
				require.Equal(t, append([]int{-1}, models[i][len(models[i])-n:]...), rings[i].AppendLast([]int{-1}, n))
				drop(i, n)
			},
			"rotate": func(t *rapid.T) { // as a full queue does
				i := draw(t)
				for range rapid.IntRange(1, 20).Draw(t, "times") {
					drop(i, min(1, len(models[i])))
					push(i, 1)
				}
			},
			"share": func(t *rapid.T) {
				if i := draw(t); len(rings) < 5 {
					rings, models = append(rings, rings[i].Share()), append(models, slices.Clone(models[i]))
				}
			},
			"release": func(t *rapid.T) {
				i := draw(t)
				rings[i].Release()
				models[i] = nil
			},
			"": func(t *rapid.T) {
				for i := range rings {
					require.Equal(t, len(models[i]), rings[i].Len())
					require.True(t, slices.Equal(models[i], rings[i].AppendTo(nil)))
					require.True(t, slices.Equal(models[i], slices.Collect(rings[i].All)))
					for v := range rings[i].All {
						require.Equal(t, models[i][0], v)
						break
					}
				}
			},
		})
	})
}
