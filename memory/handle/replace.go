package handle

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// canReplaceIn reports whether ids and handles are replaced in a text.
func canReplaceIn(text string) bool {
	return len(text) <= MaxTextBytes && strings.IndexByte(text, 0) < 0 && utf8.ValidString(text)
}

// Encode replaces each whole occurrence of an id that has a handle: see the package's
// documentation. The longest id counts, the first one in the text before others.
func (t *Table) Encode(text string) string {
	x := t.lookup()
	if x == nil || !canReplaceIn(text) {
		return text
	}
	return replaceWords(text, func(at int) (int, string) {
		if isEscape(text, at) {
			return 0, ""
		}
		return x.match(text[at:])
	})
}

// Decode replaces each whole occurrence of a known handle by its id, in any capitals. It is for
// texts of people and for people: what a user types, and what a model answers.
func (t *Table) Decode(text string) string {
	return t.Replace(text, func(_, id string) string { return id })
}

// Replace is like Decode with another text for each handle.
func (t *Table) Replace(text string, with func(handle, id string) string) string {
	if t == nil || strings.IndexByte(text, '#') < 0 || !canReplaceIn(text) {
		return text
	}
	return replaceWords(text, func(at int) (int, string) {
		handle, size := foldedHandle(text[at:])
		if size == 0 {
			return 0, ""
		}
		id, ok := t.ID(handle)
		if !ok {
			return 0, ""
		}
		return size, with(handle, id)
	})
}

// foldedHandle returns the handle that a text begins with, in small letters. Its size is 0 if
// there is none.
func foldedHandle(text string) (handle string, size int) {
	typ := 0
	for typ < len(text) && typ <= maxType && isWordByte(text[typ]) {
		typ++
	}
	if typ == len(text) || text[typ] != '#' {
		return "", 0
	}
	head := []byte(text[:min(len(text), typ+maxBranch+10)])
	for i, c := range head {
		if 'A' <= c && c <= 'Z' { // strings.ToLower would change the length of other letters
			head[i] += 'a' - 'A'
		}
	}
	_, size = parse(string(head))
	return string(head[:size]), size
}

// replaceWords replaces what match finds at the positions where words can begin. match returns the
// size of what is there, or 0, and what replaces it.
func replaceWords(text string, match func(at int) (size int, with string)) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		size, with := 0, ""
		if isStart(text, i) && (i > done || i == 0) { // one handle next to another would be one word
			size, with = match(i)
		}
		if size == 0 {
			i++
			continue
		}
		b.WriteString(text[done:i])
		b.WriteString(with)
		i += size
		done = i
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// literalsIn returns the different texts in a value that have the form of a handle.
func literalsIn(value any) (found []string) {
	seen := make(map[string]bool)
	walk(value, func(text string) {
		if strings.IndexByte(text, '#') < 0 || !canReplaceIn(text) {
			return
		}
		replaceWords(text, func(at int) (int, string) {
			if handle, size := foldedHandle(text[at:]); size > 0 && !seen[handle] && len(seen) < maxLiterals {
				seen[handle] = true
				found = append(found, strings.Clone(handle))
			}
			return 0, ""
		})
	})
	return found
}

// HasUnknown reports whether a value has a text in the form of a handle that is neither known nor
// a literal.
func (t *Table) HasUnknown(value any) bool {
	return t != nil && slices.ContainsFunc(literalsIn(value), func(literal string) bool {
		_, known := t.ID(literal)
		return !known && !t.isLiteral(literal)
	})
}

// UnknownIn returns the texts in the form of handles, in small letters, of types that have no
// handles.
func (t *Table) UnknownIn(text string) []string {
	if t == nil {
		return nil
	}
	found := literalsIn(text)
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(found, func(literal string) bool {
		n, _ := parse(literal)
		return t.next[n.typ] > 0
	})
}

// index finds the ids that a text begins with. It is immutable.
type index struct {
	entries []entry // in the order of their ids
	shorter []int   // the longest other id that an id begins with, or -1
	heads   [256]bool
}

// lookup returns the index, or nil if there are no handles.
func (t *Table) lookup() *index {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.index == nil && len(t.known) > 0 {
		t.index = newIndex(t.known)
	}
	return t.index
}

func newIndex(known []entry) *index {
	x := &index{entries: slices.Clone(known), shorter: make([]int, len(known))}
	slices.SortFunc(x.entries, func(a, b entry) int { return strings.Compare(a.id, b.id) })
	var open []int // entries whose ids the current one begins with, the shortest first
	for i := range x.entries {
		id := x.entries[i].id
		x.heads[id[0]] = true
		for len(open) > 0 && !strings.HasPrefix(id, x.entries[open[len(open)-1]].id) {
			open = open[:len(open)-1]
		}
		x.shorter[i] = -1
		if len(open) > 0 {
			x.shorter[i] = open[len(open)-1]
		}
		open = append(open, i)
	}
	return x
}

// match returns the size and the handle of the longest id that a text begins with and that ends
// with a word. All ids that the text begins with are beginnings of the last one not after it.
func (x *index) match(text string) (size int, handle string) {
	if !x.heads[text[0]] {
		return 0, ""
	}
	at := sort.Search(len(x.entries), func(i int) bool { return x.entries[i].id > text }) - 1
	if at < 0 {
		return 0, ""
	}
	common := commonPrefix(x.entries[at].id, text)
	for ; at >= 0; at = x.shorter[at] {
		if n := len(x.entries[at].id); n <= common && isEnd(text, n) {
			return n, x.entries[at].handle
		}
	}
	return 0, ""
}

func commonPrefix(a, b string) int {
	n, end := 0, min(len(a), len(b))
	for n+32 <= end && a[n:n+32] == b[n:n+32] {
		n += 32
	}
	for n < end && a[n] == b[n] {
		n++
	}
	return n
}
