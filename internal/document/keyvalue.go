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
	if e.repeats(text) {
		e.array()
		e.records(text)
	} else if e.object() {
		for pair := range keyLines(text, e.interrupted) {
			if e.field(pair) == Stop {
				break
			}
		}
	}
	return e.result(FormatKeyValue)
}

// records delivers key lines as the objects of an open array.
func (e *emitter) records(text []byte) {
	var record recordKeys
	decision := Skip
	for pair := range keyLines(text, e.interrupted) {
		if record.ends(pair) {
			e.endTo(1)
			if decision = e.item(); decision == Stop {
				return
			}
			if decision == Take && !e.object() {
				return
			}
			record.reset()
		}
		record.add(pair)
		if decision == Take && e.field(pair) == Stop {
			decision = Skip // the rest of the record
		}
	}
}

// field asks the visitor about a value and delivers it.
func (e *emitter) field(pair keyLine) Decision {
	decision := e.key(valid(pair.key))
	if decision == Take {
		if text, quoted := unquoted(pair.value); quoted {
			e.scalar(String, valid(text))
		} else {
			e.plain(text)
		}
	}
	return decision
}

// repeats reports whether the key lines of a text form several records.
func (e *emitter) repeats(text []byte) bool {
	var record recordKeys
	n := 0
	for pair := range keyLines(text, e.interrupted) {
		if record.ends(pair) {
			if n++; n > 1 {
				return true
			}
			record.reset()
		}
		record.add(pair)
	}
	return false
}

// recordKeys are the keys of a record so far.
type recordKeys struct {
	first []byte
	keys  map[string]bool
}

// ends reports whether a line belongs to the next record.
func (r *recordKeys) ends(pair keyLine) bool {
	if pair.item {
		return r.keys == nil
	}
	return r.keys == nil || pair.section && pair.paragraph && len(r.keys) > 0 || r.first != nil && bytes.Equal(pair.key, r.first) || pair.paragraph && r.keys[string(pair.key)]
}

func (r *recordKeys) reset() {
	r.first = nil
	if r.keys == nil {
		r.keys = map[string]bool{}
	}
	clear(r.keys)
}

func (r *recordKeys) add(pair keyLine) {
	const enough = 64                          // these keys suffice to recognize a record
	if r.first == nil && len(pair.value) > 0 { // not "Found 2 files:"
		r.first = pair.key
	}
	if len(r.keys) < enough {
		r.keys[string(pair.key)] = true
	}
}
