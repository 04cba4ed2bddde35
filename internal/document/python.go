package document

import (
	"bytes"
	"errors"
	"math"
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
	p := &pythonReader{emitter: e, text: e.input(text, math.MaxInt)}
	var err error
	if several(p.text) {
		err = p.stream()
	} else if p.space() && p.namedArgument() {
		err = p.fields()
	} else if err = p.value(); err == nil && !e.stopped && p.space() {
		err = p.syntax()
	}
	if err != nil {
		e.recordError(err)
	}
	return e.result(FormatPython)
}

// pythonReader is a tokenizer with a stack of open brackets.
type pythonReader struct {
	*emitter
	text []byte
	pos  int
	open []bracket
	buf  []byte // scratch for strings with escapes
}

// bracket is an open bracket.
type bracket struct {
	end    byte // the closing byte
	assign byte // separates name and value; 0 in an array
	silent bool // a call around a container, without events of its own
	spaced bool // white space separates the values; there are no commas
	begun  bool // a value was read, so a comma comes next
}

// fields reads a text of fields, separated by white space, as an object.
func (p *pythonReader) fields() error {
	p.object()
	p.open = append(p.open, bracket{assign: '=', spaced: true})
	found, err := p.seek(0)
	if err != nil || !found {
		return err
	}
	return p.valueIn(0)
}

// stream reads all values as one array.
func (p *pythonReader) stream() error {
	p.array()
	for p.space() {
		var err error
		switch p.item() {
		case Take:
			err = p.value()
		case Skip:
			err = p.skip("\n")
		case Stop:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// value reads one value with its content, or until the visitor stops at its outermost
// container.
func (p *pythonReader) value() error { return p.valueIn(p.depth) }

// valueIn reads a value and whatever follows it in the containers opened since outer.
func (p *pythonReader) valueIn(outer int) error {
	for found := true; found; {
		err := p.read()
		if err == nil {
			found, err = p.seek(outer)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read delivers a scalar or opens a container.
func (p *pythonReader) read() error {
	if !p.space() {
		return ErrTruncated
	}
	switch c := p.text[p.pos]; {
	case c == '{':
		dict, err := p.isDict()
		if err != nil {
			return err
		}
		if dict {
			return p.push(bracket{end: '}', assign: ':'})
		}
		return p.push(bracket{end: '}'})
	case c == '[':
		return p.push(bracket{end: ']'})
	case c == '(':
		return p.push(bracket{end: ')'})
	case c == '<':
		return p.reprInAngles()
	case c == '"' || c == '\'':
		return p.strings(prefix{})
	default:
		return p.word()
	}
}

// push opens the container at a bracket, or skips it if it is too deep.
func (p *pythonReader) push(b bracket) error {
	if b.assign != 0 && !p.object() || b.assign == 0 && !p.array() {
		return p.skip("")
	}
	p.pos++
	p.open = append(p.open, b)
	return nil
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

// seek moves to the next value that the visitor takes, within the containers opened
// since outer. It reports false if there is no such value.
func (p *pythonReader) seek(outer int) (found bool, err error) {
	for p.depth > outer || len(p.open) > 0 && p.open[len(p.open)-1].silent {
		b := &p.open[len(p.open)-1]
		if b.silent {
			err = p.pass(')')
			p.open = p.open[:len(p.open)-1]
		} else if found, err = p.next(b); found {
			return true, err
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// next moves to the next value of the open bracket and asks the visitor about it, or
// closes the bracket.
func (p *pythonReader) next(b *bracket) (found bool, err error) {
	if !p.space() {
		if b.end == 0 { // the end of the text ends the container
			p.pop()
			return false, nil
		}
		return false, ErrTruncated
	}
	if b.begun && !b.spaced && p.text[p.pos] != b.end {
		if p.text[p.pos] != ',' {
			return false, p.syntax()
		}
		p.pos++
		if !p.space() {
			return false, ErrTruncated
		}
	}
	if p.text[p.pos] == b.end {
		p.pos++
		p.pop()
		return false, nil
	}
	b.begun = true
	decision, err := p.askVisitor(b)
	switch {
	case err != nil:
		return false, err
	case decision == Take:
		return true, nil
	case decision == Skip:
		return false, p.skip(b.separators())
	case p.depth == 1: // the outermost container
		p.pop()
		p.open = p.open[:0]
		return false, nil
	default:
		err := p.pass(b.end)
		if err == nil {
			p.pop()
		}
		return false, err
	}
}

// separators returns the bytes besides commas that end a value of the bracket.
func (b *bracket) separators() string {
	if b.spaced {
		return " \t\r\n>"
	}
	return ""
}

// pop closes the container of the innermost bracket.
func (p *pythonReader) pop() {
	p.open = p.open[:len(p.open)-1]
	p.end()
}

// askVisitor asks the visitor about the next value, after reading its name if it has
// one.
func (p *pythonReader) askVisitor(b *bracket) (Decision, error) {
	if b.assign == 0 {
		return p.item(), nil
	}
	name, err := p.name(b.assign)
	if err != nil {
		return Stop, err
	}
	if !p.space() {
		return Stop, ErrTruncated
	}
	if p.text[p.pos] != b.assign {
		return Stop, p.syntax()
	}
	p.pos++
	return p.key(valid(name)), nil
}

// name reads a key: a string, or the source text of a word, a number or any other
// literal.
func (p *pythonReader) name(assign byte) ([]byte, error) {
	if c := p.text[p.pos]; c == '"' || c == '\'' {
		return p.str(prefix{})
	}
	start := p.pos
	if err := p.skip(string(assign)); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(p.text[start:p.pos]), nil
}
