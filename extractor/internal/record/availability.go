package record

import (
	"bytes"
	"unicode"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// state returns what the fields of a record say of whether it goes on. That it ended counts
// more than that it was not deleted.
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
	for fd := range o.own() {
		switch {
		case fd.Key.Traits.Has(naming.TraitAvailable):
			return string(fd.Text) == "false"
		case fd.Key.Traits.Has(naming.TraitStatus):
			return isUnavailableWord(fd.Text)
		}
	}
	return false
}

// isUnavailableWord reports whether a status in any naming style means unavailable:
// sold_out, SoldOut.
func isUnavailableWord(status []byte) bool {
	const longest = 24
	if len(status) > longest {
		return false
	}
	return unavailableWords.HasBytes(bytes.ToLower(bytes.Map(func(c rune) rune {
		if !unicode.IsLetter(c) {
			return -1
		}
		return c
	}, status)))
}

var unavailableWords = vocabulary.Set{List: `unavailable soldout outofstock discontinued disabled inactive expired`}
