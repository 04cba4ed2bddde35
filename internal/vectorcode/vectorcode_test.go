package vectorcode_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/vectorcode"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for dimension, want := range map[int]int{0: 0, 1: 12, 3: 12, 64: 12, 100: 13, 256: 12, 384: 12, 512: 16, 768: 12, 1536: 24} {
		require.Equal(t, want, vectorcode.Words(dimension), dimension)
		require.Len(t, vectorcode.Of(make([]float32, dimension)), want)
	}
}

// cluster returns vectors of length 1 in groups, as texts about a few subjects have.
func cluster(random *rand.Rand, n, dimension int) [][]float32 {
	centers := make([][]float64, 20)
	for i := range centers {
		for range dimension {
			centers[i] = append(centers[i], random.NormFloat64())
		}
	}
	all := make([][]float32, n)
	for i := range all {
		vector, squares := make([]float64, dimension), 0.0
		for j, x := range centers[random.IntN(len(centers))] {
			vector[j] = x + 0.7*random.NormFloat64()
			squares += vector[j] * vector[j]
		}
		for _, x := range vector {
			all[i] = append(all[i], float32(x/math.Sqrt(squares)))
		}
	}
	return all
}

func product(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// Of 4,000 vectors, the 200 with the nearest codes hold the nearest 10.
func TestNearest(t *testing.T) {
	t.Parallel()
	for _, dimension := range []int{3, 64, 100, 256, 768} {
		all := cluster(rand.New(rand.NewPCG(1, uint64(dimension))), 4020, dimension)
		questions, vectors := all[:20], all[20:]
		codes := make([][]uint64, len(vectors))
		for i, v := range vectors {
			codes[i] = vectorcode.Of(v)
		}
		found := 0
		for _, q := range questions {
			code := vectorcode.Of(q)
			require.Zero(t, vectorcode.Difference(code, code))
			order := make([]int, len(vectors))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(product(q, vectors[b]), product(q, vectors[a])) })
			nearest := slices.Clone(order[:10])
			slices.SortFunc(order, func(a, b int) int {
				return cmp.Compare(vectorcode.Difference(code, codes[a]), vectorcode.Difference(code, codes[b]))
			})
			for _, i := range nearest {
				if slices.Contains(order[:200], i) {
					found++
				}
			}
		}
		require.GreaterOrEqual(t, found, 198, "of 200, with %d numbers", dimension)
	}
}
