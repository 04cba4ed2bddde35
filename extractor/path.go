package extractor

import (
	"strconv"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/memory"
)

// path returns the path of the innermost frame, as in $.pages[2]. With item >= 0 it
// is the path of that item of the innermost frame, an array. The result is valid
// until the next call.
func (f *finder) path(item int) []byte {
	f.pathBuf = f.appendPath(f.pathBuf[:0], item)
	return f.pathBuf
}

func (f *finder) appendPath(b []byte, item int) []byte {
	b = append(b, '$')
	for i := range f.frames {
		fr := &f.frames[i]
		switch {
		case i > 0 && f.frames[i-1].array:
			b = appendIndex(b, f.frames[i-1].index-1)
		case fr.key != nil && fr.key.Traits.Has(naming.TraitPlain):
			b = append(append(b, '.'), fr.key.Name...)
		case fr.key != nil:
			b = append(strconv.AppendQuote(append(b, '['), fr.key.Name), ']')
		}
		if len(b) > memory.MaxTextBytes/2 {
			return append(b, "…"...)
		}
	}
	if item >= 0 {
		b = appendIndex(b, item)
	}
	return b
}

func appendIndex(b []byte, i int) []byte {
	return append(strconv.AppendInt(append(b, '['), int64(i), 10), ']')
}
