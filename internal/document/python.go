package document

import (
	"bytes"
	"math"
	"regexp"
	"strings"
)

// Python reads a Python literal as printed by repr and pprint: dicts, lists, tuples,
// sets, strings and calls. It also accepts JSON as people write it: unquoted keys, both
// kinds of quotes, trailing commas, comments. The fields of an object,
// "a=1 b='x'", are an object. Several values are delivered as one array.
//
// A call with named arguments, Order(id=1), is an object. Of a call whose last argument is a
// container, OrderedDict({…}), or whose only one is a string, UUID('…'), that argument is
// read. Any other call is a string with the first 256 bytes of its source text: datetime.date(2024, 1, 31).
func Python(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	p := pythonReader{text: e.input(text, math.MaxInt)}
	err := p.document()
	return e.rewritten(FormatPython, p.out, err)
}

// pythonReader rewrites Python literals as JSON, up to an error.
type pythonReader struct {
	jsonWriter
	text  []byte
	pos   int
	depth int // open containers
	calls int // open calls, in which a name is a value: Order(state=State.OPEN). Elsewhere, it is a key
}

// document rewrites the whole text.
func (p *pythonReader) document() error {
	if several(p.text) || p.space() && pythonField.Match(p.text[p.pos:]) {
		_, err := p.content(0)
		return err
	}
	err := p.value()
	if err == nil && p.space() {
		err = p.syntax()
	}
	return err
}

// value reads one value with its content.
func (p *pythonReader) value() error {
	if !p.space() {
		return ErrTruncated
	}
	switch p.text[p.pos] {
	case '{', '[', '(':
		_, err := p.container()
		return err
	case '<':
		repr := angled.Find(p.text[p.pos:min(len(p.text), p.pos+longestRepr)])
		if repr == nil {
			return p.syntax()
		}
		p.quote(repr)
		p.pos += len(repr)
		return nil
	case '"', '\'':
		return p.strings(false)
	}
	return p.word()
}

// container reads the container at a bracket. See content.
func (p *pythonReader) container() (last int, err error) {
	if p.depth == rewriteDepth {
		return 0, ErrDepth
	}
	p.depth++
	defer func() { p.depth-- }()
	const brackets = "{}[]()"
	end := brackets[strings.IndexByte(brackets, p.text[p.pos])+1]
	p.pos++
	return p.content(end)
}

// content reads the values of a container and its closing byte, which is 0 at the end of the
// text. It returns the offset of the last value in the output. The first value decides
// whether all have keys. A key after values without one, as in a call, is left out.
func (p *pythonReader) content(end byte) (last int, err error) {
	open, assign := len(p.out), byte('=')
	p.out, last = append(p.out, '['), open+1
	if end == '}' {
		p.out[open], assign = '{', ':'
	}
	for first := true; ; first = false {
		more, err := p.next(end, first)
		isObject := p.out[open] == '{'
		switch {
		case err != nil:
			return 0, err
		case !more, end == 0 && isObject && startsLine(p.text, p.pos) && !pythonField.Match(p.text[p.pos:]): // text below the fields
			p.out = append(p.out, p.out[open]+2) // in ASCII, the closing bracket
			return last, nil
		case !first:
			p.out = append(p.out, ',')
		}
		last = len(p.out)
		start := p.pos
		if err = p.value(); err != nil {
			return 0, err
		}
		source := p.text[start:p.pos]
		more = p.space()
		hasKey := more && p.text[p.pos] == assign && end != ']'
		if first && more {
			isObject = hasKey
			p.out[open] = '['
			if isObject {
				p.out[open] = '{'
			}
		}
		switch {
		case hasKey:
			p.assign(last, source, isObject)
			err = p.value()
		case isObject && !more:
			err = ErrTruncated
		case isObject:
			err = p.syntax()
		}
		if err != nil {
			return 0, err
		}
	}
}

// assign makes the last value in the output a key, or drops it.
func (p *pythonReader) assign(last int, source []byte, isObject bool) {
	p.pos++
	if !isObject {
		p.out = p.out[:last]
		return
	}
	if p.out[last] != '"' {
		p.out = p.out[:last]
		p.source(source)
	}
	p.out = append(p.out, ':')
}

// next moves to the next value of a container. more is false at its end. Commas between the
// values of a text are optional.
func (p *pythonReader) next(end byte, first bool) (more bool, err error) {
	more = p.space()
	if more && !first {
		if p.text[p.pos] == ',' {
			p.pos++
			more = p.space()
		} else if end != 0 && p.text[p.pos] != end {
			return false, p.syntax()
		}
	}
	switch {
	case !more && end != 0:
		return false, ErrTruncated
	case more && p.text[p.pos] == end:
		p.pos++
		return false, nil
	}
	return more, nil
}

// call reads a call; p.pos is at its parenthesis.
func (p *pythonReader) call(start int) error {
	open := len(p.out)
	paren := p.pos
	p.calls++
	last, err := p.container()
	p.calls--
	args := p.out[open:]
	switch {
	case len(args) > 0 && args[0] == '{':
		return err
	case err == nil && (p.out[last] == '{' || p.out[last] == '[' || last == open+1 && isQuote(p.text[paren+1])):
		copy(args[:last-open], bytes.Repeat([]byte(" "), last-open))
		args[len(args)-1] = ' '
		return nil
	}
	p.out = p.out[:open]
	if err == nil {
		p.source(p.text[start:p.pos])
	}
	return err
}

