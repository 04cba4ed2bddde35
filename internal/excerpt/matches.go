package excerpt

import (
	"bufio"
	"bytes"
	"math/bits"
)

// besideBytes is how much is shown of the lines around a match.
const besideBytes = 256

// lineMatches finds the lines of a text that hold words.
type lineMatches struct {
	matcher
	ranking
	n      int
	before []byte // the line before, as it is shown
	last   *match // the line before, if it is a match
}

// readMatches searches a text that is not JSON.
func readMatches(src *bufio.Reader, words []word, p *page) error {
	m := &lineMatches{matcher: matcher{words: words}, ranking: p.ranking()}
	if err := writeAll(src, &lines{max: lineBytes(p.maxBytes), give: m.line}); err != nil {
		return err
	}
	return m.ranking.write(p)
}

// line searches a line.
func (m *lineMatches) line(line []byte, part bool) {
	m.n++
	m.matcher.reset()
	m.matcher.write(line)
	m.matcher.end()
	if m.last != nil {
		m.last.tail = append([]byte("\n"), beside(nil, m.n, line, part)...)
		m.last = nil
	}
	if words := bits.OnesCount64(m.found); words > 0 {
		m.ranking.seen++
		if m.ranking.wants(words) {
			m.last = &match{words: words, text: appendLine([]byte("> "), m.n, line, part)}
			if m.n > 1 {
				m.last.head = append(bytes.Clone(m.before), '\n')
			}
			m.ranking.add(m.last)
		}
	}
	m.before = beside(m.before[:0], m.n, line, part)
}

// beside appends a line as it is shown before or after a match.
func beside(dst []byte, n int, line []byte, part bool) []byte {
	shown := cutRunes(line, besideBytes)
	dst = appendLine(append(dst, "  "...), n, shown, part)
	if len(shown) < len(line) {
		dst = append(dst, "…"...)
	}
	return dst
}
