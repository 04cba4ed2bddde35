package excerpt

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

// maxLineBytes is the length of the longest line that is not split.
const maxLineBytes = 4 << 10

// lines splits a text, which is written to it, into lines. Longer ones are split at a rune.
type lines struct {
	max     int
	give    func(line []byte, part bool) // part: it continues the line before
	n       int                          // lines given
	part    bool
	pending []byte
}

// lineBytes returns the length of the longest line that is not split on pages of maxBytes.
func lineBytes(maxBytes int) int { return max(utf8.UTFMax, min(maxLineBytes, maxBytes/4)) }

func (l *lines) write(text []byte) {
	for len(text) > 0 {
		end := bytes.IndexByte(text[:min(len(text), l.max+1)], '\n')
		if len(l.pending) == 0 && end >= 0 {
			l.end(text[:end], false)
			text = text[end+1:]
			continue
		}
		n := min(len(text), l.max+1-len(l.pending))
		if end >= 0 && end < n {
			l.pending = append(l.pending, text[:end]...)
			text = text[end+1:]
			l.end(l.pending, false)
			l.pending = l.pending[:0]
			continue
		}
		l.pending = append(l.pending, text[:n]...)
		text = text[n:]
		if len(l.pending) > l.max {
			l.split()
		}
	}
}

// split gives as much of a long line as is allowed.
func (l *lines) split() {
	n := l.max
	for n > l.max-utf8.UTFMax+1 && !utf8.RuneStart(l.pending[n]) {
		n--
	}
	l.end(l.pending[:n], true)
	l.pending = append(l.pending[:0], l.pending[n:]...)
}

// close gives the last line, which no line break ends.
func (l *lines) close() {
	if len(l.pending) > 0 {
		l.end(l.pending, false)
		l.pending = l.pending[:0]
	}
}

// end gives a line, or a part of one that more is to follow.
func (l *lines) end(line []byte, more bool) {
	l.n++
	if !more {
		line = bytes.TrimSuffix(line, []byte("\r"))
	}
	if l.give != nil {
		l.give(line, l.part)
	}
	l.part = more
}

// readLines reads the lines of a text.
func readLines(src *bufio.Reader, p *page) error {
	p.byDefault(DefaultLines)
	l := pageLines(p)
	if err := writeAll(src, l); err != nil {
		return err
	}
	return p.finish("lines", "", p.seen)
}

// pageLines returns lines that are written to a page.
func pageLines(p *page) *lines {
	return &lines{max: lineBytes(p.maxBytes), give: func(line []byte, part bool) {
		if p.next() {
			start := len(p.out)
			p.out = appendLine(p.out, p.seen, line, part)
			p.end(start)
		}
	}}
}

// appendLine appends a line with its number.
func appendLine(dst []byte, n int, line []byte, part bool) []byte {
	dst = strconv.AppendInt(dst, int64(n), 10)
	if part {
		return append(append(dst, "+ "...), line...)
	}
	return append(append(dst, ": "...), line...)
}

// writeAll writes what is left of a text to lines.
func writeAll(src *bufio.Reader, l *lines) error {
	for {
		text, err := window(src)
		if errors.Is(err, io.EOF) {
			l.close()
			return nil
		} else if err != nil {
			return err
		}
		l.write(text)
		_, _ = src.Discard(len(text))
	}
}
