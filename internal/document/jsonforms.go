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

// content describes a list: it has rows with these columns, or is one of the rows. Without
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

// typedKeys maps the key of an object that names the type of a single value, as
// {"S": "a"} of DynamoDB and {"stringValue": "a"} of Firestore do, to that type.
var typedKeys = map[string]Kind{
	`"S"`: String, `"N"`: Number, `"BOOL"`: Bool, `"NULL"`: Null,
	`"stringValue"`: String, `"timestampValue"`: String, `"referenceValue"`: String,
	`"integerValue"`: Number, `"intValue"`: Number, `"doubleValue"`: Number,
	`"booleanValue"`: Bool, `"boolValue"`: Bool, `"nullValue"`: Null,
}

// typed delivers the value of an object that only names the value's type, given its
// first key. For any other object it reports false and delivers nothing.
func (r *jsonReader) typed(key []byte) bool {
	kind, ok := typedKeys[string(key)]
	if !ok || r.lim.Plain || r.depth == r.outer {
		return false
	}
	start := r.pos
	c := r.peek()
	text, plain, err := r.token(c)
	if err == nil && c == '"' {
		text = r.unquote(text, plain)
	}
	switch {
	case err != nil || r.peek() != '}':
		ok = false
	case kind == String:
		ok = c == '"'
	case kind == Number:
		ok, _ = isNumber(text)
	case kind == Bool:
		ok = c == 't' || c == 'f'
	default:
		ok, text = c == 't' || c == 'n', []byte("null")
	}
	if !ok {
		r.pos = start
		return false
	}
	r.pos++
	r.scalar(kind, text)
	return true
}
