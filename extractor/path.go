package extractor

import (
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
)

// path is where in the result the innermost frame stands, as in $.pages[2];
// with item >= 0 the item of the array that the innermost frame is.
func (f *finder) path(item int) string {
	var b strings.Builder
	b.WriteByte('$')
	for i := range f.frames {
		fr := &f.frames[i]
		switch {
		case i > 0 && f.frames[i-1].array:
			writeIndex(&b, f.frames[i-1].index-1)
		case fr.key != nil && isPlainKey(fr.key.name):
			b.WriteByte('.')
			b.WriteString(fr.key.name)
		case fr.key != nil:
			b.WriteByte('[')
			b.WriteString(strconv.Quote(fr.key.name))
			b.WriteByte(']')
		}
		if b.Len() > memory.MaxTextBytes/2 {
			b.WriteString("…")
			return b.String()
		}
	}
	if item >= 0 {
		writeIndex(&b, item)
	}
	return b.String()
}

func writeIndex(b *strings.Builder, i int) {
	b.WriteByte('[')
	b.WriteString(strconv.Itoa(i))
	b.WriteByte(']')
}

func isPlainKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(key) > 0
}
