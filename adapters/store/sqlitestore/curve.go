package sqlitestore

import (
	"cmp"
	"math"
	"slices"
)

// curve estimates similarities from the differences of codes. How they relate depends on the model,
// so it is measured.
type curve struct {
	// similarity has the estimate by difference.
	similarity []float64
	// deviation is the standard deviation of the estimates.
	deviation float64
}

// measured is a pair of vectors whose similarity is known.
type measured struct {
	difference int
	similarity float64
}

// pointSize is the number of measured pairs in a point of a curve.
const pointSize = 32

// newCurve returns the curve through measured pairs, for codes of a number of bits. far is the
// mean difference of unrelated vectors.
func newCurve(pairs []measured, far float64, bits int) *curve {
	// The angle of two vectors grows about as the difference of their codes. Estimates are linear
	// in the cosine of that angle, between points measured and those of vectors that are equal or
	// opposite.
	cosine := func(difference float64) float64 { return math.Cos(math.Pi / 2 * min(2, difference/max(far, 1))) }
	type point struct{ cosine, similarity float64 }
	points := []point{{1, 1}}
	slices.SortFunc(pairs, func(a, b measured) int { return cmp.Compare(a.difference, b.difference) })
	for some := range slices.Chunk(pairs, pointSize) {
		var p point
		for _, m := range some {
			p.cosine += cosine(float64(m.difference)) / float64(len(some))
			p.similarity += m.similarity / float64(len(some))
		}
		points = append(points, p)
	}
	points = append(points, point{-1, -1})
	c := &curve{similarity: make([]float64, bits+1)}
	at := 0
	for d := range c.similarity {
		x := cosine(float64(d))
		for at+2 < len(points) && points[at+1].cosine > x {
			at++
		}
		a, b := points[at], points[at+1]
		y := a.similarity
		if a.cosine > b.cosine {
			y += (b.similarity - a.similarity) * (a.cosine - x) / (a.cosine - b.cosine)
		}
		c.similarity[d] = y
		if d > 0 {
			c.similarity[d] = min(y, c.similarity[d-1])
		}
	}
	c.measure(pairs)
	return c
}

// leastDeviation is the least deviation that is assumed of estimates.
const leastDeviation = 0.01

// measure sets the deviation from measured pairs.
func (c *curve) measure(pairs []measured) {
	sum := 0.0
	for _, m := range pairs {
		off := m.similarity - c.similarity[m.difference]
		sum += off * off
	}
	c.deviation = max(leastDeviation, math.Sqrt(sum/float64(max(1, len(pairs)))))
}

// above returns the probability that a value exceeds an estimate by that many deviations.
func above(deviations float64) float64 {
	if deviations > 5 {
		return 0
	}
	return math.Erfc(deviations/math.Sqrt2) / 2
}
