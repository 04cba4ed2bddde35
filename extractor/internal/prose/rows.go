package prose

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

const (
	// sampleRows is the number of lines that decide what the columns of a list are.
	sampleRows = 128
	// maxColumns is the number of cells read of a row.
	maxColumns = 12
)

// rowReader is the state of reading the rows of a list.
type rowReader struct {
	noun string
	// mark separates the cells; 0 stands for a gap of two spaces or a tab.
	mark    byte
	columns [maxColumns]column
	// width is the number of cells of most lines.
	width int
	lines int
	// spaced is set if there are spaces around the bars, as in a list of keys and values.
	spaced bool
	// id and name are the columns of the identifiers and of their names, or -1.
	id, name int
}

// readRows reads what a command lists without a header: a line for each thing, cells
// separated by tabs, bars or two spaces. It reports whether the text is such a list. One that is
// known to be may have fewer and plainer identifiers.
func (r *reader) readRows(text []byte, known bool) bool {
	if _, _, isResource := kindAndName(firstWord(text)); isResource || r.topic.Noun == "" || r.topic.Field {
		return false
	}
	_, below, _ := bytes.Cut(text, []byte("\n"))
	if line, body, _ := bytes.Cut(below, []byte("\n")); len(line) > 2 && len(bytes.Trim(line, "-=\r")) == 0 { // below the title of a column
		text = body
	}
	rows := rowReader{noun: r.topic.Noun, id: -1, name: -1}
	if !rows.sample(text) || !rows.choose(known) {
		return false
	}
	var space [maxColumns][]byte
	for line := range lines(text) {
		cells := rows.split(rows.trim(line), space[:0])
		if !r.readRow(&rows, line, cells) {
			r.readLine(line)
		}
		if r.stopped {
			return true
		}
	}
	return r.found > 0
}

