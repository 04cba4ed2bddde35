package document

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rows yields the rows of the tables in a text.
type rows = iter.Seq2[[][]byte, rowKind]

// rowKind is what a row of a table is.
type rowKind uint8

const (
	header rowKind = iota // the names of the columns, with which a table begins
	full                  // a row with a value for each column
	ragged                // any other row
)

// Table reads a text that is known to be a table with the titles of its columns in the first line.
func Table(text []byte, vis Visitor, lim Limits) Result {
	f, ok := tableOf(text)
	if !ok && bytes.IndexByte(firstLine(text), '\t') > 0 {
		f = csvTable(text, '\t')
	} else if !ok {
		f.rows = columnRows
	}
	return f.read(vis, lim)
}

// tableOf detects tables that begin in the first line, and tables with a line below the
// header.
func tableOf(text []byte) (f finding, ok bool) {
	if format := gridFormat(text); format != "" {
		return finding{format, text, gridRows}, true
	}
	if delimiter := delimiterOf(text); delimiter != 0 {
		return csvTable(text, delimiter), true
	}
	f = finding{format: FormatTable, body: text}
	switch {
	case isColumns(text):
		f.rows = columnRows
	case isAligned(text):
		f.rows = alignedRows
	}
	return f, f.rows != nil
}

// csvTable is a table of lines of values separated by a comma, semicolon or tab. The first line holds the
// names, at most 256. Quotes are read leniently. Values without a name and names without a value are
// left out.
func csvTable(text []byte, delimiter rune) finding {
	f := finding{FormatCSV, text, func(text []byte) rows { return csvRows(text, delimiter) }}
	if delimiter == '\t' {
		f.format = FormatTSV
	}
	return f
}

// csvRows yields the rows of a text of values with a delimiter between them.
func csvRows(text []byte, delimiter rune) rows {
	return func(yield func(cells [][]byte, kind rowKind) bool) {
		r := csv.NewReader(bytes.NewReader(text))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = delimiter, true, -1, true
		columns, kind := 0, header
		var cells [][]byte
		for row, err := r.Read(); err == nil; row, err = r.Read() {
			if columns = cmp.Or(columns, len(row)); len(row) != columns {
				kind = ragged
			}
			cells = cells[:0]
			for _, cell := range row[:min(len(row), columns, maxColumns)] {
				cells = append(cells, view(strings.TrimSpace(cell)))
			}
			if !yield(cells, kind) {
				return
			}
			kind = full
		}
	}
}

// table delivers rows as objects keyed by a header.
type table struct {
	*emitter
	header   [][]byte
	vertical bool // each row is a name and a value of a single object
	open     bool
}

// begin starts a table, or another one with its own header. The header is retained.
func (t *table) begin(header [][]byte) {
	t.header = t.header[:0]
	for _, name := range header {
		t.header = append(t.header, bytes.Clone(valid(name)))
	}
	if t.open {
		return
	}
	t.open = true
	isName := len(header) == 2 && isAny(header[0], "field", "property", "attribute", "name", "key", "")
	if t.vertical = isName && isAny(header[1], "value"); t.vertical {
		t.object()
	} else {
		t.array()
	}
}

// row delivers a row and reports whether the visitor wants more.
func (t *table) row(cells [][]byte) bool {
	if t.vertical {
		return len(cells) < 2 || t.cell(cells[0], cells[1]) != Stop
	}
	if len(t.header) > 1 && len(cells) < 2 { // a remark between rows
		return true
	}
	decision := t.item()
	if decision == Take && t.object() {
		for i, cell := range cells[:min(len(cells), len(t.header))] {
			if len(t.header[i]) > 0 && t.cell(t.header[i], cell) == Stop {
				break
			}
		}
		t.end()
	}
	return decision != Stop
}

