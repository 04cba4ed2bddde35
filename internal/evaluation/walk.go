package evaluation

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// place is the path of keys above a scalar or a map key.
type place []string

// key returns the innermost key, or "".
func (p place) key() string { return p.up(1) }

// up returns the nth key from within, or "".
func (p place) up(n int) string {
	if len(p) < n {
		return ""
	}
	return p[len(p)-n]
}

// scalar is a scalar of a document with its surroundings.
type scalar struct {
	*value
	at     place  // valid until the next scalar
	record *value // enclosing object, or nil
	lists  int    // number of lists around it without a key between
}

// scalars yields the scalars of a value in order.
func (v *value) scalars() iter.Seq[scalar] {
	return func(yield func(scalar) bool) { scalar{value: v}.walk(yield) }
}

func (s scalar) walk(yield func(scalar) bool) bool {
	switch s.kind {
	case object:
		for _, f := range s.fields {
			if !(scalar{f.value, append(s.at, f.key), s.value, 0}).walk(yield) {
				return false
			}
		}
	case list:
		for _, item := range s.items {
			if !(scalar{item, s.at, s.record, s.lists + 1}).walk(yield) {
				return false
			}
		}
	default:
		return yield(s)
	}
	return true
}

// isReference reports whether a scalar can be an identifier.
func (v *value) isReference() bool {
	integer := v.kind == document.Number && !strings.ContainsAny(v.text, ".eE")
	return (integer || v.kind == document.String) && isIdentifier(v.text)
}

// walkKeys visits the keys of all objects in order, with the keys above and the value
// below.
func walkKeys(v *value, at place, visit func(at place, key string, under *value)) {
	for _, f := range v.fields {
		visit(at, f.key, f.value)
		walkKeys(f.value, append(at, f.key), visit)
	}
	for _, item := range v.items {
		walkKeys(item, at, visit)
	}
}

const (
	// maxFacts is the number of facts counted for a record.
	maxFacts = 200
	// factRunes is how much of a fact a block has to show.
	factRunes = 12
)

// factsOf returns the facts of a record, in lower case: the texts other than
// identifiers by which a reader could tell it apart.
func factsOf(record *value) wordSet {
	facts := make(wordSet)
	for s := range record.scalars() {
		text := strings.TrimSpace(s.text)
		if s.kind != document.Null && s.kind != document.Bool && utf8.RuneCountInString(text) >= 2 && !s.isReference() {
			facts[strings.ToLower(text)] = struct{}{}
		}
		if len(facts) >= maxFacts {
			break
		}
	}
	return facts
}
