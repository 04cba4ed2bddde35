package extractor

import (
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// availabilityKeys are the fields whose value false marks a record as unavailable.
var availabilityKeys = wordSet{list: `available in_stock instock active enabled is_available is_active is_enabled sellable purchasable valid`}

// isUnavailable reports whether a record declares itself unavailable.
func (f *finder) isUnavailable(fields []field) bool {
	for i := range fields {
		fd := &fields[i]
		switch {
		case fd.nested:
		case fd.kind == document.Bool && fd.key.traits.has(traitAvailable):
			return string(f.value(fd)) == "false"
		case fd.kind == document.String && fd.key.traits.has(traitStatus):
			return isUnavailableWord(f.value(fd))
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
		if !isASCIILetter(c) {
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

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