// readRow yields the identifier of a row, named by its other cells, and reports whether
// the line is a row.
func (r *reader) readRow(rows *rowReader, line []byte, cells [][]byte) bool {
	if rows.id >= len(cells) {
		return false
	}
	id := lastCell(cells, rows.id)
	if path, position := cutPlace(id); path != nil && bytes.Count(position, []byte(":")) > 1 {
		return false
	}
	word := firstWord(id)
	if rankOf(id) == rankNone && len(word) < len(id) && rankOf(word) >= rankJoined && len(cells) < maxColumns { // it fills its column
		cells = append(cells, bytes.TrimSpace(id[len(word):]))
		id = word
	}
	if rankOf(id) == rankNone && !r.isRowID(id) {
		return false
	}
	m := Mention{ID: bareNumber(id), Type: r.topic.Noun, Sure: true, Row: true, Label: rows.label(cells)}
	if vocabulary.FileNouns.Has(m.Type) {
		m.Type = r.pathType(id)
	}
	if len(m.Label) == 0 && rankOf(id) <= rankWord { // a name that says what it is
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

// sample counts what is in the columns of the first lines and reports whether most of
// them have the same number of cells.
func (t *rowReader) sample(text []byte) bool {
	var sampled [][]byte
	tabs, bars, listed := 0, 0, 0
	for line := range lines(text) {
		if line = t.trim(line); len(line) == 0 {
			continue
		}
		tabs += min(1, bytes.Count(line, []byte("\t")))
		bars += min(1, bytes.Count(line, []byte("|")))
		t.spaced = t.spaced || bytes.Contains(line, []byte(" |"))
		if len(trimBullet(line)) < len(line) {
			listed++
		}
		if sampled = append(sampled, line); len(sampled) == sampleRows {
			break
		}
	}
	if t.lines = len(sampled); t.lines == 0 || 2*listed > t.lines {
		return false
	}
	switch most := (4*t.lines + 4) / 5; {
	case tabs >= most:
		t.mark = '\t'
	case bars >= most:
		t.mark = '|'
	}
	var space [maxColumns][]byte
	var widths [maxColumns + 1]int
	for _, line := range sampled {
		cells := t.split(line, space[:0])
		widths[len(cells)]++
		for i := range cells {
			t.columns[i].add(lastCell(cells, i))
		}
	}
	t.width = slices.Index(widths[:], slices.Max(widths[:]))
	return true
}

// choose finds the columns of the identifiers and of the names and reports whether
// there are identifiers.
func (t *rowReader) choose(known bool) bool {
	const part = 3 // in so many lines one may have none
	least := 2 * rankWord
	if known {
		least = rankWord
	} else if t.lines < 2 {
		return false
	} else if t.mark == '\t' && t.width > 2 {
		least = rankNumber
	}
	best := least - 1
	for i := range t.columns[:t.width] {
		c := &t.columns[i]
		if i > 0 && t.spaced {
			break
		}
		if i == 0 && t.width > 1 {
			c.ranked += c.filled
		}
		if part*c.ranked < (part-1)*t.lines || 10*len(c.distinct) < 9*c.cells {
			continue
		}
		mean := c.rank / rank(max(1, c.ranked))
		if i == 0 && c.rank > mean*rank(c.ranked) { // rounded up
			mean++
		}
		if i == 0 && mean >= least {
			mean += rankFirst
		}
		if mean > best {
			best, t.id = mean, i
		}
	}
	if t.id < 0 {
		return false
	}
	score := 0
	for i := range t.columns[:t.width] {
		c := &t.columns[i]
		if i == t.id || 2*c.lettered <= c.cells || 10*len(c.distinct) < 8*c.cells {
			continue
		}
		if n := 1 + 4*c.spaced/c.cells + 2*len(c.distinct)/c.cells; n > score && (c.spaced > 0 || i > t.id || c.rank == 0) {
			score, t.name = n, i
		}
	}
	return true
}

// label returns the name of a row, or the cells that say something about it.
func (t *rowReader) label(cells [][]byte) []byte {
	if t.name >= 0 && t.name < len(cells) {
		cell := cells[t.name]
		if name := rowName(cell[:min(len(cell), window+maxName)]); isNameCell(name) {
			return nameText(name[:min(len(name), maxName)])
		}
	}
	const enough = 2
	var facts [][]byte
	for k := 1; k < len(cells) && len(facts) < enough; k++ {
		i := (t.id + k) % len(cells)
		cell := cells[i]
		isFixed := t.lines > 1 && len(t.columns[i].distinct) == 1 // it tells nothing apart
		isBlank := !hasLetter(cell) && !shape.HasDigit(cell) || shape.IsNoValue(bytes.Trim(cell, "<>"))
		if !isFixed && !isBlank && len(cell) <= maxSubject && rankOf(cell) < rankJoined && !shape.IsDateOrTime(cell) {
			facts = append(facts, cell)
		}
	}
	return bytes.Join(facts, []byte(", "))
}

// rowName returns a cell without the identifiers and brackets in front: "8c01f7e
// [origin/main] Fix login", "(HEAD -> main) Fix login".
func rowName(cell []byte) []byte {
	word := firstWord(cell)
	switch end := bytes.IndexAny(cell, ")]"); {
	case len(word) == 0:
		return nil
	case (word[0] == '[' || word[0] == '(') && end > 0:
		return rowName(bytes.TrimSpace(cell[end+1:]))
	case isHash(word) && len(word) < len(cell):
		return rowName(bytes.TrimSpace(cell[len(word):]))
	}
	return cell
}

// lastCell returns a cell, the last one without the figures and dates in front of it:
// "2026-05-12 09:14 281 notes.txt".
func lastCell(cells [][]byte, i int) []byte {
	cell := cells[i]
	if i < len(cells)-1 {
		return cell
	}
	for rest := cell; ; {
		word := firstWord(rest)
		if len(word) == 0 || len(word) == len(rest) || !isFigure(word) && !isFact(word) {
			return rest
		}
		rest = bytes.TrimLeft(rest[len(word):], " ")
	}
}

// trim strips white space, the bars around a row, the mark of the current item, "* main", and
// the branches of a tree. Nothing is left of a line that is drawn between rows, "+-----+", and of
// the title of a column: Tables_in_shop.
func (t *rowReader) trim(line []byte) []byte {
	line = bytes.TrimRight(line, " \r\n|")
	for _, mark := range [...]string{"* ", "● ", "> "} {
		line = bytes.TrimPrefix(line, []byte(mark))
	}
	line = bytes.TrimLeft(line, "│├└─| ")
	isTitle := isCapitalised(line) && !bytes.ContainsAny(line, " \t") && strings.HasPrefix(strings.ToLower(string(line)), t.noun)
	if isTitle || len(bytes.Trim(line, "-+=")) == 0 {
		return nil
	}
	return line
}
