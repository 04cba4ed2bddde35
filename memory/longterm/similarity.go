package longterm

// Similarity is the cosine of two vectors of length 1 and of one dimension, for indexes
// that compare vectors in Go: a MemoryIndex rounds in the same way.
func Similarity(a, b []float32) float64 { return similarity(a, b) }
