package excerpt

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// pathReader reads the values of a path.
type pathReader struct {
	scanner
	lines   bool // the root is the values of the text
	steps   []step
	single  bool   // there is at most one value
	label   []byte // path of the value that follows
	depth   int    // in steps
	base    []byte // the label that all values share
	key     []byte
	maxKey  int          // bytes of a key that are kept: more than any step has
	keep    func(*token) // addKey
	page    *page
	records *records // for a query
	items   string   // what is on the page
	cut     []byte   // path of the first value that was cut
	found   int
	missing missing
}

// readPath reads the values of a path, or searches them for words.
func readPath(src *bufio.Reader, f form, steps []step, words []word, p *page) error {
	r := &pathReader{scanner: scanner{r: src}, lines: f.lines, steps: steps, page: p, items: "values", missing: missing{depth: -1}}
	r.single = common(steps) == len(steps)
	r.keep, r.maxKey = r.addKey, maxKeyRunes*utf8.UTFMax
	for _, s := range steps {
		r.maxKey = max(r.maxKey, len(s.key)+1)
	}
	r.label = append(r.label, '$')
	if len(words) > 0 {
		r.records = newRecords(words, p)
	}
	if f.start {
		r.value(0)
	} else if _, err := src.Peek(1); err == nil || errors.Is(err, io.EOF) {
		return ErrNotJSON
	} else {
		return err
	}
	return r.finish()
}

// value reads the value that follows, of which all steps before i lead to it.
func (r *pathReader) value(i int) {
	if i == common(r.steps) {
		r.base = bytes.Clone(r.label)
	}
	if i == len(r.steps) {
		r.target()
		return
	}
	switch c := r.container(); c {
	case '[':
		r.array(i, r.steps[i].ofArray())
	case '{':
		r.object(i, r.steps[i])
	default:
		r.miss(i, kindOf(c), 0)
		r.walk(nil)
	}
}

// container returns the first byte of the value, [ for the values of a text.
func (r *pathReader) container() byte {
	if r.lines && r.depth == 0 {
		return '['
	}
	return r.peek()
}

func (r *pathReader) array(i int, s step) {
	matched := false
	n := r.elements(func(n int) {
		if s.selects(n) {
			matched = true
			r.value(i + 1)
		} else {
			r.walk(nil)
		}
	})
	if !matched && r.err == nil {
		r.miss(i, "array", n)
	}
}

func (r *pathReader) object(i int, s step) {
	matched := false
	r.missing.keys = nil
	n := r.members(func(key []byte) {
		if s.hasKey(key) && (!matched || !s.keyed) {
			matched = true
			r.value(i + 1)
			return
		}
		if r.found == 0 && i > r.missing.depth {
			r.missing.note(key)
		}
		r.walk(nil)
	})
	if !matched && r.err == nil {
		r.miss(i, "object", n)
	}
}

// elements calls do, which reads a value, for each element of an array. It returns their
// number.
func (r *pathReader) elements(do func(i int)) (n int) {
	top := r.lines && r.depth == 0
	if !top {
		r.take('[', nil)
	}
	label := len(r.label)
	r.depth++
	for r.err == nil {
		if top && r.ended() || !top && !r.more(n == 0, ']', nil) {
			break
		}
		r.label = appendIndex(r.label[:label], n)
		do(n)
		n++
	}
	r.depth--
	r.label = r.label[:label]
	return n
}

// ended reports whether no value follows in a text of values.
func (r *pathReader) ended() bool {
	if r.peek(); errors.Is(r.err, errCut) {
		r.err = nil
		return true
	}
	return false
}

// members calls do, which reads a value, for each member of an object. It returns their
// number.
func (r *pathReader) members(do func(key []byte)) (n int) {
	r.take('{', nil)
	label := len(r.label)
	r.depth++
	for r.err == nil && r.more(n == 0, '}', nil) {
		r.readKey()
		if r.err == nil {
			r.label = appendKey(r.label[:label], r.key)
			do(r.key)
			n++
		}
	}
	r.depth--
	r.label = r.label[:label]
	return n
}

// readKey reads a key, of a long one the beginning.
func (r *pathReader) readKey() {
	r.key = r.key[:0]
	r.scanner.key(r.keep)
	if !utf8.Valid(r.key) {
		r.key = []byte(string([]rune(string(r.key)))) // each invalid byte is U+FFFD
	}
}

func (r *pathReader) addKey(t *token) {
	if t.kind == keyText {
		r.key = append(r.key, t.plain[:min(len(t.plain), r.maxKey+1-len(r.key))]...)
	}
}

// target reads a value at the end of the path.
func (r *pathReader) target() {
	r.found++
	c := r.container()
	if r.records == nil {
		r.page.byDefault(defaultLimit(r.single && c == '"'))
	}
	switch {
	case r.records != nil && r.lines && r.depth == 0:
		r.elements(func(int) { r.records.read(&r.scanner, r.label) })
	case r.records != nil:
		r.records.read(&r.scanner, r.label)
	case !r.single:
		r.item()
	case c == '[':
		r.items = "elements"
		r.elements(func(int) { r.item() })
	case c == '{':
		r.items = "members"
		r.members(func([]byte) { r.item() })
	case c == '"':
		r.items = "lines"
		l := pageLines(r.page)
		r.text(valText, func(t *token) { l.write(t.plain) })
		l.close()
	default:
		r.item()
	}
	if r.single {
		r.fail(errDone)
	}
}

// item writes a value to the page with the part of its path that the values do not share.
// A value that is larger than half a page is cut.
func (r *pathReader) item() {
	p := r.page
	if !p.next() {
		r.walk(nil)
		return
	}
	start := len(p.out)
	label := r.label[len(r.base):]
	if len(label) == 0 {
		label = r.label
	}
	p.out = append(append(p.out, label...), ": "...)
	limit := len(p.out) + p.room/2
	total := 0
	r.walk(func(t *token) {
		total += len(t.raw)
		p.out = append(p.out, t.raw[:min(len(t.raw), limit-len(p.out))]...)
	})
	if total == 0 { // there is no value
		p.out = p.out[:start]
		p.seen--
		return
	}
	if total > p.room/2 || r.err != nil {
		p.out = append(p.out[:len(p.out)-incomplete(p.out)], "…"...)
	}
	p.end(start)
	if total > p.room/2 && !p.full && r.cut == nil {
		r.cut = bytes.Clone(r.label)
	}
}

func defaultLimit(lines bool) int {
	if lines {
		return DefaultLines
	}
	return DefaultElements
}
