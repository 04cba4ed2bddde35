package slab_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/slab"
)

// Several rings that share memory behave like as many slices that share none.
func TestRingsBehaveLikeSlices(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rings, models := make([]slab.Ring[int], 1), make([][]int, 1)
		count := 0
		which := func(t *rapid.T) int { return rapid.IntRange(0, len(rings)-1).Draw(t, "ring") }
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				i := which(t)
				vs := make([]int, rapid.IntRange(0, 9).Draw(t, "n"))
				for j := range vs {
					count++
					vs[j] = count
				}
				rings[i].PushBack(vs...)
				models[i] = append(models[i], vs...)
			},
			"pop": func(t *rapid.T) {
				i := which(t)
				n := rapid.IntRange(0, len(models[i])).Draw(t, "n")
				require.Equal(t, append([]int{-1}, models[i][:n]...), rings[i].AppendFirst([]int{-1}, n))
				require.Equal(t, append([]int{-1}, models[i][len(models[i])-n:]...), rings[i].AppendLast([]int{-1}, n))
				rings[i].Drop(n)
				models[i] = models[i][n:]
			},
			"turn": func(t *rapid.T) { // as a full queue does
				i := which(t)
				for range rapid.IntRange(1, 20).Draw(t, "times") {
					if len(models[i]) > 0 {
						rings[i].Drop(1)
						models[i] = models[i][1:]
					}
					count++
					rings[i].PushBack(count)
					models[i] = append(models[i], count)
				}
			},
			"share": func(t *rapid.T) {
				i := which(t)
				if len(rings) < 5 {
					rings = append(rings, rings[i].Share())
					models = append(models, slices.Clone(models[i]))
				}
			},
			"release": func(t *rapid.T) {
				i := which(t)
				rings[i].Release()
				models[i] = nil
			},
			"": func(t *rapid.T) {
				for i := range rings {
					require.Equal(t, len(models[i]), rings[i].Len())
					require.True(t, slices.Equal(models[i], rings[i].AppendTo(nil)))
					require.True(t, slices.Equal(models[i], slices.Collect(rings[i].All)))
				}
			},
		})
	})
}

func TestRingAllStopsWhereTold(t *testing.T) {
	t.Parallel()
	var r slab.Ring[int]
	r.PushBack(1, 2, 3)
	for v := range r.All {
		require.Equal(t, 1, v)
		break
	}
}

// Each goroutine has a copy; together they share the memory.
func TestRingsOfOneMemoryAreUsedAtTheSameTime(t *testing.T) {
	t.Parallel()
	var base slab.Ring[int]
	base.PushBack(1, 2, 3, 4, 5, 6, 7, 8)
	var wg sync.WaitGroup
	for g := range 8 {
		own := base.Share()
		wg.Go(func() {
			defer own.Release()
			sum := 0
			for v := range own.All {
				sum += v
			}
			assert.Equal(t, 36, sum)
			if g%2 == 0 {
				own.Drop(2)
				own.PushBack(g)
				assert.Equal(t, []int{3, 4, 5, 6, 7, 8, g}, own.AppendTo(nil))
			}
		})
	}
	for range 8 {
		base.Drop(1)
		base.PushBack(9)
	}
	assert.Equal(t, []int{9, 9, 9, 9, 9, 9, 9, 9}, base.AppendTo(nil))
	wg.Wait()
}

func TestRingReleasesWhatLeft(t *testing.T) {
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
	r.Drop(1) // other has it still
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
	t.Fatalf("%d is not freed", want)
}

// A copy of few entries does not take the room that there was for many.
func TestRingMovesToWhatItNeeds(t *testing.T) {
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

func TestFullRingDoesNotAllocate(t *testing.T) {
	for _, size := range []int{1, 10, 1000} {
		var r slab.Ring[string]
		r.PushBack(make([]string, size)...)
		assert.Zero(t, testing.AllocsPerRun(1000, func() {
			r.Drop(1)
			r.PushBack("a")
		}), "size %d", size)
	}
}