// cell delivers a value. A link is split into its text and its address, "Card" and "Card url" of
// "[Paint the hull](/cards/7)", unless the text is a code.
func (t *table) cell(name, cell []byte) Decision {
	cell = trimMarks(cell)
	if text, url, ok := splitLink(cell); ok {
		cell, _ = unwrap(text, "`")
		isCode := bytes.ContainsAny(cell, "0123456789-_/#") && bytes.IndexByte(cell, ' ') < 0
		if !isCode && t.cell(urlKey(name), url) == Stop {
			return Stop
		}
	}
	decision := t.key(valid(name))
	if decision == Take {
		t.plain(cell)
	}
	return decision
}

// urlKey returns the key of the address of a link in a column: "Card url", but the "url" of the row
// if the column holds its names.
func urlKey(column []byte) []byte {
	if isAny(column, "name", "title", "subject", "summary", "link") {
		return []byte("url")
	}
	return slices.Concat(column, []byte(" url"))
}

// trimMarks strips marks around a cell: the branches of a tree, a tick, the star of
// the current row.
func trimMarks(cell []byte) []byte {
	cell = bytes.TrimLeft(bytes.TrimSuffix(cell, []byte(" *")), "│├└─ ")
	if mark, size := utf8.DecodeRune(cell); unicode.Is(unicode.So, mark) && size < len(cell) && cell[size] == ' ' {
		return bytes.TrimLeft(cell[size:], " ")
	}
	return cell
}

// sampleRows is the number of rows that are examined to recognize a table.
const sampleRows = 20

// delimiterOf returns the delimiter of a text, judged by its first rows, or 0 if the
// text is no such table. All rows must have as many values as the header.
func delimiterOf(text []byte) rune {
	head := firstLine(text)
	for _, delimiter := range []rune{'\t', ',', ';', '|'} {
		at := bytes.IndexRune(head, delimiter)
		if at < 0 || len(head) == len(text) || !areRows(csvRows(wholeLines(text), delimiter)) {
			continue
		}
		// A comma followed by a space separates clauses as well as values.
		if !bytes.HasPrefix(head[at+1:], []byte(" ")) || bytes.ContainsAny(text[len(head):min(len(text), sniffBytes)], "0123456789") {
			return delimiter
		}
	}
	return 0
}

// wholeLines returns the lines at the beginning of a text that are examined.
func wholeLines(text []byte) []byte {
	if len(text) > sniffBytes {
		text = text[:bytes.LastIndexByte(text[:sniffBytes], '\n')+1]
	}
	return text
}

// areRows reports whether rows begin with the names of at least two columns, rather than with
// codes like those in the rows below, and the rows below fit the names.
func areRows(rows rows) bool {
	var names [][]byte
	n := 0
	for cells, kind := range rows {
		switch {
		case kind == header && !isHeader(cells), kind != header && (kind == ragged || len(cells) < 2 || isOfSeries(names, cells)):
			return false
		case kind == header:
			names = slices.Clone(cells)
		default:
			n++
		}
		if n == sampleRows {
			break
		}
	}
	return n > 0
}

// isHeader reports whether cells can be column names: at least two, distinct, not
// empty, with a letter and without sentence punctuation. They may be measurements: CPU%, %MEM.
func isHeader(cells [][]byte) bool {
	seen := map[string]bool{}
	for _, cell := range cells {
		name := bytes.Trim(cell, " *`\"'%")
		isPath := bytes.IndexByte(name, '/') > 0 && bytes.IndexByte(name, '.') > 0
		if !isKey(name) || isPath || seen[string(name)] {
			return false
		}
		seen[string(name)] = true
	}
	return len(cells) >= 2
}

// isOfSeries reports whether a supposed header is an ordinary row: one of its cells
// is a code of the same series as the cell below, REQ-67417 and REQ-97048. A number of one or
// two digits is that of a column: address1.
func isOfSeries(header, row [][]byte) bool {
	const digits = "0123456789"
	for i, name := range header[:min(len(header), len(row))] {
		first := bytes.IndexAny(name, digits)
		if first > 0 && len(name)-first > 2 && first == bytes.IndexAny(row[i], digits) && bytes.Equal(name[:first], row[i][:first]) {
			return true
		}
	}
	return false
}
