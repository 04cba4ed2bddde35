package record

import (
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
	const longest = 24
	for fd := range o.own() {
		switch {
		case vocabulary.AvailabilityKeys.Has(fd.Key.Snake):
			return string(fd.Text) == "false"
		case fd.Key.Name == "status" || fd.Key.Name == "availability":
			return unavailableWords.HasBytes(naming.AppendStateWord(nil, fd.Text[:min(len(fd.Text), longest)]))
		}
	}
	return false
}

// unavailableWords are such statuses.
var unavailableWords = vocabulary.Set{List: `unavailable sold_out soldout out_of_stock outofstock discontinued disabled inactive expired`}
