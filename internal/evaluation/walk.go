package evaluation

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// place is the keys above a scalar or a map key.
type place []string

// key is the innermost key; "" if there is none.
func (p place) key() string { return p.up(1) }

// up is the nth key from within; "" if there are fewer.
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
	record *value // the object around it; nil if there is none
	lists  int    // how many lists deep it is without a key between
}

// scalars yields the scalars of a value in their order.
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

// isReference reports whether a scalar could be an identifier.
func (v *value) isReference() bool {
	integer := v.kind == document.Number && !strings.ContainsAny(v.text, ".eE")
	return (integer || v.kind == document.String) && isIdentifier(v.text)
}

// walkKeys visits the keys of all objects in order, each with the keys above it
// and the value under it.
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
	// maxFacts is how many facts of a record count.
	maxFacts = 200
	// factRunes is how much of a fact a block has to show.
	factRunes = 12
)

// factsOf are what a record says about itself besides identifiers, in lower
// case: the texts a reader could tell it apart by.
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
