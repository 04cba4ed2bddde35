package record

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// reportsOutcome reports whether a text is a sentence about what happened to a
// record: "Order 1002 cancelled", "Your ticket has been created", "Updated
// successfully". Such a sentence reports the outcome of a call and does not tell
// records apart, so labels leave it out.
//
// The subject of the sentence is the record, by its type or id, or the call. A verb
// follows: a participle or an auxiliary.
func reportsOutcome(text []byte, typ string, id []byte) bool {
	if bytes.IndexByte(text, ' ') < 0 {
		return false
	}
	id = bytes.TrimPrefix(id, []byte("#"))
	var subject, named, done bool
	for word := range bytes.FieldsSeq(text) {
		if word[0] == '(' { // an aside says nothing about the subject before it
			subject = false
		}
		word = bytes.Trim(word, "#.,:;!?\"'`()[]*")
		switch {
		case len(id) > 0 && bytes.Equal(word, id):
			subject, named = true, true
		case isSubject(word, typ):
			subject = true
		case isPredicate(word):
			if subject {
				return true
			}
			done = true
		case bytes.EqualFold(word, []byte("successfully")):
			return true
		case !shape.HasDigit(word):
			subject = false // a later verb belongs to another subject
		}
	}
	return named && done // cancelled order 1002
}

// isOutcome reports whether an object is FHIR's answer to what failed, or was only checked.
func (o *Object) isOutcome() bool {
	return o.has.Has(naming.TraitType) && o.find(func(fd *Field) bool { return string(fd.Text) == "OperationOutcome" }) != nil
}

// isEnvironment reports whether an object is the environment of a process: {"PATH": "/bin", "HOME":
// "/root"}.
func (o *Object) isEnvironment() bool {
	known, shouted := 0, o.Key != nil && vocabulary.EnvironmentKeys.Has(o.Key.Snake) && len(o.Fields) > 0
	for i := range o.Fields {
		name := o.Fields[i].Key.Name
		shouted = shouted && !strings.ContainsFunc(name, unicode.IsLower)
		if vocabulary.EnvironmentNames.Has(name) {
			known++
		}
	}
	return known > 1 || shouted
}

// disown keeps the fields of an answer that reports success, and has the records in a list, from
// identifying one: {"Id": …, "Status": "OK", "Invoices": […]}.
func (o *Object) disown() {
	succeeded := func(fd *Field) bool {
		return !fd.Nested && (fd.Key.Snake == "status" || fd.Key.Snake == "success") && saysNothing(fd.Text)
	}
	if o.Outermost && o.ListsOwn && o.find(succeeded) != nil {
		for i := range o.Fields {
			o.Fields[i].Nested = true
		}
	}
}

// isSubject reports whether a word is the noun of a type, or of the call itself.
func isSubject(word []byte, typ string) bool {
	if len(word) > maxFactBytes {
		return false
	}
	noun := english.Singular(strings.ToLower(string(word)))
	return noun == naming.LastWord(typ) || noun == "operation" || noun == "request" || noun == "call"
}

// isPredicate reports whether a word can be the verb of a sentence about what
// was done: is, was, cancelled.
func isPredicate(word []byte) bool {
	if len(word) > 16 {
		return false
	}
	w := strings.ToLower(string(word))
	return vocabulary.VerbsOfState.Has(w) || len(w) > 4 && strings.HasSuffix(w, "ed")
}

// state returns the state that the fields of a record give it: that it ended rather than that it is active.
func (o *Object) state() string {
	state := naming.State("")
	for fd := range o.own() {
		if found := naming.StateOf(fd.Key, fd.Kind == document.Bool, fd.Text); found != "" && (state == "" || state == naming.Active) {
			state = found
		}
	}
	return string(state)
}

// isUnavailable reports whether a record declares itself unavailable.
func (o *Object) isUnavailable() bool {
	var word [24]byte // the longest
	for fd := range o.own() {
		switch {
		case vocabulary.AvailabilityKeys.Has(fd.Key.Snake):
			return string(fd.Text) == "false"
		case fd.Key.Name == "status" || fd.Key.Name == "availability":
			return unavailableWords.HasBytes(naming.AppendStateWord(word[:0], fd.Text[:min(len(fd.Text), len(word))]))
		}
	}
	return false
}

// unavailableWords are values of a status or an availability that make a record unavailable.
var unavailableWords = vocabulary.Set{List: `unavailable sold_out soldout out_of_stock outofstock discontinued disabled inactive expired`}
