package document

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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

// word writes a number, a name such as None, a prefixed string or a call.
func (p *pythonReader) word() error {
	start := p.pos
	for p.pos < len(p.text) && (isWord(p.text[p.pos]) || bytes.IndexByte([]byte("+-."), p.text[p.pos]) >= 0) {
		p.pos++
	}
	word := p.text[start:p.pos]
	if p.pos == len(p.text) && p.end != 0 {
		return ErrTruncated // the word may continue
	}
	if p.pos < len(p.text) && len(word) > 0 {
		letters, ok := stringPrefix(word)
		switch {
		case p.atQuote() && ok:
			return p.strings(letters)
		case p.text[p.pos] == '(':
			return p.call(start)
		}
	}
	switch string(word) {
	case "True", "true":
		p.out = append(p.out, "true"...)
	case "False", "false":
		p.out = append(p.out, "false"...)
	case "None", "null", "undefined", "nan", "NaN", "-nan", "inf", "-inf", "Infinity", "-Infinity", "Ellipsis":
		p.out = append(p.out, "null"...)
	default:
		return p.literal(start, word)
	}
	return nil
}

// literal writes a number: as a number if JSON has it too, else as a string (0x1f, 1_000,
// 2024-01-31). Other words are an error, but in angle brackets, where reprs show strings
// without quotes, a string to the next space: <Order state=open>.
func (p *pythonReader) literal(start int, word []byte) error {
	digits := bytes.TrimLeft(word, "+-.")
	if p.end == '>' {
		p.pos = start
		if err := p.skip(" \t\r\n>"); err != nil {
			return err
		}
		word = p.text[start:p.pos]
	} else if len(digits) == 0 || !isDigit(digits[0]) {
		p.pos = start
		return p.syntax()
	}
	if number, _ := isNumber(word); number {
		p.out = append(append(p.out, word...), ' ') // its end, should the output end here
	} else {
		p.quote(word)
	}
	return nil
}

// strings writes a string and the adjacent ones, into which pprint breaks long
// strings.
func (p *pythonReader) strings(letters prefix) error {
	text, err := p.str(letters)
	if err != nil {
		return err
	}
	joined := false
	for p.space() && p.atQuote() {
		if !joined {
			text, joined = bytes.Clone(text), true
		}
		more, err := p.str(letters)
		if err != nil {
			return err
		}
		text = append(text, more...)
	}
	p.quote(text)
	return nil
}

// str reads a string at its quote. The text is valid until the next call.
func (p *pythonReader) str(letters prefix) ([]byte, error) {
	text, err := p.quoted()
	if err != nil || letters.raw || bytes.IndexByte(text, '\\') < 0 {
		return text, err
	}
	p.buf = p.buf[:0]
	for {
		n := bytes.IndexByte(text, '\\')
		if n < 0 || n+1 == len(text) {
			p.buf = append(p.buf, text...)
			return p.buf, nil
		}
		p.buf = append(p.buf, text[:n]...)
		text = p.escape(text[n:], letters)
	}
}

// escape appends the value of an escape and returns the text after it. Unknown
// escapes stay as they are.
func (p *pythonReader) escape(text []byte, letters prefix) []byte {
	const longest = len(`\U0001F600`)
	switch c := text[1]; c {
	case '\n':
		return text[2:]
	case '\'', '"', '/':
		p.buf = append(p.buf, c)
		return text[2:]
	}
	head := string(text[:min(len(text), longest)])
	r, multibyte, tail, err := strconv.UnquoteChar(head, 0)
	if err == nil {
		if letters.bytes && !multibyte {
			p.buf = append(p.buf, byte(r))
		} else {
			p.buf = utf8.AppendRune(p.buf, r)
		}
		return text[len(head)-len(tail):]
	}
	const pair = len(`\ud83d\ude00`) // as JSON writes what does not fit into four digits
	if len(text) >= pair {
		if out, err := jsontext.AppendUnquote(p.buf, `"`+string(text[:pair])+`"`); err == nil && text[1] == 'u' && text[6] == '\\' {
			p.buf = out
			return text[pair:]
		}
	}
	p.buf = append(p.buf, text[:2]...)
	return text[2:]
}
