package prose

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

const (
	// sampleRows is the number of lines that decide what the columns of a list are.
	sampleRows = 128
	// maxColumns is the number of cells read of a row.
	maxColumns = 12
	// gap separates cells that are aligned.
	gap = "  "
)

// Ranks rate cells of a row as its identifier.
const (
	rankNone   = 0 // a name, a figure, a state
	rankWord   = 2 // main
	rankNumber = 3 // 431
	rankJoined = 5 // feature/digest
	rankPath   = 6 // go.mod
	rankCoded  = 8 // i-0e9b3a77
	rankFirst  = 3 // added for the first column
)

// rows is a list without a header, with one line for each thing and cells separated by tabs, bars or
// two spaces.
type rows struct {
	noun string
	// mark separates the cells: a tab, a bar or a gap.
	mark    string
	columns [maxColumns]column
	lines   int
	// spaced is set if there are spaces around the bars, as in a list of keys and values.
	spaced bool
	// id and name are the columns of the identifiers and of their names, or -1.
	id, name int
}

// column is what the sampled cells of a column have in common.
type column struct {
	cells, ids, rank, names, phrases int
	distinct                         map[string]struct{}
}

// readRows reads a list without a header, and reports whether the text is one.
func (r *reader) readRows(text []byte) bool {
	if r.topic.Noun == "" || r.topic.Field {
		return false
	}
	_, below, _ := bytes.Cut(text, []byte("\n"))
	if line, body, _ := bytes.Cut(below, []byte("\n")); len(line) > 2 && len(bytes.Trim(line, "-=\r")) == 0 { // below the title of a column
		text = body
	}
	rows := rows{noun: r.topic.Noun, mark: gap, id: -1, name: -1}
	if !rows.sample(text) || !rows.choose(r.topic.Lists) {
		return false
	}
	var space [maxColumns][]byte
	for line := range bytes.Lines(text) {
		if cells := rows.split(rows.trim(line), space[:0]); !r.readRow(&rows, line, cells) {
			r.readLine(line)
		}
		if r.stopped {
			break
		}
	}
	return true
}

// readRow yields the identifier of a row, named by its other cells, and reports whether
// the line is a row.
func (r *reader) readRow(rows *rows, line []byte, cells [][]byte) bool {
	if rows.id >= len(cells) {
		return false
	}
	id := cells[rows.id]
	rank := rankOf(id)
	if rank == rankNone && !r.isRowID(id) {
		return false
	}
	m := Mention{ID: bareNumber(id), Type: r.topic.Noun, Sure: true, Row: true, Label: rows.label(cells)}
	if vocabulary.FileNouns.Has(m.Type) {
		m.Type = r.pathType(id)
	}
	if len(m.Label) == 0 && rank <= rankWord { // a name that describes itself
		m.Label = id
	}
	r.emit(m)
	l := r.newLine(line)
	l.led, l.subject, l.item = true, m.Label, min(len(line), 1)
	for i, cell := range cells {
		if i != rows.id && i != rows.name {
			at := offset(line, cell)
			l.text = line[:at+len(cell)]
			r.readWordsFrom(&l, at)
		}
	}
	return true
}

// isRowID reports whether a cell in the column of the identifiers is one although it
// does not look like it: Makefile, module.web["a"].
func (r *reader) isRowID(cell []byte) bool {
	if len(cell) > maxLoose || !hasLetter(cell) || bytes.ContainsAny(cell, " '`|<>{}") {
		return false
	}
	return vocabulary.FileNouns.Has(r.topic.Noun) || 'a' <= cell[0] && cell[0] <= 'z'
}

// sample examines the columns of the first lines, and reports whether they may be rows, rather than
// items or the entries of a directory.
func (t *rows) sample(text []byte) bool {
	var sampled [][]byte
	tabs, bars, listed := 0, 0, 0
	for line := range bytes.Lines(text) {
		if line = t.trim(line); len(line) == 0 {
			continue
		}
		tabs += min(1, bytes.Count(line, []byte("\t")))
		bars += min(1, bytes.Count(line, []byte("|")))
		t.spaced = t.spaced || bytes.Contains(line, []byte(" |"))
		if len(trimBullet(line)) < len(line) || IsListed(line) {
			listed++
		}
		if sampled = append(sampled, line); len(sampled) == sampleRows {
			break
		}
	}
	switch {
	case 2*tabs > len(sampled):
		t.mark = "\t"
	case 5*bars >= 4*len(sampled):
		t.mark = "|"
	}
	var space [maxColumns][]byte
	for _, line := range sampled {
		for i, cell := range t.split(line, space[:0]) {
			t.columns[i].add(cell)
		}
	}
	t.lines = len(sampled)
	return 2*listed <= t.lines
}

// add counts a cell.
func (c *column) add(cell []byte) {
	if len(cell) == 0 {
		return
	}
	c.cells++
	if rank := rankOf(cell); rank > rankNone {
		c.ids++
		c.rank += rank
	}
	if isNameCell(cell) {
		c.names++
	}
	if bytes.IndexByte(cell, ' ') > 0 {
		c.phrases++
	}
	if c.distinct == nil {
		c.distinct = map[string]struct{}{}
	}
	c.distinct[string(cell)] = struct{}{}
}

