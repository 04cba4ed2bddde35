package document

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// prefix is the meaning of the letters before a Python string.
type prefix struct{ raw, bytes bool }

// stringPrefix parses the letters before a quote.
func stringPrefix(letters []byte) (prefix, bool) {
	var p prefix
	for _, c := range letters {
		switch c {
		case 'b', 'B':
			p.bytes = true
		case 'r', 'R':
			p.raw = true
		case 'u', 'U', 'f', 'F':
		default:
			return p, false
		}
	}
	return p, 0 < len(letters) && len(letters) <= 2
}

// word delivers a number, a name such as None, a prefixed string or a call.
func (p *pythonReader) word() error {
	start := p.pos
	for p.pos < len(p.text) && (isWord(p.text[p.pos]) || bytes.IndexByte([]byte("+-."), p.text[p.pos]) >= 0) {
		p.pos++
	}
	word := p.text[start:p.pos]
	if p.pos == len(p.text) && p.depth > 0 && p.innermost().end != 0 {
		return ErrTruncated // the word may continue
	}
	if p.pos < len(p.text) && len(word) > 0 {
		switch p.text[p.pos] {
		case '"', '\'':
			if letters, ok := stringPrefix(word); ok {
				return p.strings(letters)
			}
		case '(':
			return p.call(start)
		}
	}
	switch string(word) {
	case "True", "true":
		p.scalar(Bool, []byte("true"))
	case "False", "false":
		p.scalar(Bool, []byte("false"))
	case "None", "null", "undefined", "nan", "NaN", "-nan", "inf", "-inf", "Infinity", "-Infinity", "Ellipsis":
		p.scalar(Null, word)
	default:
		if p.innermost().end == '>' {
			return p.bare(start)
		}
		return p.numeral(start, word)
	}
	return nil
}

// innermost returns the innermost open bracket.
func (p *pythonReader) innermost() bracket {
	if len(p.open) == 0 {
		return bracket{end: ')'}
	}
	return p.open[len(p.open)-1]
}

// bare delivers the word at start, to the next space, as reprs in angle brackets show
// strings: <Order state=open>.
func (p *pythonReader) bare(start int) error {
	p.pos = start
	if err := p.skip(" \t\r\n>"); err != nil {
		return err
	}
	text, kind := p.text[start:p.pos], String
	if number, _ := isNumber(text); number {
		kind = Number
	}
	p.scalar(kind, valid(text))
	return nil
}

// numeral delivers a number: as a number if JSON has it too, else as a string (0x1f,
// 1_000, 2024-01-31). Other words are an error.
func (p *pythonReader) numeral(start int, word []byte) error {
	digits := bytes.TrimLeft(word, "+-.")
	if len(digits) == 0 || !isDigit(digits[0]) {
		p.pos = start
		return p.syntax()
	}
	kind := String
	if number, _ := isNumber(word); number {
		kind = Number
	}
	p.scalar(kind, valid(word))
	return nil
}

// call delivers the value of a call; p.pos is at its parenthesis.
func (p *pythonReader) call(start int) error {
	paren := p.pos
	p.pos++
	if !p.space() {
		return ErrTruncated
	}
	if end := angles(p.text[p.pos:]); end > 0 { // defaultdict(<class 'list'>, {…})
		p.pos += end
		if p.space() && p.text[p.pos] == ',' {
			p.pos++
			p.space()
		}
	}
	switch {
	case p.pos == len(p.text):
		return ErrTruncated
	case p.namedArgument():
		p.pos = paren
		return p.push(bracket{end: ')', assign: '='})
	case bytes.IndexByte([]byte("{[("), p.text[p.pos]) >= 0 && len(p.open) < 2*p.lim.Depth:
		p.open = append(p.open, bracket{end: ')', silent: true})
		return p.read()
	case p.text[p.pos] == '"' || p.text[p.pos] == '\'':
		if text, err := p.str(prefix{}); err == nil && p.space() && p.text[p.pos] == ')' {
			p.pos++
			p.scalar(String, valid(text))
			return nil
		}
	}
	p.pos = paren
	if err := p.skip(",:="); err != nil {
		return err
	}
	p.scalar(String, valid(bytes.TrimSpace(p.text[start:p.pos])))
	return nil
}

// namedArgument reports whether "name=" follows.
func (p *pythonReader) namedArgument() bool {
	rest := p.text[p.pos:]
	name := bytes.TrimLeftFunc(rest, func(r rune) bool { return r == '_' || r >= utf8.RuneSelf || isWord(byte(r)) })
	return len(name) < len(rest) && len(name) > 0 && name[0] == '='
}

