package extractor

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// availabilityKeys are fields that say, by a false, that a record cannot be had.
var availabilityKeys = words(`available in_stock instock active enabled is_available is_active is_enabled sellable purchasable valid`)

// unavailableWords are the values of a status that say so.
var unavailableWords = words(`unavailable sold_out out_of_stock discontinued disabled inactive expired`)

// isUnavailable reports whether a record says of itself that it cannot be had.
func (f *finder) isUnavailable(fields []field) bool {
	for i := range fields {
		fd := &fields[i]
		switch {
		case fd.nested:
		case fd.kind == document.Bool && availabilityKeys.has(fd.key.snake):
			return string(f.value(fd)) == "false"
		case fd.kind == document.String && (fd.key.name == "status" || fd.key.name == "availability"):
			return unavailableWords.has(strings.Join(splitWords(string(f.value(fd))), "_"))
		}
	}
	return false
}
