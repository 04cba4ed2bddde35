package document

import "strings"

// Databases return the names of columns once and rows as lists: {"columns": ["id",
// "name"], "rows": [[1, "Ann"]]}. Such rows are delivered as objects.

const (
	// maxColumns is the number of columns that rows and tables may have, and
	// maxColumnBytes the length of their names in the text of rows.
	maxColumns     = 256
	maxColumnBytes = 16 << 10
)

// isColumnKey reports whether a key may hold the names of columns.
func isColumnKey(name []byte) bool {
	switch strings.ToLower(string(name)) {
	case "columns", "column_names", "columnnames", "fields", "headers", "header", "cols":
		return true
	}
	return false
}

// isRowKey reports whether a key may hold rows.
func isRowKey(name []byte) bool {
	switch strings.ToLower(string(name)) {
	case "rows", "data", "values", "records", "results":
		return true
	}
	return false
}

// columnNames returns the strings of the array at the current position, or the names of
// its objects, without reading on. It returns nil for other values.
func (r *jsonReader) columnNames() [][]byte {
	ahead := jsonLexer{text: r.text[:min(len(r.text), r.pos+maxColumnBytes)], pos: r.pos}
	if ahead.peek() != '[' {
		return nil
	}
	ahead.pos++
	var names [][]byte
	for first := true; ; first = false {
		more, err := ahead.nextItem(first)
		if err != nil || len(names) == maxColumns {
			return nil
		}
		if !more {
			return names
		}
		var name []byte
		switch ahead.peek() {
		case '"':
			name = ahead.plainString()
		case '{':
			name = ahead.nameOfObject()
		}
		if name == nil {
			return nil
		}
		names = append(names, name)
	}
}

// plainString returns the content of the string at the current position, or nil if it has
// escapes or is damaged.
func (l *jsonLexer) plainString() []byte {
	literal, plain, err := l.str()
	if err != nil || !plain {
		return nil
	}
	return literal[1 : len(literal)-1]
}

// nameOfObject returns the text under "name" in the object at the current position, or nil.
func (l *jsonLexer) nameOfObject() (name []byte) {
	l.pos++
	for first := true; ; first = false {
		key, _, more, err := l.nextKey(first)
		switch {
		case err != nil:
			return nil
		case !more:
			return name
		case l.peek() == '"' && (string(key) == `"name"` || string(key) == `"Name"`):
			name = l.plainString()
		default:
			err = l.skip()
		}
		if err != nil {
			return nil
		}
	}
}

// isRows reports whether the value at the current position is a list of lists.
func (r *jsonReader) isRows() bool {
	ahead := jsonLexer{text: r.text, pos: r.pos}
	if ahead.peek() != '[' {
		return false
	}
	ahead.pos++
	return ahead.peek() == '['
}

// rows reads a list of lists as objects with the given keys. Items that are no lists are
// delivered as they are.
func (r *jsonReader) rows(columns [][]byte) error {
	if r.peek(); !r.array() {
		return r.skip()
	}
	r.pos++
	for first := true; ; first = false {
		more, err := r.nextItem(first)
		if err != nil || !more {
			return r.closed(err)
		}
		decision := r.item()
		switch {
		case !r.goesOn(decision):
			return r.closed(nil)
		case decision == Take && r.peek() == '[' && r.object():
			err = r.row(columns)
		case decision == Take:
			err = r.value()
		case decision == Skip:
			err = r.skip()
		default:
			return r.closed(r.skip(']'))
		}
		if err != nil {
			return err
		}
	}
}

// row reads one list as the members of an object. Values without a column are left out.
func (r *jsonReader) row(columns [][]byte) error {
	r.pos++
	for i := 0; ; i++ {
		more, err := r.nextItem(i == 0)
		if err != nil || !more {
			return r.closed(err)
		}
		decision := Skip
		if i < len(columns) && len(columns[i]) > 0 {
			decision = r.key(columns[i])
		}
		switch decision {
		case Take:
			err = r.value()
		case Skip:
			err = r.skip()
		default:
			return r.closed(r.skip(']'))
		}
		if err != nil {
			return err
		}
	}
}
