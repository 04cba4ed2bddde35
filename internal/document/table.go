package document

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CSV reads lines of values separated by a comma, semicolon or tab as an array of
// objects. The first line holds the names, at most 256. Quotes are read leniently. Values
// without a name and names without a value are left out.
func CSV(text []byte, delimiter rune, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	r := csvReader(e.input(text, math.MaxInt), delimiter)
	t := table{emitter: e}
	columns := maxColumns
	var cells [][]byte
	for more := true; more; {
		row, err := r.Read()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				e.recordError(&SyntaxError{Format: csvFormat(delimiter), Offset: r.InputOffset()})
			}
			break
		}
		cells = asBytes(cells[:0], row[:min(len(row), columns)])
		if t.open {
			more = t.row(cells)
		} else {
			t.begin(cells)
			columns = len(cells) + 1
		}
	}
	return e.result(csvFormat(delimiter))
}

func csvFormat(delimiter rune) Format {
	if delimiter == '\t' {
		return FormatTSV
	}
	return FormatCSV
}

func csvReader(text []byte, delimiter rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = delimiter, true, -1, true
	return r
}

func asBytes(cells [][]byte, row []string) [][]byte {
	for _, cell := range row {
		cells = append(cells, view(strings.TrimSpace(cell)))
	}
	return cells
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
	if t.vertical = isVertical(header); t.vertical {
		t.object()
	} else {
		t.array()
	}
}

// isVertical reports whether a header announces rows of name and value.
func isVertical(header [][]byte) bool {
	if len(header) != 2 || !bytes.EqualFold(header[1], []byte("value")) {
		return false
	}
	switch strings.ToLower(string(header[0])) {
	case "field", "property", "attribute", "name", "key", "":
		return true
	}
	return false
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

// cell delivers a value. The address of a link is that of what its column shows, unless the
// text is a code: "Card" and "Card url" of "[Paint the hull](/cards/7)".
func (t *table) cell(name, cell []byte) Decision {
	cell = trimMarks(cell)
	if text, url, ok := splitLink(cell); ok {
		if cell, _ = unwrap(text, "`"); !bytes.ContainsAny(cell, "0123456789-_/#") || bytes.IndexByte(cell, ' ') > 0 {
			if t.cell(urlKey(name), url) == Stop {
				return Stop
			}
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
	switch strings.ToLower(string(column)) {
	case "name", "title", "subject", "summary", "link":
		return []byte("url")
	}
	return slices.Concat(column, []byte(" url"))
}

// trimMarks strips what is drawn around a cell: the branches of a tree, a tick, the star of
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
// text is no such table. All rows must have as many values as the header, at least
// two, and the header must consist of names rather than of codes like the rows below.
func delimiterOf(text []byte) rune {
	sample := text[:min(len(text), sniffBytes)]
	if bytes.IndexByte(sample, '\n') < 0 {
		return 0
	}
	for _, delimiter := range []rune{'\t', ',', ';', '|'} {
		if bytes.ContainsRune(firstLine(sample), delimiter) && isSeparated(sample, delimiter, len(sample) < len(text)) {
			return delimiter
		}
	}
	return 0
}

func isSeparated(sample []byte, delimiter rune, cut bool) bool {
	r := csvReader(sample, delimiter)
	header, err := r.Read()
	if err != nil || !isHeader(header) {
		return false
	}
	header = slices.Clone(header) // the reader reuses its row
	columns, rows, digits := len(header), 0, false
	spaced := strings.HasPrefix(header[1], " ")
	for rows < sampleRows {
		row, err := r.Read()
		if errors.Is(err, io.EOF) || err == nil && cut && r.InputOffset() == int64(len(sample)) {
			break
		}
		if err != nil || len(row) != columns {
			return false
		}
		if isOfSeries(header, row) {
			return false
		}
		digits = digits || strings.ContainsAny(strings.Join(row, ""), "0123456789")
		rows++
	}
	// A comma followed by a space separates clauses as well as values.
	return rows > 0 && (digits || !spaced)
}

// isHeader reports whether cells can be column names: at least two, distinct, not
// empty, with a letter and without sentence punctuation.
func isHeader(cells []string) bool {
	seen := map[string]bool{}
	for _, cell := range cells {
		name := strings.Trim(cell, " *`\"'")
		if !isKey(view(name)) && !isMeasure(name) || seen[name] {
			return false
		}
		seen[name] = true
	}
	return len(cells) >= 2
}

// isOfSeries reports whether a supposed header is an ordinary row: one of its cells
// is a code of the same series as the cell below, REQ-67417 and REQ-97048.
func isOfSeries(header, row []string) bool {
	for i, name := range header[:min(len(header), len(row))] {
		if head := codeHead(name); head != "" && head == codeHead(row[i]) {
			return true
		}
	}
	return false
}

// codeHead returns the part before the first digit of a code with letters and at
// least three digits. It is empty for other texts.
func codeHead(text string) string {
	text = strings.TrimSpace(text)
	first := strings.IndexAny(text, "0123456789")
	if first <= 0 || strings.ContainsAny(text, " \t") {
		return ""
	}
	digits := 0
	for _, c := range []byte(text) {
		if isDigit(c) {
			digits++
		}
	}
	if digits < 3 {
		return ""
	}
	return text[:first]
}

// isMeasure reports whether a name is that of a measurement, CPU% or %MEM, which
// isKey rejects.
func isMeasure(name string) bool {
	return isKey(view(strings.Trim(name, "%")))
}