// tellsApart reports whether at least so many tenths of the cells of a column are distinct.
func (c *column) tellsApart(tenths int) bool { return 10*len(c.distinct) >= tenths*c.cells }

// choose finds the columns of the identifiers and of the names and reports whether
// there are identifiers. A text that is known to be a list may have fewer and plainer ones.
func (t *rows) choose(known bool) bool {
	least := rankWord
	switch {
	case known:
	case t.lines < 2:
		return false
	case t.mark == "\t":
		least = rankNumber
	default:
		least = rankJoined - 1
	}
	best := 0
	for i := range t.columns {
		c := &t.columns[i]
		if c.ids == 0 || 3*c.ids < 2*t.lines || !c.tellsApart(9) || c.rank < least*c.ids || i > 0 && t.spaced {
			continue
		}
		rank := c.rank / c.ids
		if i == 0 {
			rank += rankFirst
		}
		if rank > best {
			best, t.id = rank, i
		}
	}
	if t.id < 0 {
		return false
	}
	most := -1
	for i := range t.columns {
		if c := &t.columns[i]; i != t.id && 2*c.names > t.lines && c.tellsApart(8) && c.phrases > most && (i > t.id || c.phrases > 0) {
			most, t.name = c.phrases, i
		}
	}
	return true
}

// label returns the name of a row, or its descriptive cells.
func (t *rows) label(cells [][]byte) []byte {
	if t.name >= 0 && t.name < len(cells) && isNameCell(cells[t.name]) {
		return nameText(cells[t.name][:min(len(cells[t.name]), maxName)])
	}
	const enough = 2
	var facts [][]byte
	for k := 1; k < len(cells) && len(facts) < enough; k++ {
		i := (t.id + k) % len(cells)
		cell := cells[i]
		isFixed := t.lines > 1 && len(t.columns[i].distinct) == 1 // the same in all rows
		isBlank := !hasLetter(cell) && !shape.HasDigit(cell) || shape.IsNoValue(bytes.Trim(cell, "<>"))
		if !isFixed && !isBlank && len(cell) <= maxSubject && rankOf(cell) < rankJoined && !shape.IsDateOrTime(cell) {
			facts = append(facts, cell)
		}
	}
	return bytes.Join(facts, []byte(", "))
}

// trim strips white space and the bars around a row. Lines drawn between
// rows, "+-----+", and column titles such as Tables_in_shop become empty.
func (t *rows) trim(line []byte) []byte {
	line = bytes.TrimLeft(bytes.TrimRight(line, " \r\n|"), "| ")
	isTitle := isCapitalised(line) && !bytes.ContainsAny(line, " \t") && strings.HasPrefix(strings.ToLower(string(line)), t.noun)
	if isTitle || len(bytes.Trim(line, "-+=")) == 0 {
		return nil
	}
	return line
}

// split appends the cells of a line to others.
func (t *rows) split(line []byte, cells [][]byte) [][]byte {
	for len(cells) < maxColumns && len(line) > 0 {
		var cell []byte
		cell, line, _ = bytes.Cut(line, []byte(t.mark))
		if cells = append(cells, bytes.TrimSpace(cell)); t.mark == gap {
			line = bytes.TrimLeft(line, " \t")
		}
	}
	return cells
}

// rankOf rates a cell as an identifier.
func rankOf(cell []byte) int {
	if len(cell) == 0 || len(cell) > maxLoose || cell[len(cell)-1] == ':' || !utf8.Valid(cell) {
		return rankNone
	}
	switch s := shape.Of(cell); {
	case (cell[0] == '/' || bytes.HasPrefix(cell, []byte("./"))) && isPath(cell) && !bytes.Contains(cell, []byte(": ")): // with spaces
		return rankPath
	case bytes.ContainsAny(cell, " ,;\"'`{}()<>|=\\"):
		return rankNone
	case shape.IsDigits(cell) && len(cell) < 7, isVersion(cell) && cell[0] == 'v':
		return rankNumber
	case shape.IsDigits(cell):
		return rankJoined
	case isPath(cell):
		return rankPath
	case s >= shape.LikelyID:
		return rankCoded
	case s == shape.NotID || isStateCell(cell) || isFact(cell) || !hasLetter(cell):
		return rankNone
	case bytes.ContainsAny(cell[1:], "-_/.:@") || shape.HasDigit(cell):
		return rankJoined
	case cell[0] >= 'a' && cell[0] <= 'z' && len(cell) > 1:
		return rankWord
	}
	return rankNone
}

// isNameCell reports whether a cell may be the name of its row: words, but not a state, a date
// or a figure.
func isNameCell(cell []byte) bool {
	return hasLetter(cell) && !bytes.Equal(cell, bytes.ToUpper(cell)) && !isStateCell(cell) && !isFact(cell) && rankOf(cell) < rankPath
}

// hasLetter reports whether a text has a letter.
func hasLetter(text []byte) bool { return bytes.ContainsFunc(text, unicode.IsLetter) }
