package document

import (
	"bytes"
	"regexp"
	"slices"
	"unicode/utf8"
)

// columnRows yields the rows of a table as command lines print it, with columns separated by two or
// more spaces. An empty line ends it, unless another table follows.
func columnRows(text []byte) rows {
	return func(yield func(cells [][]byte, kind rowKind) bool) {
		text = bytes.TrimLeft(text, "\r\n")
		for more := true; more; more = isColumns(text) {
			for cells, kind := range columnsOf(text).rows(text, &text) {
				if !yield(cells, kind) {
					return
				}
			}
		}
	}
}

// alignedRows yields the rows of a table whose columns are separated by white space of any width, as
// ps and df print it. Words beyond the number of columns belong to the last one: a command with its
// arguments. It ends at the first empty line.
func alignedRows(text []byte) rows {
	text = bytes.TrimLeft(text, "\r\n")
	return wordsOf(text).rows(text, new([]byte))
}

// splitter appends the values of a line of a table to cells and reports whether they fit
// the columns.
type splitter func(cells [][]byte, line []byte) (_ [][]byte, ok bool)

// rows yields the rows of a table up to an empty line. It sets rest to the text behind the table.
func (split splitter) rows(text []byte, rest *[]byte) rows {
	return func(yield func(cells [][]byte, kind rowKind) bool) {
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
			var fits bool
			cells, fits = split(cells[:0], line)
			kind := full
			switch {
			case n == 0:
				kind = header
			case !fits:
				kind = ragged
			}
			if n++; !yield(cells, kind) {
				return
			}
		}
	}
}

// isColumns reports whether a text is a table for columnRows, judged by its first
// rows.
func isColumns(text []byte) bool {
	isList := bytes.HasPrefix(text, []byte("* ")) // or the marked row of one
	return !isList && areRows(columnsOf(text).rows(wholeLines(text), new([]byte)))
}

// isAligned reports whether a text is a table for alignedRows: at least three names
// that begin like "PID", "%CPU" and "1K-blocks", and rows with a digit.
func isAligned(text []byte) bool {
	text = wholeLines(text)
	split := wordsOf(text)
	names, _ := split(nil, firstLine(text))
	isSentence := slices.ContainsFunc(names, func(name []byte) bool {
		return !('A' <= name[0] && name[0] <= 'Z') && !isDigit(name[0]) && name[0] != '%'
	})
	return len(names) >= 3 && !isSentence && areRows(split.rows(text, new([]byte)))
}

// isUnderline reports whether a line is empty or underlines column names.
func isUnderline(line []byte) bool { return len(bytes.Trim(line, "-= ")) == 0 }

// columnsOf returns the splitter of a table at the columns of its header. A row whose values do not
// fit these is split at two or more spaces, and has as many values as the table has columns.
func columnsOf(text []byte) splitter {
	starts := []int{0} // the offsets of the columns, in runes
	head := firstLine(text)
	column, end := 0, 0
	for i, at := range phrase.FindAllIndex(head, -1) {
		column, end = column+utf8.RuneCount(head[end:at[0]]), at[0]
		if i > 0 {
			starts = append(starts, column)
		}
	}
	return func(cells [][]byte, line []byte) (_ [][]byte, ok bool) {
		if cells = splitAt(starts, cells, line); cells != nil {
			return cells, true
		}
		cells = phrase.FindAll(line, -1)
		return cells, len(cells) == len(starts)
	}
}

// phrase matches words with single spaces between them.
var phrase = regexp.MustCompile(`[^ \r\n]+(?: [^ \r\n]+)*`)

// splitAt splits a row at columns. It returns nil if a value runs across a column boundary.
func splitAt(starts []int, cells [][]byte, line []byte) [][]byte {
	start, column, next := 0, 0, 1
	for i := 0; i < len(line) && next < len(starts); column++ {
		if column == starts[next] {
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

// wordsOf returns the splitter of a table with one word in each column but the last, which is the
// rest of the line. The name of the last one, Mounted on, may have a word more than the first row.
// There are no columns if a line is drawn below the names.
func wordsOf(text []byte) splitter {
	head := firstLine(text)
	row := firstLine(text[min(len(text), len(head)+1):])
	columns := len(bytes.Fields(head))
	switch {
	case isUnderline(bytes.TrimSpace(row)): // a title
		columns = 0
	case len(bytes.Fields(row)) == columns-1:
		columns--
	}
	return func(cells [][]byte, line []byte) (_ [][]byte, ok bool) {
		ok = bytes.ContainsAny(line, "0123456789") || len(bytes.Fields(line)) >= columns && columns > 3
		for line = trimMarks(bytes.TrimSpace(line)); len(line) > 0; {
			end := bytes.IndexAny(line, " \t")
			if end < 0 || len(cells)+1 >= columns {
				end = len(line)
			}
			cells, line = append(cells, line[:end]), bytes.TrimLeft(line[end:], " \t")
		}
		return cells, ok && len(cells) == columns
	}
}
