package document

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"
)

// MarkdownTable reads the tables of a text as one array of objects and ignores the
// text around them. Besides Markdown, it reads the tables that psql and mysql print,
// and those drawn with box characters. Emphasis, code marks and links are reduced to
// their text.
func MarkdownTable(text []byte, vis Visitor, lim Limits) Result {
	return tableReader(cmp.Or(gridFormat(text), FormatMarkdown), gridRows)(text, vis, lim)
}

// gridRows yields the rows of tables with a line drawn below the header.
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

// ruled matches a line that is drawn around a table or below its header, but not in Markdown.
var ruled = regexp.MustCompile(`(?m)^\s*(?:\+-|-+\+-|[┌┏╭])`)

// gridFormat returns the format of a text whose first lines contain a rule below a header, as
// in tables of Markdown or of the command line. It is empty for other texts.
func gridFormat(text []byte) Format {
	text = text[:min(len(text), sniffBytes)]
	for range gridRows(text) {
		if ruled.Match(text) {
			return FormatTable
		}
		return FormatMarkdown
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
	return bytes.ContainsAny(line, "-=") && bytes.ContainsAny(line, "|+") && len(bytes.Trim(line, "|+-:= \t")) == 0
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
