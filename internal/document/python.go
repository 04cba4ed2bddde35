package document

import (
	"bytes"
	"errors"
	"math"
	"unicode/utf8"
)

// Python reads a Python literal as printed by repr and pprint: dicts, lists, tuples,
// sets, strings with any prefix, and calls. It also accepts JSON as people write it:
// unquoted keys, both kinds of quotes, trailing commas, comments.
// The fields of an object, "a=1 b='x'", are an object, within angle brackets too:
// <Order id=1>.
//
// A call with a single string argument, UUID('…'), or a single container,
// OrderedDict({…}), is read as its argument. A call with named arguments,
// Order(id=1), is an object. Any other call is a string with its source text:
// datetime.date(2024, 1, 31). Several values on separate lines are delivered as one
// array.
func Python(text []byte, vis Visitor, lim Limits) Result {
	e := newEmitter(vis, lim)
	p := newPythonReader(e.input(text, math.MaxInt), e.lim)
	err := p.document()
	return e.rewritten(FormatPython, p.out, err)
}

// pythonReader rewrites Python literals as JSON, up to an error.
type pythonReader struct {
	jsonWriter
	text  []byte
	pos   int
	buf   []byte // scratch for strings with escapes
	depth int    // containers that may be opened; deeper ones are written as []
	end   byte   // the closing byte of the innermost container
}

// bracket is an open bracket.
type bracket struct {
	end    byte // the closing byte; 0 is the end of the text
	assign byte // separates name and value; 0 in an array
	spaced bool // white space separates the values; there are no commas
}

func newPythonReader(text []byte, lim Limits) *pythonReader {
	return &pythonReader{text: text, depth: lim.withDefaults().Depth}
}

// document rewrites the whole text.
func (p *pythonReader) document() error {
	switch {
	case several(p.text):
		return p.stream()
	case p.space() && p.namedArgument():
		return p.values(bracket{assign: '=', spaced: true})
	}
	err := p.value()
	if err == nil && p.space() {
		err = p.syntax()
	}
	return err
}

// stream reads all values as one array.
func (p *pythonReader) stream() error {
	p.depth--
	for mark := byte('['); p.space(); mark = ',' {
		p.out = append(p.out, mark)
		if err := p.value(); err != nil {
			return err
		}
	}
	p.out = append(p.out, ']')
	return nil
}

// value reads one value with its content. The depth of its recursion is bounded by
// Limits.Depth.
func (p *pythonReader) value() error {
	if !p.space() {
		return ErrTruncated
	}
	switch c := p.text[p.pos]; c {
	case '{':
		dict, err := p.isDict()
		if err != nil {
			return err
		}
		if dict {
			return p.container(bracket{end: '}', assign: ':'})
		}
		return p.container(bracket{end: '}'})
	case '[':
		return p.container(bracket{end: ']'})
	case '(':
		return p.container(bracket{end: ')'})
	case '<':
		return p.reprInAngles()
	case '"', '\'':
		return p.strings(prefix{})
	default:
		return p.word()
	}
}

// isDict looks ahead from a brace and reports whether it opens a dict.
func (p *pythonReader) isDict() (bool, error) {
	start := p.pos
	defer func() { p.pos = start }()
	p.pos++
	if !p.space() || p.text[p.pos] == '}' {
		return true, nil
	}
	if c := p.text[p.pos]; c == '{' || c == '[' {
		return false, nil // not a key
	}
	if err := p.skip(":"); err != nil && !errors.Is(err, ErrTruncated) {
		return false, err
	}
	return !p.space() || p.text[p.pos] == ':', nil
}

// container reads the container at a bracket, or skips it if it is too deep.
func (p *pythonReader) container(b bracket) error {
	if p.depth == 0 {
		p.out = append(p.out, "[]"...)
		return p.skip("")
	}
	p.pos++
	return p.values(b)
}

// values reads the content of a container and its closing byte.
func (p *pythonReader) values(b bracket) error {
	outer := p.end
	p.end, p.depth = b.end, p.depth-1
	defer func() { p.end, p.depth = outer, p.depth+1 }()
	marks := "[]"
	if b.assign != 0 {
		marks = "{}"
	}
	p.out = append(p.out, marks[0])
	for first := true; ; first = false {
		more, err := p.next(b, first)
		if err != nil {
			return err
		}
		if !more {
			p.out = append(p.out, marks[1])
			return nil
		}
		if !first {
			p.out = append(p.out, ',')
		}
		if b.assign != 0 {
			err = p.name(b.assign)
		}
		if err == nil {
			err = p.value()
		}
		if err != nil {
			return err
		}
	}
}

// next moves to the next value of a container. more is false at its end.
func (p *pythonReader) next(b bracket, first bool) (more bool, err error) {
	more = p.space()
	if more && !first && !b.spaced && p.text[p.pos] != b.end {
		if p.text[p.pos] != ',' {
			return false, p.syntax()
		}
		p.pos++
		more = p.space()
	}
	switch {
	case !more && b.end != 0:
		return false, ErrTruncated
	case more && p.text[p.pos] == b.end:
		p.pos++
		return false, nil
	}
	return more, nil
}

// name reads a key, a string or the source text of anything else, and what assigns its
// value.
func (p *pythonReader) name(assign byte) (err error) {
	var name []byte
	if start := p.pos; p.atQuote() {
		name, err = p.str(prefix{})
	} else if err = p.skip(string(assign)); err == nil {
		name = bytes.TrimSpace(p.text[start:p.pos])
	}
	switch {
	case err != nil:
		return err
	case !p.space():
		return ErrTruncated
	case p.text[p.pos] != assign:
		return p.syntax()
	}
	p.pos++
	p.quote(name)
	p.out = append(p.out, ':')
	return nil
}

// call reads a call; p.pos is at its parenthesis.
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
		return p.container(bracket{end: ')', assign: '='})
	case bytes.IndexByte([]byte("{[("), p.text[p.pos]) >= 0:
		if err := p.value(); err != nil {
			return err
		}
		return p.pass(')')
	case p.atQuote():
		if text, err := p.str(prefix{}); err == nil && p.space() && p.text[p.pos] == ')' {
			p.pos++
			p.quote(text)
			return nil
		}
	}
	p.pos = paren
	if err := p.skip(",:="); err != nil {
		return err
	}
	p.quote(bytes.TrimSpace(p.text[start:p.pos]))
	return nil
}

// namedArgument reports whether "name=" follows.
func (p *pythonReader) namedArgument() bool {
	rest := p.text[p.pos:]
	name := bytes.TrimLeftFunc(rest, func(r rune) bool { return r == '_' || r >= utf8.RuneSelf || isWord(byte(r)) })
	return len(name) < len(rest) && len(name) > 0 && name[0] == '='
}

// reprInAngles reads an object in angle brackets.
func (p *pythonReader) reprInAngles() error {
	n := angles(p.text[p.pos:])
	if n == 0 {
		return p.syntax()
	}
	fields := p.fieldsInAngles(n)
	switch {
	case fields > 0 && p.depth > 0:
		p.pos += fields
		return p.values(bracket{end: '>', assign: '=', spaced: true})
	case fields > 0:
		p.out = append(p.out, "[]"...)
	default:
		p.quote(p.text[p.pos : p.pos+n])
	}
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
	inner := pythonReader{text: p.text[:p.pos+n-1], pos: p.pos + 1 + head}
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
