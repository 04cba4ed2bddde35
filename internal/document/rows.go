package document

import (
	"encoding/json"
	"slices"
)

// Databases return the names of columns once and rows as lists: {"columns": ["id",
// "name"], "rows": [[1, "Ann"]]}. Such rows are delivered as objects.

const (
	// maxColumns is the number of columns that rows and tables may have, and
	// maxColumnBytes the length of their names in the text of rows.
	maxColumns     = 256
	maxColumnBytes = 16 << 10
)

// columnKeys are keys that may hold the names of columns, and rowKeys those that may hold rows.
var (
	columnKeys = []string{"columns", "column_names", "columnnames", "fields", "headers", "header", "cols"}
	rowKeys    = []string{"rows", "data", "values", "records", "results"}
)

// content tells how a list is read: as rows with these columns, or as one of the rows. Without
// columns it is an ordinary list.
type content struct {
	columns []string
	isRow   bool
}

// columnNames returns the strings of the array at the current position, or the names of
// its objects, without reading on. It returns nil for other values.
func (r *jsonReader) columnNames() []string {
	ahead := jsonLexer{text: r.text[:min(len(r.text), r.pos+maxColumnBytes)], pos: r.pos}
	if ahead.peek() != '[' || ahead.skip(0) != nil {
		return nil
	}
	var names []string
	var objects []struct{ Name string }
	list := ahead.text[r.pos:ahead.pos]
	if json.Unmarshal(list, &names) != nil && json.Unmarshal(list, &objects) == nil {
		names = nil
		for _, o := range objects {
			names = append(names, o.Name)
		}
	}
	if len(names) > maxColumns || slices.Contains(names, "") {
		return nil
	}
	return names
}
