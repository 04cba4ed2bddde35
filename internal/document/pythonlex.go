package document

import "bytes"

// space passes over white space and comments. False means that nothing is left.
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

// past goes behind the next mark, or to the end.
func (p *pythonReader) past(mark string) {
	n := bytes.Index(p.text[p.pos:], []byte(mark))
	if n < 0 {
		p.pos = len(p.text)
		return
	}
	p.pos += n + len(mark)
}

// skip passes over a value without looking at more than strings and brackets.
// It ends before a comma, a closing bracket or one of the further bytes in ends.
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
			if at := p.pos; p.space() && p.pos > at {
				continue
			}
		default:
			if depth == 0 && bytes.IndexByte([]byte(ends), c) >= 0 {
				return p.skipped(start)
			}
		}
		p.pos++
	}
	if len(p.open) == 0 && depth == 0 {
		return p.skipped(start)
	}
	return ErrTruncated
}

// skipped refuses a value of no length.
func (p *pythonReader) skipped(start int) error {
	if p.pos == start {
		return p.syntax()
	}
	return nil
}

// pass goes behind the bracket that closes the innermost open one.
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

func (p *pythonReader) syntax() error {
	return &SyntaxError{Format: FormatPython, Offset: int64(p.pos)}
}

// quoted passes over a string, of one quote or three, and gives what is inside
// as it stands.
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

// angles is the length of a repr such as <Status.OPEN: 'open'> at the start of
// text; 0 if there is none that ends on the line and within 1 KiB.
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
