package extractor

import (
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
)

import "unsafe"

// buffers is the working memory of a finder.
type buffers struct {
	keys     *naming.Cache
	args     argumentReader
	frames   []frame
	fields   []field
	arena    []byte // of the texts of fields
	found    []finding
	texts    []byte  // of found
	scratch  []byte  // for texts being built
	pathBuf  []byte  // of path
	places   []place // of merged
	table    []int32 // of merged
	siblings []int   // of distinguish
	facts    []byte  // of distinguish
}

// maxBufferBytes is the largest buffer kept for the next result.
const maxBufferBytes = 64 << 10

// newFinder returns a finder, reusing the memory of an earlier one.
func (x *EntityExtractor) newFinder() *finder {
	f, ok := x.finders.Get().(*finder)
	if !ok {
		f = new(finder)
		f.keys = naming.NewCache(&x.keys)
	}
	f.x = x
	return f
}

// release returns the finder's memory to the pool without anything of the result.
func (x *EntityExtractor) release(f *finder) {
	b := &f.buffers
	clear(b.frames[:cap(b.frames)]) // frames hold pointers
	clear(b.fields[:cap(b.fields)])
	clear(b.found)
	b.args.reset()
	b.frames, b.fields, b.found = emptied(b.frames), emptied(b.fields), emptied(b.found)
	b.arena, b.texts, b.scratch, b.pathBuf = emptied(b.arena), emptied(b.texts), emptied(b.scratch), emptied(b.pathBuf)
	b.places, b.table, b.siblings, b.facts = emptied(b.places), emptied(b.table), emptied(b.siblings), emptied(b.facts)
	*f = finder{buffers: *b}
	x.finders.Put(f)
}

// emptied returns the buffer with length 0, or nil if it is too large to keep.
func emptied[T any](buffer []T) []T {
	var one T
	if cap(buffer)*int(unsafe.Sizeof(one)) > maxBufferBytes {
		return nil
	}
	return buffer[:0]
}
