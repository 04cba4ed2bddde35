package record

import (
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// state returns what the fields of a record say of whether it goes on. That it ended counts
// more than that it was not deleted.
func (o *Object) state() string {
	state := naming.State("")
	for i := range o.Fields {
		if fd := &o.Fields[i]; !fd.Nested && fd.Key.Traits.Has(naming.TraitState) {
			if found := naming.StateOf(fd.Key, fd.Kind == document.Bool, fd.Text); found != "" && (state == "" || state == naming.Active) {
				state = found
			}
		}
	}
	return string(state)
}

// isUnavailable reports whether a record declares itself unavailable.
func (o *Object) isUnavailable() bool {
	for i := range o.Fields {
		fd := &o.Fields[i]
		switch {
		case fd.Nested:
		case fd.Kind == document.Bool && fd.Key.Traits.Has(naming.TraitAvailable):
			return string(fd.Text) == "false"
		case fd.Kind == document.String && fd.Key.Traits.Has(naming.TraitStatus):
			return isUnavailableWord(fd.Text)
		}
	}
	return false
}

// isUnavailableWord reports whether a status in any naming style means unavailable:
// sold_out, SoldOut.
func isUnavailableWord(status []byte) bool {
	var letters [16]byte
	n := 0
	for _, c := range status {
		if !shape.IsLetter(c) {
			if c >= '0' && c <= '9' || c >= 0x80 {
				return false
			}
			continue
		}
		if n == len(letters) {
			return false
		}
		letters[n] = c | 0x20
		n++
	}
	switch string(letters[:n]) {
	case "unavailable", "soldout", "outofstock", "discontinued", "disabled", "inactive", "expired":
		return true
	}
	return false
}
