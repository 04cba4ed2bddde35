package prose

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
)

// rank rates a cell of a row as the identifier of its line.
type rank int

const (
	rankNone   rank = 0 // a name, a figure, a state
	rankWord   rank = 2 // main
	rankNumber rank = 3 // 431
	rankJoined rank = 5 // feature/digest
	rankPath   rank = 6 // go.mod
	rankCoded  rank = 8 // i-0e9b3a77
	rankFirst  rank = 3 // what the first column has before the others
)

// column is what the sampled cells of a column have in common.
type column struct {
	// filled are cells whose identifier fills the column, with the next cell behind one
	// space.
	cells, ranked, filled, spaced, lettered int
	rank                                    rank
	distinct                                map[string]struct{}
}

// add counts a cell.
func (c *column) add(cell []byte) {
	if len(cell) == 0 {
		return
	}
	c.cells++
	if k := rankOf(cell); k > rankNone {
		c.ranked++
		c.rank += k
	} else if word := firstWord(cell); len(word) < len(cell) && !isHash(word) && rankOf(word) >= rankJoined {
		c.filled++
		c.rank += rankOf(word)
	}
	if bytes.IndexByte(cell, ' ') > 0 {
		c.spaced++
	}
	if isNameCell(cell) {
		c.lettered++
	}
	if c.distinct == nil {
		c.distinct = map[string]struct{}{}
	}
	c.distinct[string(cell)] = struct{}{}
}

// rankOf rates a cell as an identifier.
func rankOf(cell []byte) rank {
	if isRootedPath(cell) {
		return rankPath
	}
	if len(cell) == 0 || len(cell) > maxLoose || bytes.ContainsAny(cell, " ,;\"'`{}()<>|=\\") || cell[len(cell)-1] == ':' || !utf8.Valid(cell) {
		return rankNone
	}
	s := shape.Of(cell)
	switch digits := shape.IsDigits(cell); {
	case digits && len(cell) < 7:
		return rankNumber
	case digits:
		return rankJoined
	case isPath(cell):
		return rankPath
	case s >= shape.LikelyID:
		return rankCoded
	case isVersion(cell) && cell[0] == 'v':
		return rankNumber
	case s == shape.NotID || isStateCell(cell) || isFact(cell) || !hasLetter(cell):
		return rankNone
	case bytes.ContainsAny(cell[1:], "-_/.:@") || shape.HasDigit(cell):
		return rankJoined
	case cell[0] >= 'a' && cell[0] <= 'z' && len(cell) > 1:
		return rankWord
	}
	return rankNone
}

// isNameCell reports whether a cell may be the name of its row: words, but no state, date
// or figure.
func isNameCell(cell []byte) bool {
	return hasLetter(cell) && !bytes.Equal(cell, bytes.ToUpper(cell)) && !isStateCell(cell) && !shape.IsDateOrTime(cell) &&
		!isFact(cell) && !isPath(cell) && rankOf(cell) < rankCoded
}

// hasLetter reports whether a text has a letter.
func hasLetter(text []byte) bool {
	return bytes.ContainsFunc(text, unicode.IsLetter)
}

// split appends the cells of a line to others.
func (t *rowReader) split(line []byte, cells [][]byte) [][]byte {
	for len(cells) < maxColumns && len(line) > 0 {
		end := t.cellEnd(line)
		cells = append(cells, bytes.TrimSpace(line[:end]))
		if line = line[end:]; t.mark == 0 {
			line = bytes.TrimLeft(line, " \t")
		} else if len(line) > 0 {
			line = line[1:]
		}
	}
	return cells
}

// cellEnd returns the length of the first cell of a line: up to the mark, or a gap.
func (t *rowReader) cellEnd(line []byte) int {
	for i, c := range line {
		if c == t.mark || t.mark == 0 && (c == '\t' || bytes.HasPrefix(line[i:], []byte("  "))) {
			return i
		}
	}
	return len(line)
}
