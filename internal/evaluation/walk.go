package evaluation

import (
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/evaluation/pydata"
)

// place is where a scalar or a map key stands: the keys above it.
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

// walkScalars visits the scalars of a value in order, each with its place and
// the object around it (nil if there is none), until visit returns false.
func walkScalars(v *pydata.Value, at place, object *pydata.Value, visit func(place, *pydata.Value, *pydata.Value) bool) bool {
	switch v.Kind {
	case pydata.Dict:
		for _, f := range v.Fields {
			if !walkScalars(f.Value, append(at, f.Key), v, visit) {
				return false
			}
		}
	case pydata.List:
		for _, item := range v.Items {
			if !walkScalars(item, at, object, visit) {
				return false
			}
		}
	default:
		return visit(at, v, object)
	}
	return true
}

// walkKeys visits the keys of all objects in order, each with the keys above it
// and the value under it.
func walkKeys(v *pydata.Value, at place, visit func(at place, key string, under *pydata.Value)) {
	for _, f := range v.Fields {
		visit(at, f.Key, f.Value)
		walkKeys(f.Value, append(at, f.Key), visit)
	}
	for _, item := range v.Items {
		walkKeys(item, at, visit)
	}
}

const (
	// maxFacts is how many facts of a record count.
	maxFacts = 200
	// factRunes is how much of a fact a block has to show.
	factRunes = 12
)

// factsOf are the beginnings of what a record says about itself besides
// identifiers, in folded case: the texts a reader could tell it apart by.
func factsOf(record *pydata.Value) wordSet {
	seen, facts := make(wordSet), make(wordSet)
	walkScalars(record, nil, nil, func(_ place, v, _ *pydata.Value) bool {
		text := strings.TrimFunc(v.Text, pydata.IsSpace)
		if v.Kind != pydata.None && v.Kind != pydata.Bool && utf8.RuneCountInString(text) >= 2 && !isReference(v) {
			fact := pydata.Fold(text)
			seen[fact] = struct{}{}
			facts[firstRunes(fact, factRunes)] = struct{}{}
		}
		return len(seen) < maxFacts
	})
	return facts
}
