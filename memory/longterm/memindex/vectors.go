package memindex

// spaceKey identifies a space of comparable vectors.
type spaceKey struct {
	model     string
	dimension int
}

// vectors holds the vectors of an owner in a space, in one array.
type vectors struct {
	spaceKey
	entries []*entry
	data    []float32
}

func (v *vectors) add(e *entry) {
	e.space, e.row = v, len(v.entries)
	v.entries = append(v.entries, e)
	v.data = append(v.data, e.vector...)
	e.vector = nil
}

// remove replaces a vector by the last one.
func (v *vectors) remove(e *entry) {
	last := len(v.entries) - 1
	moved := v.entries[last]
	copy(v.at(e.row), v.at(last))
	v.entries[e.row], moved.row = moved, e.row
	v.entries[last] = nil
	v.entries, v.data = v.entries[:last], v.data[:last*v.dimension]
	e.space = nil
}

func (v *vectors) at(row int) []float32 {
	return v.data[row*v.dimension : (row+1)*v.dimension]
}
