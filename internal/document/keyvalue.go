package document

import (
	"bytes"
	"math"
)

// KeyValue reads lines of the form "Key: value", "Key = value", "- Key: value" and
// "**Key:** value" as an object, with several pairs on a line if it consists of pairs
// only. Other lines are ignored. A repeated key begins the next object if it is the
// first key of the object or follows a blank line; the objects are delivered as one
// array. Indentation is ignored.
func KeyValue(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	text = e.input(text, math.MaxInt)
	isList := e.repeats(text)
	if isList {
		e.array()
	}
	record := recordKeys{keys: map[string]bool{}}
	decision := Take
	for pair := range keyLines(text, e.interrupted) {
		if record.begins(pair) {
			if isList {
				e.endTo(1)
				decision = e.item()
			}
			if decision == Take && !e.object() {
				break
			}
		}
		if decision == Take && e.field(pair) == Stop {
			decision = Skip // the rest of the record
		}
		if e.stopped {
			break
		}
	}
	return e.result(FormatKeyValue)
}

// field asks the visitor about a value and delivers it.
func (e *emitter) field(pair keyLine) Decision {
	decision := e.key(valid(pair.key))
	if decision == Take {
		if text, quoted := unwrap(pair.value, `"`, `'`, "`"); quoted {
			e.scalar(String, valid(text))
		} else {
			e.plain(text)
		}
	}
	return decision
}

// repeats reports whether the key lines of a text form several records.
func (e *emitter) repeats(text []byte) bool {
	record := recordKeys{keys: map[string]bool{}}
	n := 0
	for pair := range keyLines(text, e.interrupted) {
		if record.begins(pair) {
			n++
		}
		if n > 1 {
			return true
		}
	}
	return false
}

// recordKeys are the keys of a record so far.
type recordKeys struct {
	first []byte
	keys  map[string]bool
}

// begins adds a line, and reports whether it is the first of a record.
func (r *recordKeys) begins(pair keyLine) (first bool) {
	const enough = 64 // these keys suffice to recognize a record
	first = len(r.keys) == 0 || !pair.item && (pair.section && pair.paragraph ||
		pair.paragraph && r.keys[string(pair.key)] || r.first != nil && bytes.Equal(pair.key, r.first))
	if first {
		r.first = nil
		clear(r.keys)
	}
	if r.first == nil && len(pair.value) > 0 { // not "Found 2 files:"
		r.first = pair.key
	}
	if len(r.keys) < enough {
		r.keys[string(pair.key)] = true
	}
	return first
}
