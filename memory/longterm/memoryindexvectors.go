package longterm

// memorySpace is where vectors can be compared: those of a model and a dimension.
type memorySpace struct {
	model     string
	dimension int
}

// memoryVectors are the vectors of an owner in a space, one behind the other.
type memoryVectors struct {
	memorySpace
	entries []*memoryEntry
	data    []float32
}

func (v *memoryVectors) add(e *memoryEntry) {
	e.space, e.row = v, len(v.entries)
	v.entries = append(v.entries, e)
	v.data = append(v.data, e.vector...)
	e.vector = nil
}

// remove moves the last vector to where the removed one was.
func (v *memoryVectors) remove(e *memoryEntry) {
	last := len(v.entries) - 1
	moved := v.entries[last]
	copy(v.at(e.row), v.at(last))
	v.entries[e.row], moved.row = moved, e.row
	v.entries[last] = nil
	v.entries, v.data = v.entries[:last], v.data[:last*v.dimension]
	e.space = nil
}

func (v *memoryVectors) at(row int) []float32 {
	return v.data[row*v.dimension : (row+1)*v.dimension]
}

// similarity is the cosine of two vectors of length 1 and of one dimension.
func similarity(a, b []float32) float64 {
	// Four sums at a time do not wait for each other.
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
