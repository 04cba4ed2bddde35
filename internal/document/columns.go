package document

import (
	"bytes"
	"iter"
	"slices"
	"unicode/utf8"
)

// Columns reads a table as command lines print it, with columns separated by two or
// more spaces, as an array of objects. An empty line ends it, unless another table
// follows.
func Columns(text []byte, vis Visitor, lim Limits) Result {
	t, text := newTable(text, vis, lim)
	text = bytes.TrimLeft(text, "\r\n")
	for more := true; more; more = more && isColumns(text) {
		more = t.read(splitter(newLayout(firstLine(text)).row).rows(text, &text))
	}
	return t.result(FormatTable)
}

// Aligned reads a table whose columns are separated by white space of any width, as
// ps and df print it, as an array of objects. Words beyond the number of columns
// belong to the last one: a command with its arguments. It ends at the first empty
// line.
func Aligned(text []byte, vis Visitor, lim Limits) Result {
	t, text := newTable(text, vis, lim)
	text = bytes.TrimLeft(text, "\r\n")
	t.read(splitter(newWords(text).row).rows(text, new([]byte)))
	return t.result(FormatTable)
}

// Table reads a text that is known to be a table with the titles of its columns in the first line, as
// [MarkdownTable], [CSV] with tabs, [Aligned] or [Columns] does.
func Table(text []byte, vis Visitor, lim Limits) Result {
	switch {
	case gridFormat(text) != "":
		return MarkdownTable(text, vis, lim)
	case bytes.IndexByte(firstLine(text), '\t') > 0:
		return CSV(text, '\t', vis, lim)
	case isAligned(text) && !isColumns(text):
		return Aligned(text, vis, lim)
	}
	return Columns(text, vis, lim)
}

// splitter appends the values of a line of a table to cells and reports whether they fit
// the columns.
type splitter func(cells [][]byte, line []byte) (_ [][]byte, ok bool)

// rows yields the rows of a table up to an empty line, and whether they fit the columns. It
// sets rest to the text behind the table.
func (split splitter) rows(text []byte, rest *[]byte) iter.Seq2[[][]byte, bool] {
	return func(yield func(cells [][]byte, ok bool) bool) {
		var cells [][]byte
		n := 0
		*rest = nil
		for line := range bytes.Lines(text) {
			text = text[len(line):]
			line = bytes.TrimRight(line, " \t\r\n")
			if len(line) == 0 && n > 1 {
				*rest = bytes.TrimLeft(text, "\r\n")
				return
			}
			if n > 0 && isUnderline(line) {
				continue
			}
			var ok bool
			cells, ok = split(cells[:0], line)
			if n++; !yield(cells, ok) {
				return
			}
		}
	}
}

// isColumns reports whether a text is a table that [Columns] reads, judged by its first
// rows.
func isColumns(text []byte) bool {
	head := firstLine(text)
	split := splitter(newLayout(head).row)
	return !bytes.HasPrefix(head, []byte("* ")) && areRows(split.rows(wholeLines(text), new([]byte))) // a list, or the marked row of one
}

// isAligned reports whether a text is a table that [Aligned] reads: at least three names
// that begin like "PID", "%CPU" and "1K-blocks", and rows with a digit.
func isAligned(text []byte) bool {
	text = wholeLines(text)
	w := newWords(text)
	names, _ := w.row(nil, firstLine(text))
	isSentence := slices.ContainsFunc(names, func(name []byte) bool {
		return !('A' <= name[0] && name[0] <= 'Z') && !isDigit(name[0]) && name[0] != '%'
	})
	return len(names) >= 3 && !isSentence && areRows(splitter(w.row).rows(text, new([]byte)))
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
	if cells = l.split(cells, line); cells != nil {
		return cells, true
	}
	for line = bytes.TrimLeft(line, " "); len(line) > 0; {
		var cell []byte
		cell, line, _ = bytes.Cut(line, []byte("  "))
		cells, line = append(cells, bytes.TrimSpace(cell)), bytes.TrimLeft(line, " ")
	}
	return cells, len(cells) == len(l)
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

// words is the number of columns of a table with one word in each but the last.
type words int

// newWords counts the names of the columns. The last one, Mounted on, may have a word more
// than the first row. There are none if a line is drawn below them.
func newWords(text []byte) words {
	head := firstLine(text)
	row := firstLine(text[min(len(text), len(head)+1):])
	columns := len(bytes.Fields(head))
	switch {
	case isUnderline(bytes.TrimSpace(row)): // a title
		return 0
	case len(bytes.Fields(row)) == columns-1:
		columns--
	}
	return words(columns)
}

// row splits a row at its words; the last one is the rest of the line.
func (w words) row(cells [][]byte, line []byte) (_ [][]byte, ok bool) {
	ok = bytes.ContainsAny(line, "0123456789") || len(bytes.Fields(line)) >= int(w) && w > 3
	for line = trimMarks(bytes.TrimSpace(line)); len(line) > 0; {
		end := bytes.IndexAny(line, " \t")
		if end < 0 || len(cells)+1 >= int(w) {
			end = len(line)
		}
		cells, line = append(cells, line[:end]), bytes.TrimLeft(line[end:], " \t")
	}
	return cells, ok && len(cells) == int(w)
}
