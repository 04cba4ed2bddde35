package driver

// Similarity returns the cosine of two vectors of length 1 and the same dimension. Indexes that
// compare vectors in Go use it, so that they round alike.
func Similarity(a, b []float32) float64 {
	// Four independent sums let the CPU overlap the additions.
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return max(-1, min(1, float64(s0)+float64(s1)+float64(s2)+float64(s3)))
}
