package document

import (
	"bytes"
	"iter"
	"math"
)

// Aligned reads a table whose columns are separated by white space of any width, as
// ps and df print it, as an array of objects. Words beyond the number of columns
// belong to the last one: a command with its arguments. It ends at the first empty
// line.
func Aligned(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	t := table{emitter: e}
	var cells [][]byte
	for line := range alignedLines(e.input(text, math.MaxInt)) {
		if !t.open {
			t.begin(alignedNames(text))
			continue
		}
		cells = splitWords(cells[:0], line, len(t.header))
		if !t.row(cells) {
			break
		}
	}
	return e.result(FormatTable)
}

// isAligned reports whether a text is such a table: a header with at least three
// columns, all but the last of single words, and rows that have a word for each and
// a digit in one.
func isAligned(text []byte) bool {
	text = text[:min(len(text), sniffBytes)]
	names := alignedNames(text)
	if len(names) < 3 || !isHeader(asStrings(names)) {
		return false
	}
	rows := -1 // the header
	for line := range alignedLines(text) {
		if rows >= 0 && (len(splitWords(nil, line, len(names))) < len(names) || !bytes.ContainsAny(line, "0123456789")) {
			return false
		}
		if rows++; rows == sampleRows {
			break
		}
	}
	return rows > 0
}

// alignedNames returns the names of the columns. The last one, Mounted on, may have
// a word more than the first row.
func alignedNames(text []byte) [][]byte {
	head := firstLine(text)
	row := firstLine(text[min(len(text), len(head)+1):])
	columns := len(bytes.Fields(head))
	if len(bytes.Fields(row)) == columns-1 {
		columns--
	}
	names := splitWords(nil, head, columns)
	for _, name := range names {
		if !isUpperOrDigit(name[0]) && name[0] != '%' {
			return nil // a sentence
		}
	}
	return names
}

func isUpperOrDigit(c byte) bool { return 'A' <= c && c <= 'Z' || isDigit(c) }

// alignedLines yields the lines up to the first empty one.
func alignedLines(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(text) {
			line = bytes.TrimSpace(line)
			if len(line) == 0 || !yield(line) {
				return
			}
		}
	}
}

// splitWords appends the words of a line, at most n; the last one is the rest of
// the line.
func splitWords(cells [][]byte, line []byte, n int) [][]byte {
	line = bytes.TrimSpace(line)
	for len(line) > 0 {
		end := bytes.IndexAny(line, " \t")
		if end < 0 || n <= 1 {
			return append(cells, line)
		}
		cells, line, n = append(cells, line[:end]), bytes.TrimLeft(line[end:], " \t"), n-1
	}
	return cells
}
