package excerpt

import (
	"errors"
	"strings"
)

// finish writes the note of a reading by path.
func (r *pathReader) finish() error {
	known := errors.Is(r.err, errCut) || errors.Is(r.err, errSyntax) || errors.Is(r.err, errDepth)
	switch {
	case r.err != nil && !known && !errors.Is(r.err, errDone):
		return r.err
	case errors.Is(r.err, errSyntax) && r.page.seen == 0 && (r.found == 0 || r.records == nil):
		return ErrNotJSON
	}
	if r.found == 0 {
		r.missing.write(r.page, formatPath(r.steps))
	} else if err := r.write(); err != nil {
		return err
	}
	if known {
		r.page.tell("; the JSON %v after %s bytes", r.err, thousands(r.n))
		if !errors.Is(r.err, errCut) {
			r.page.tell(": read what follows by lines, without a path")
		}
	}
	return nil
}

// write writes which items are on the page.
func (r *pathReader) write() error {
	p := r.page
	if r.records != nil {
		return r.records.write()
	}
	if err := p.finish(r.items, " of "+string(cutRunes(r.base, 256)), p.seen); err != nil {
		return err
	}
	if r.cut != nil {
		p.tell("; … marks what is cut: read it with its path, as %s", cutRunes(r.cut, 256))
	}
	return nil
}

// formatPath returns a path in its canonical form.
func formatPath(steps []step) string {
	b := []byte("$")
	for _, s := range steps {
		switch {
		case s.keyed:
			b = appendKey(b, []byte(s.key))
		case s.one:
			b = appendIndex(b, s.from)
		default:
			b = append(b, "[*]"...)
		}
	}
	return string(b)
}

// missing is what exists of a path that leads nowhere: the deepest value on it.
type missing struct {
	depth int // in steps, -1 for none
	path  string
	kind  string
	n     int // elements or keys
	keys  []string
}

// maxKeys is how many keys of an object are listed.
const maxKeys = 40

// note adds a key of an object that is being read.
func (m *missing) note(key []byte) {
	if len(m.keys) < maxKeys {
		m.keys = append(m.keys, string(appendKey(nil, key)))
	}
}

// miss notes that the path ends at the value before step i.
func (r *pathReader) miss(i int, kind string, n int) {
	if r.found > 0 || i <= r.missing.depth {
		return
	}
	keys := r.missing.keys
	if kind != "object" {
		keys = nil
	}
	r.missing = missing{depth: i, path: string(r.label), kind: kind, n: n, keys: keys}
}

// write writes that there is no value, and what there is.
func (m *missing) write(p *page, path string) {
	p.tell("no value at %s", cutRunes([]byte(path), 256))
	if m.depth < 0 {
		return
	}
	p.tell("; %s is ", cutRunes([]byte(m.path), 256))
	switch m.kind {
	case "array":
		p.tell("an array of %s", count(m.n, "elements"))
		if m.n > 0 {
			p.tell(": [0] to [%d], or [*] for all", m.n-1)
		}
	case "object":
		keys := strings.Join(m.keys, " ")
		shown := cutRunes([]byte(keys), p.room)
		p.tell("an object of %s: %s", count(m.n, "members"), shown)
		if m.n > len(m.keys) || len(shown) < len(keys) {
			p.tell(" …")
		}
	default:
		p.tell("%s", m.kind)
	}
}

// kindOf returns what a value is that begins with a byte.
func kindOf(c byte) string {
	switch c {
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