func (p *pythonReader) reprInAngles() error {
	n := angles(p.text[p.pos:])
	if n == 0 {
		return p.syntax()
	}
	if fields := p.fieldsInAngles(n); fields > 0 {
		skipped := !p.object()
		if skipped {
			p.pos += n
			return nil
		}
		p.pos += fields
		p.open = append(p.open, bracket{end: '>', assign: '=', spaced: true})
		return nil
	}
	p.scalar(String, valid(p.text[p.pos:p.pos+n]))
	p.pos += n
	return nil
}

// fieldsInAngles returns the offset of the fields in a repr of n bytes, <Order id=1
// state='open'>, or 0 if the repr is anything else.
func (p *pythonReader) fieldsInAngles(n int) int {
	head := wordEnd(p.text[p.pos+1 : p.pos+n])
	if head >= n-1 || p.text[p.pos+1+head] != ' ' {
		return 0
	}
	inner := pythonReader{emitter: p.emitter, text: p.text[:p.pos+n-1], pos: p.pos + 1 + head}
	for inner.space() {
		if !inner.namedArgument() || inner.skip("=") != nil {
			return 0
		}
		if inner.pos++; inner.skip(" \t") != nil {
			return 0
		}
	}
	return 1 + head
}

// strings delivers a string and the adjacent ones, into which pprint breaks long
// strings.
func (p *pythonReader) strings(letters prefix) error {
	text, err := p.str(letters)
	if err != nil {
		return err
	}
	joined := false
	for p.space() && (p.text[p.pos] == '"' || p.text[p.pos] == '\'') {
		if !joined {
			text, joined = bytes.Clone(text), true
		}
		more, err := p.str(letters)
		if err != nil {
			return err
		}
		text = append(text, more...)
	}
	p.scalar(String, valid(text))
	return nil
}

// str reads a string at its quote. The text is valid until the next call.
func (p *pythonReader) str(letters prefix) ([]byte, error) {
	text, err := p.quoted()
	if err != nil || letters.raw || bytes.IndexByte(text, '\\') < 0 {
		return text, err
	}
	p.buf = p.buf[:0]
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\\')
		if n < 0 || n+1 == len(text) {
			p.buf = append(p.buf, text...)
			break
		}
		p.buf = append(p.buf, text[:n]...)
		text = p.escape(text[n+1:], letters)
	}
	return p.buf, nil
}

// escapes are the one-letter escapes.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v'}

// escape appends the value of an escape and returns the text after it. Unknown
// escapes stay as they are.
func (p *pythonReader) escape(text []byte, letters prefix) []byte {
	c, rest := text[0], text[1:]
	switch {
	case c == '\n':
	case c == '\\' || c == '\'' || c == '"' || c == '/':
		p.buf = append(p.buf, c)
	case escapes[c] != 0:
		p.buf = append(p.buf, escapes[c])
	case c == 'x' || c == 'u' || c == 'U':
		digits := hexDigits(c)
		r, ok := hex(rest, digits)
		if !ok {
			p.buf = append(p.buf, '\\', c)
			break
		}
		rest = rest[digits:]
		if letters.bytes {
			p.buf = append(p.buf, byte(r))
			break
		}
		if utf16.IsSurrogate(r) && bytes.HasPrefix(rest, []byte(`\u`)) {
			if low, ok := hex(rest[2:], 4); ok && utf16.IsSurrogate(low) {
				r, rest = utf16.DecodeRune(r, low), rest[6:]
			}
		}
		p.buf = utf8.AppendRune(p.buf, r)
	case '0' <= c && c <= '7':
		n := 1
		for n < len(text) && n < 3 && '0' <= text[n] && text[n] <= '7' {
			n++
		}
		octal, _ := strconv.ParseUint(string(text[:n]), 8, 16)
		p.buf, rest = utf8.AppendRune(p.buf, rune(octal)), text[n:]
	default:
		p.buf = append(p.buf, '\\', c)
	}
	return rest
}

// hexDigits returns the number of digits after \x, \u and \U.
func hexDigits(c byte) int {
	switch c {
	case 'x':
		return 2
	case 'u':
		return 4
	default:
		return 8
	}
}

// hex reads n hexadecimal digits.
func hex(text []byte, n int) (rune, bool) {
	if len(text) < n {
		return 0, false
	}
	v, err := strconv.ParseUint(string(text[:n]), 16, 32)
	return rune(v), err == nil
}
