package excerpt

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxSteps is the greatest length of a path in steps.
const maxSteps = 500

// step is one step of a path: a key, or indexes from one up to another.
type step struct {
	key      string
	keyed    bool
	from, to int
	one      bool // a single index
}

// endless is the end of [10:] and [*].
const endless = int(^uint(0) >> 1)

// all is the step [*], which also selects all members of an object.
var all = step{to: endless}

// selects reports whether a step selects an element of an array.
func (s *step) selects(i int) bool { return !s.keyed && s.from <= i && i < s.to }

// hasKey reports whether a step selects a member of an object.
func (s *step) hasKey(key []byte) bool { return *s == all || s.keyed && s.key == string(key) }

// single reports whether a step selects at most one value.
func (s *step) single() bool { return s.keyed || s.one }

// ofArray returns the step for an array: items.3 is items[3].
func (s step) ofArray() step {
	if i, err := strconv.ParseUint(s.key, 10, 31); s.keyed && err == nil {
		return step{from: int(i), to: int(i) + 1, one: true}
	}
	return s
}

// parsePath parses a path.
func parsePath(path string) ([]step, error) {
	p := pathParser{path: path, rest: path}
	if strings.HasPrefix(path, "$") {
		p.rest = path[1:]
	} else if path != "" && path[0] != '[' && path[0] != '.' {
		p.rest = "." + path
	}
	var steps []step
	for p.rest != "" && p.err == nil {
		if len(steps) == maxSteps {
			p.fail("has more than " + strconv.Itoa(maxSteps) + " steps")
		}
		switch p.rest[0] {
		case '.':
			steps = append(steps, p.name())
		case '[':
			steps = append(steps, p.brackets())
		default:
			p.fail("needs . or [")
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return steps, nil
}

type pathParser struct {
	path, rest string
	err        error // a *RequestError
}

func (p *pathParser) fail(reason string) {
	if p.err == nil {
		p.err = &RequestError{Field: "path", Position: max(1, len(p.path)-len(p.rest)+1), Reason: reason}
	}
}

// name parses .name and .*
func (p *pathParser) name() step {
	p.rest = p.rest[1:]
	end := strings.IndexAny(p.rest, ".[")
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	if name == "" {
		if strings.HasPrefix(p.rest, "[") {
			return p.brackets() // $.["key"]
		}
		p.fail("needs a key (to search at any depth, use query)")
		return step{}
	}
	p.rest = p.rest[end:]
	if name == "*" {
		return all
	}
	return step{key: name, keyed: true}
}

// brackets parses [3], [10:20], [*], ["key"] and ['key'].
func (p *pathParser) brackets() step {
	p.rest = p.rest[1:]
	if p.rest != "" && (p.rest[0] == '"' || p.rest[0] == '\'') {
		return p.quoted()
	}
	end := strings.IndexByte(p.rest, ']')
	if end < 0 {
		p.fail("needs ] for the [")
		return step{}
	}
	inside := strings.TrimSpace(p.rest[:end])
	from, to, slice := strings.Cut(inside, ":")
	s := step{from: p.index(from, 0, slice), to: endless}
	switch {
	case inside == "*":
		s = all
	case slice:
		s.to = p.index(to, endless, true)
	default:
		s.to, s.one = s.from+1, true
	}
	if p.err == nil {
		p.rest = p.rest[end+1:]
	}
	return s
}

// index parses a number, or nothing if that is allowed.
func (p *pathParser) index(text string, none int, optional bool) int {
	text = strings.TrimSpace(text)
	i, err := strconv.ParseUint(text, 10, 31)
	switch {
	case text == "*", text == "" && optional:
		return none
	case strings.HasPrefix(text, "-"):
		p.fail("has a negative index, which is not supported,")
	case err != nil:
		p.fail(`needs an index, a range as 10:20, * or a key in quotes`)
	}
	return int(i)
}

// quoted parses "key"] and 'key'].
func (p *pathParser) quoted() step {
	quote, end := p.rest[0], 1
	for end < len(p.rest) && p.rest[end] != quote {
		if p.rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(p.rest) {
		p.fail("needs a closing quote")
		return step{}
	}
	text := p.rest[1:end]
	if quote == '\'' {
		text = strings.NewReplacer(`\'`, `'`, `"`, `\"`, `\\`, `\\`).Replace(text)
	}
	key, err := jsontext.AppendUnquote(nil, `"`+text+`"`)
	if err != nil {
		p.fail("needs a key that is a JSON string")
		return step{}
	}
	p.rest = p.rest[end+1:]
	if !strings.HasPrefix(p.rest, "]") {
		p.fail("needs ] after the key")
		return step{}
	}
	p.rest = p.rest[1:]
	return step{key: string(key), keyed: true}
}

// maxKeyRunes is the length of the longest key that is shown whole.
const maxKeyRunes = 256

// appendKey appends a key as a step of a path.
func appendKey(dst, key []byte) []byte {
	if isName(key) {
		return append(append(dst, '.'), key...)
	}
	text := string(key)
	if utf8.RuneCountInString(text) > maxKeyRunes {
		text = string([]rune(text)[:maxKeyRunes]) + "…"
	}
	dst, _ = jsontext.AppendQuote(append(dst, '['), strings.ToValidUTF8(text, "\uFFFD"))
	return append(dst, ']')
}

// isName reports whether a key needs no quotes in a path.
func isName(key []byte) bool {
	return len(key) > 0 && len(key) <= maxKeyRunes && utf8.Valid(key) && bytes.IndexFunc(key, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
}

func appendIndex(dst []byte, i int) []byte {
	return append(strconv.AppendInt(append(dst, '['), int64(i), 10), ']')
}

// common returns the number of steps before the first that may select several values.
func common(steps []step) int {
	if i := slices.IndexFunc(steps, func(s step) bool { return !s.single() }); i >= 0 {
		return i
	}
	return len(steps)
}