// source writes the beginning of a source text as a string.
func (p *pythonReader) source(text []byte) {
	const longest = 256 // so that nested calls do not take quadratic time
	p.quote(text[:min(len(text), longest)])
}

// word writes a number, a name such as None, a prefixed string or a call. NaN and
// infinities become null, and other words that are no numbers of JSON strings: 0x1f, 1_000, 2024-01-31.
func (p *pythonReader) word() error {
	start := p.pos
	for p.pos < len(p.text) && (isWord(p.text[p.pos]) || bytes.IndexByte([]byte("+-."), p.text[p.pos]) >= 0) {
		p.pos++
	}
	word := p.text[start:p.pos]
	switch {
	case len(word) == 0:
		return p.syntax()
	case p.pos == len(p.text):
		if p.depth > 0 {
			return ErrTruncated // the word may continue
		}
	case p.text[p.pos] == '(':
		return p.call(start)
	case isQuote(p.text[p.pos]) && len(word) <= 2 && len(bytes.Trim(word, "bBfFrRuU")) == 0:
		return p.strings(bytes.ContainsAny(word, "rR"))
	}
	switch string(word) {
	case "True", "true":
		p.out = append(p.out, "true"...)
	case "False", "false":
		p.out = append(p.out, "false"...)
	case "None", "null", "undefined", "nan", "NaN", "-nan", "inf", "-inf", "Infinity", "-Infinity", "Ellipsis":
		p.out = append(p.out, "null"...)
	default:
		if number, _ := isNumber(word); number {
			p.out = append(append(p.out, word...), ' ') // its end, should the output end here
			return nil
		}
		p.quote(word)
		digits := bytes.TrimLeft(word, "+-.")
		isName := len(digits) == 0 || !isDigit(digits[0])
		if isName && p.calls == 0 && !(p.space() && startsWith(p.text[p.pos:], ":=")) {
			return p.syntax()
		}
	}
	return nil
}

// strings writes a string, in one or three quotes, and the adjacent ones, into which pprint breaks
// long strings.
func (p *pythonReader) strings(raw bool) error {
	p.out = append(p.out, '"')
	for more := true; more; more = p.space() && isQuote(p.text[p.pos]) {
		rest := p.text[p.pos:]
		quote := rest[:1]
		if len(rest) >= 3 && rest[1] == rest[0] && rest[2] == rest[0] {
			quote = rest[:3]
		}
		for rest = rest[len(quote):]; !bytes.HasPrefix(rest, quote); {
			n := bytes.IndexAny(rest, `\`+string(quote[:1]))
			if n < 0 || n+1 == len(rest) && rest[n] == '\\' {
				p.pos = len(p.text)
				return ErrTruncated
			}
			p.extend(rest[:n])
			switch rest = rest[n:]; {
			case rest[0] == '\\':
				rest = rest[p.escape(rest, raw):]
			case !bytes.HasPrefix(rest, quote):
				p.extend(rest[:1])
				rest = rest[1:]
			}
		}
		p.pos = len(p.text) - len(rest) + len(quote)
	}
	p.out = append(p.out, '"')
	return nil
}

// escape matches the escapes that Python has in common with JSON.
var escape = regexp.MustCompile(`^\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|["'\\/bfnrt\n])`)

// escape writes the escape at the beginning of a text, and returns its length in the text. Unknown escapes
// are written unchanged.
func (p *pythonReader) escape(text []byte, raw bool) int {
	escaped := escape.Find(text[:min(len(text), len(`\u0000`))])
	switch {
	case raw && escaped != nil:
		escaped = text[:2]
		p.extend(escaped)
	case escaped == nil: // C:\users
		escaped = text[:1]
		p.extend(escaped)
	case escaped[1] == '\n':
	case escaped[1] == '\'':
		p.out = append(p.out, '\'')
	case escaped[1] == 'x':
		p.out = append(append(p.out, `\u00`...), escaped[2:]...)
	default:
		p.out = append(p.out, escaped...)
	}
	return len(escaped)
}

// space skips white space and comments. It reports false at the end of the text.
func (p *pythonReader) space() bool {
	for p.pos < len(p.text) {
		switch rest := p.text[p.pos:]; {
		case startsWith(rest, jsonSpace):
			p.pos++
		case rest[0] == '#', bytes.HasPrefix(rest, []byte("//")):
			p.pos += len(firstLine(rest))
		case bytes.HasPrefix(rest, []byte("/*")):
			_, behind, _ := bytes.Cut(rest[2:], []byte("*/"))
			p.pos = len(p.text) - len(behind)
		default:
			return true
		}
	}
	return false
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

func (p *pythonReader) syntax() error {
	return &SyntaxError{Format: FormatPython, Offset: int64(p.pos)}
}

// angled matches a repr such as <User by=<Team 7>>, on one line.
var angled = regexp.MustCompile(`^<[^<>\n]*(?:<[^<>\n]*(?:<[^<>\n]*>[^<>\n]*)*>[^<>\n]*)*>`)

// longestRepr is the length in bytes of the longest such repr.
const longestRepr = 1 << 10
