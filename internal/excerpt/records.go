package excerpt

import (
	"bytes"
	"math/bits"
	"slices"
)

// Sizes of what is shown of a record.
const (
	snippetBytes = 240     // around the first match in a record that is too large
	pathBytes    = 1 << 10 // of a path
)

// records finds the innermost objects that hold words, or in place of one that is not an element of
// an array the element around it, unless that is too large. Outside of objects, elements of arrays
// count instead.
type records struct {
	matcher
	ranking
	page    *page
	base    []byte // path of the value that is read
	frames  []frame
	objects int    // frames that are objects
	names   []byte // the current keys of frames
	tail    []byte // the last part of the text, without white space
	size    int64  // bytes of it in all
	most    int    // bytes of a record that is shown whole
	lines   lines  // of the current string
}

// frame is a container that is open, or an element that counts as one.
type frame struct {
	kind   byte // { or [, or " for an element that is neither
	record bool
	index  int
	name   int    // beginning of its current key in names
	start  int64  // where it begins in the text
	seen   int    // matches before it
	own    uint64 // words in the values of its own
	below  uint64 // words in the objects within
	best   int    // words of the best record within
	listed bool   // that one is an element of an array
	first  *place
}

// place is where a record has the first of its words.
type place struct {
	path    []byte
	line    int // of a string of several lines
	snippet []byte
}

func newRecords(words []word, p *page) *records {
	return &records{matcher: matcher{words: words}, ranking: p.ranking(), page: p, most: max(snippetBytes, p.room/4), lines: lines{max: lineBytes(p.maxBytes)}}
}

// read searches the value that follows.
func (q *records) read(s *scanner, path []byte) {
	q.base, q.frames, q.objects, q.names = path, q.frames[:0], 0, q.names[:0]
	s.walk(q.token)
	for len(q.frames) > 0 { // of a value that is cut
		q.pop()
	}
}

func (q *records) write() error { return q.ranking.write(q.page) }

// token reads a token.
func (q *records) token(t *token) {
	start := q.size
	switch t.kind {
	case '{', '[':
		q.push(t.kind, start)
	case valText, wordText:
		if t.begin && q.objects == 0 {
			q.push('"', start)
		}
	case ',':
		q.frames[len(q.frames)-1].index++
	}
	if len(q.tail) > 2*q.most {
		q.tail = append(q.tail[:0], q.tail[len(q.tail)-q.most:]...)
	}
	q.tail = append(q.tail, t.raw...)
	q.size += int64(len(t.raw))
	switch t.kind {
	case keyText, valText, wordText:
		q.search(t)
	case '}', ']':
		q.pop()
	}
}

// push opens a frame.
func (q *records) push(kind byte, start int64) {
	inner := kind == '"' || kind == '[' && len(q.frames) > 0
	q.frames = append(q.frames, frame{kind: kind, record: kind == '{' || inner && q.objects == 0, name: len(q.names), start: start, seen: q.seen})
	if kind == '{' {
		q.objects++
	}
}

// search searches a piece of a string or a word.
func (q *records) search(t *token) {
	f := &q.frames[len(q.frames)-1]
	if t.begin {
		q.matcher.reset()
		q.lines.n, q.lines.part, q.lines.pending = 0, false, q.lines.pending[:0]
		if t.kind == keyText {
			q.names = q.names[:f.name]
		}
	}
	if t.kind == keyText {
		q.names = append(q.names, t.plain[:min(len(t.plain), max(0, f.name+4*maxKeyRunes+1-len(q.names)))]...)
	}
	before := q.found
	q.matcher.write(t.plain)
	if t.end {
		q.matcher.end()
	}
	if q.found != before {
		f.own |= q.found
		q.lines.write(t.plain[:max(0, len(t.plain)-q.after)])
		q.hit(f)
	} else if f.first == nil {
		q.lines.write(t.plain)
	}
	if t.end && q.frames[len(q.frames)-1].kind == '"' {
		q.pop()
	}
}

// hit notes the place of the first word in a record.
func (q *records) hit(f *frame) {
	if f.first != nil || !q.wants(bits.OnesCount64(f.own)) {
		return
	}
	at := max(0, len(q.tail)-q.after)
	from, to := max(0, at-snippetBytes/2), min(len(q.tail), at+snippetBytes/2)
	f.first = &place{path: q.path(len(q.frames)), line: q.lines.n + 1, snippet: bytes.Clone(q.tail[from:to])}
}

// pop closes a frame.
func (q *records) pop() {
	f := q.frames[len(q.frames)-1]
	q.frames = q.frames[:len(q.frames)-1]
	q.names = q.names[:f.name]
	if f.kind == '{' {
		q.objects--
	}
	if f.record {
		q.end(&f)
	}
	if len(q.frames) == 0 {
		return
	}
	parent := &q.frames[len(q.frames)-1]
	if f.best >= parent.best {
		parent.best, parent.listed = f.best, f.listed
	}
	if parent.first == nil {
		parent.first = f.first
	}
	if f.record {
		parent.below |= f.own | f.below
	} else {
		parent.own |= f.own
		parent.below |= f.below
	}
}

// end adds a record to the matches if it holds more words than those within it. The words of
// these count only where all of it can be shown.
func (q *records) end(f *frame) {
	size := q.size - f.start
	whole := size <= int64(q.most)
	found := f.own
	if whole {
		found |= f.below
	}
	words := bits.OnesCount64(found)
	inArray := q.inArray()
	switch {
	case words > f.best:
	case words == 0 || words < f.best || f.listed || !whole || !inArray:
		return
	default:
		q.replace(f.start, f.seen)
	}
	f.best, f.listed = words, inArray
	q.seen++
	if !q.wants(words) {
		return
	}
	m := &match{words: words, start: f.start, head: q.path(len(q.frames))}
	if whole {
		m.head = append(m.head, ": "...)
		m.text = bytes.Clone(q.tail[len(q.tail)-int(size):])
	} else {
		m.head = append(append(m.head, " (too large to show: "...), count(int(size), "bytes")...)
		if f.first != nil {
			m.head = append(append(m.head, "; first match at "...), f.first.path...)
			m.head = append(append(m.head, ", line "...), thousands(f.first.line)...)
			m.text = slices.Concat([]byte("…"), f.first.snippet, []byte("…"))
		}
		m.head = append(m.head, "): "...)
	}
	q.add(m)
}

// inArray reports whether the record that was closed is an element of an array.
func (q *records) inArray() bool {
	if len(q.frames) == 0 {
		return bytes.HasSuffix(q.base, []byte("]"))
	}
	return q.frames[len(q.frames)-1].kind == '['
}

// path returns the path of the value in the first frames.
func (q *records) path(frames int) []byte {
	b := bytes.Clone(q.base)
	for i := range frames {
		f := &q.frames[i]
		end := len(q.names)
		if i+1 < len(q.frames) {
			end = q.frames[i+1].name
		}
		switch f.kind {
		case '{':
			b = appendKey(b, q.names[f.name:end])
		case '[':
			b = appendIndex(b, f.index)
		}
		if len(b) > pathBytes {
			return append(cutRunes(bytes.ToValidUTF8(b, nil), pathBytes), "…"...)
		}
	}
	return b
}
