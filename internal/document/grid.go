package document

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// gridRows yields the rows of tables with a line drawn below the header, and ignores the text around
// them: those of Markdown, those that psql and mysql print, and those drawn with box characters.
// Emphasis, code marks and links are reduced to their text.
func gridRows(text []byte) rows {
	return func(yield func(cells [][]byte, kind rowKind) bool) {
		var before []byte // the previous line, if it may be a header
		var cells [][]byte
		inTable := false
		for line := range bytes.Lines(text) {
			line = ascii(bytes.TrimSpace(line))
			switch {
			case isSeparatorOf(line, before) && !(inTable && bytes.IndexByte(line, '+') >= 0): // not between two rows
				if cells = splitRow(cells[:0], before); !yield(cells, header) {
					return
				}
				inTable, before = true, nil
			case inTable && isSeparator(line):
			case bytes.IndexByte(line, '|') < 0:
				inTable, before = false, nil
			default:
				before = line
				if cells = splitRow(cells[:0], line); inTable && !yield(cells, full) {
					return
				}
			}
		}
	}
}

// gridFormat returns the format of a text whose first lines contain a header rule, as
// in tables of Markdown or of a command line. It is empty for other texts.
func gridFormat(text []byte) Format {
	var before []byte
	for line := range bytes.Lines(text[:min(len(text), sniffBytes)]) {
		line = ascii(bytes.TrimSpace(line))
		if !isSeparatorOf(line, before) {
			before = line
		} else if bytes.IndexByte(line, '+') >= 0 {
			return FormatTable
		} else {
			return FormatMarkdown
		}
	}
	return ""
}

// ascii replaces box-drawing characters in a line that begins with one.
func ascii(line []byte) []byte {
	const firstBox, afterBoxes = '─', '▀'
	if r, _ := utf8.DecodeRune(line); r < firstBox || r >= afterBoxes {
		return line
	}
	return bytes.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("│┃║┆", r):
			return '|'
		case strings.ContainsRune("─━═", r):
			return '-'
		case strings.ContainsRune("┼╋╬╇╪┬┴╤╧├┤┡┩╞╡┌┐└┘┏┓┳╭╮╰╯┠┨╟╢", r):
			return '+'
		}
		return r
	}, line)
}

// isSeparatorOf reports whether a line separates the header in the previous line from
// rows.
func isSeparatorOf(line, header []byte) bool {
	return bytes.IndexByte(header, '|') >= 0 && isSeparator(line) && !isSeparator(header) &&
		len(splitRow(nil, bytes.ReplaceAll(line, []byte("+"), []byte("|")))) == len(splitRow(nil, header))
}

// isSeparator reports whether a line consists of dashes, bars and crosses.
func isSeparator(line []byte) bool {
	return startsWith(line, "|+-:=") && bytes.ContainsAny(line, "-=") && bytes.ContainsAny(line, "|+") &&
		len(bytes.Trim(line, "|+-:= \t")) == 0
}

// splitRow appends the cells of a row, with or without outer bars. The last of more than
// maxColumns is the rest of the row.
func splitRow(cells [][]byte, line []byte) [][]byte {
	line, outer := bytes.CutPrefix(line, []byte("|"))
	start := 0
	for i := 0; i < len(line) && len(cells) < maxColumns; i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, cellText(line[start:i]))
			start = i + 1
		}
	}
	if outer && start == len(line) {
		return cells
	}
	return append(cells, cellText(line[start:]))
}

// cellText returns the text of a Markdown cell.
func cellText(cell []byte) []byte {
	cell, _ = unwrap(bytes.TrimSpace(cell), "**", "__")
	cell, _ = unwrap(bytes.TrimSpace(cell), "`")
	if bytes.IndexByte(cell, '\\') >= 0 {
		cell = bytes.ReplaceAll(cell, []byte(`\|`), []byte("|"))
	}
	return bytes.TrimSpace(cell)
}
