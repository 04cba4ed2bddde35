package document

import "bytes"

// space skips white space and comments. It reports false at the end of the text.
func (p *pythonReader) space() bool {
	for p.pos < len(p.text) {
		rest := p.text[p.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.pos++
		case c == '#', bytes.HasPrefix(rest, []byte("//")):
			p.past("\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			p.past("*/")
		default:
			return true
		}
	}
	return false
}

// past moves behind the next occurrence of mark, or to the end.
func (p *pythonReader) past(mark string) {
	n := bytes.Index(p.text[p.pos:], []byte(mark))
	if n < 0 {
		p.pos = len(p.text)
		return
	}
	p.pos += n + len(mark)
}

// skip skips a value, looking only at strings and brackets. It ends before a comma, a
// closing bracket or one of the bytes in ends.
func (p *pythonReader) skip(ends string) error {
	start, depth := p.pos, 0
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; c {
		case '"', '\'':
			if _, err := p.quoted(); err != nil {
				return err
			}
			continue
		case '{', '[', '(':
			depth++
		case '}', ']', ')', ',':
			if depth == 0 {
				return p.skipped(start)
			}
			if c != ',' {
				depth--
			}
		case '<':
			if p.pos == start {
				p.pos += max(angles(p.text[p.pos:]), 1)
				continue
			}
		case '#', '/':
			at := p.pos
			if p.space(); p.pos > at {
				continue
			}
		default:
			if depth == 0 && bytes.IndexByte([]byte(ends), c) >= 0 {
				return p.skipped(start)
			}
		}
		p.pos++
	}
	if p.end == 0 && depth == 0 {
		return p.skipped(start)
	}
	return ErrTruncated
}

// skipped rejects an empty value.
func (p *pythonReader) skipped(start int) error {
	if p.pos == start {
		return p.syntax()
	}
	return nil
}

// pass moves behind the bracket that closes the innermost open one.
func (p *pythonReader) pass(end byte) error {
	for {
		if !p.space() {
			return ErrTruncated
		}
		switch p.text[p.pos] {
		case end:
			p.pos++
			return nil
		case ',', ':', '=':
			p.pos++
		default:
			if err := p.skip(""); err != nil {
				return err
			}
		}
	}
}

// atQuote reports whether a quote follows.
func (p *pythonReader) atQuote() bool { return p.text[p.pos] == '"' || p.text[p.pos] == '\'' }

func (p *pythonReader) syntax() error {
	return &SyntaxError{Format: FormatPython, Offset: int64(p.pos)}
}

// quoted consumes a string with one or three quotes and returns its source text.
func (p *pythonReader) quoted() ([]byte, error) {
	quote := p.text[p.pos : p.pos+1]
	if rest := p.text[p.pos:]; len(rest) >= 3 && rest[1] == quote[0] && rest[2] == quote[0] {
		quote = rest[:3]
	}
	p.pos += len(quote)
	for i := p.pos; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '\\':
			i++
		case c == quote[0] && bytes.HasPrefix(p.text[i:], quote):
			text := p.text[p.pos:i]
			p.pos = i + len(quote)
			return text, nil
		}
	}
	p.pos = len(p.text)
	return nil, ErrTruncated
}

// angles returns the length of a repr such as <Status.OPEN: 'open'> at the start of
// text. It returns 0 if the repr does not end on the line and within 1 KiB.
func angles(text []byte) int {
	const bound = 1 << 10
	if len(text) == 0 || text[0] != '<' {
		return 0
	}
	depth := 0
	for i, c := range text[:min(len(text), bound)] {
		switch c {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i + 1
			}
		case '\n':
			return 0
		}
	}
	return 0
}
