package document

import (
	"bytes"
	"math"
	"unicode/utf8"
)

// Columns reads a table as command lines print it, with columns separated by two or
// more spaces, as an array of objects. An empty line ends it, unless another table
// follows.
func Columns(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	text = bytes.TrimLeft(e.input(text, math.MaxInt), "\r\n")
	t := table{emitter: e}
	for more := true; more; more = more && isColumns(text) {
		text, more = t.columns(text)
	}
	return e.result(FormatTable)
}

// columns reads one table and returns the text behind it, and whether the visitor wants
// more.
func (t *table) columns(text []byte) (rest []byte, more bool) {
	head := firstLine(text)
	layout := newLayout(head)
	t.begin(layout.split(nil, head))
	var cells [][]byte
	for at := len(head); at < len(text); {
		line := firstLine(text[at:])
		at += len(line) + 1
		line = bytes.TrimRight(line, " \t\r\n")
		if len(line) == 0 && len(cells) > 0 {
			return bytes.TrimLeft(text[min(at, len(text)):], "\r\n"), true
		}
		if isUnderline(line) {
			continue
		}
		if cells, _ = layout.row(cells[:0], line); !t.row(cells) {
			return nil, false
		}
	}
	return nil, false
}

// isColumns reports whether the first rows of a text form such a table: at least two
// columns, and rows that fit the header.
func isColumns(text []byte) bool {
	text = text[:min(len(text), sniffBytes)]
	head := firstLine(text)
	layout := newLayout(head)
	names := asStrings(layout.split(nil, head))
	if !isHeader(names) || bytes.HasPrefix(head, []byte("* ")) { // a list, or the marked row of one
		return false
	}
	rows := 0
	for line := range bytes.Lines(text[len(head):]) {
		line = bytes.TrimRight(line, " \t\r\n")
		if len(line) == 0 && rows > 0 {
			break
		}
		if isUnderline(line) {
			continue
		}
		cells, ok := layout.row(nil, line)
		if !ok || len(cells) < 2 || isOfSeries(names, asStrings(cells)) {
			return false
		}
		if rows++; rows == sampleRows {
			break
		}
	}
	return rows > 0
}

func asStrings(cells [][]byte) []string {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = string(cell)
	}
	return texts
}

// isUnderline reports whether a line is empty or underlines column names.
func isUnderline(line []byte) bool { return len(bytes.Trim(line, "-= ")) == 0 }

// layout holds the offsets of a table's columns, in runes.
type layout []int

func newLayout(head []byte) layout {
	starts := layout{0}
	spaces, column := 0, 0
	for _, r := range string(bytes.TrimRight(head, " \t\r\n")) {
		switch {
		case r == ' ':
			spaces++
		case spaces >= 2 && column > spaces:
			starts = append(starts, column)
			fallthrough
		default:
			spaces = 0
		}
		column++
	}
	return starts
}

// row splits a row at the columns of the layout. If its values do not fit these, it
// is split at two or more spaces, and ok reports whether it has as many values as the
// table has columns.
func (l layout) row(cells [][]byte, line []byte) (_ [][]byte, ok bool) {
	before := len(cells)
	if cells = l.split(cells, line); cells != nil {
		return cells, true
	}
	for line = bytes.TrimLeft(line, " "); len(line) > 0; {
		var cell []byte
		cell, line, _ = bytes.Cut(line, []byte("  "))
		cells, line = append(cells, bytes.TrimSpace(cell)), bytes.TrimLeft(line, " ")
	}
	return cells, len(cells)-before == len(l)
}

// split splits a row at the columns of the layout. It returns nil if a value runs
// across a column boundary.
func (l layout) split(cells [][]byte, line []byte) [][]byte {
	start, column, next := 0, 0, 1
	for i := 0; i < len(line) && next < len(l); column++ {
		if column == l[next] {
			if line[i-1] != ' ' {
				return nil
			}
			cells = append(cells, bytes.TrimSpace(line[start:i]))
			start, next = i, next+1
		}
		_, size := utf8.DecodeRune(line[i:])
		i += size
	}
	return append(cells, bytes.TrimSpace(line[start:]))
}
