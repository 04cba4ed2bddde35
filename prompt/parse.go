package prompt

import (
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// ParseError says where and why a text is not a block. It does not repeat the text.
type ParseError struct {
	// Line is the number of the line, from 1.
	Line int
	// Reason says what is wrong with it.
	Reason string
}

// Error implements error.
func (e *ParseError) Error() string {
	return "prompt: line " + strconv.Itoa(e.Line) + " of block: " + e.Reason
}

// Parse reads a block back: type, id and, as Name, the label shown, in the
// block's order. "" is the block of no entities.
//
// It takes exactly what Render writes, and lines that hold several entities
// joined by ", ". Everything else gives a *ParseError: text around the block,
// trailing spaces and line breaks, CRLF, empty groups or ids, a type
// that has two groups, an escape that is missing or not needed. To find a block
// in a longer text see Find.
func Parse(block string) ([]memory.Entity, error) {
	if block == "" {
		return nil, nil
	}
	s := scanner{rest: block, more: true}
	if err := s.scan(); err != nil {
		return nil, err
	}
	return s.found, nil
}

// scanner reads a block line by line. It goes on as long as the text is a block.
type scanner struct {
	rest string // the lines not read yet
	more bool   // whether there are any
	line int    // the number of the line read last
	read int    // where it ends

	found []memory.Entity
	typ   string          // of the group the scanner is in
	types map[string]bool // of all groups
	empty bool            // whether the group has no entity yet
	end   int             // where the last entity's line ends, 0 before the first
}

// scan reads as many lines as belong to a block, and says why the next one does not.
func (s *scanner) scan() error {
	if s.next() != Title {
		return s.fail("it is not " + Title)
	}
	s.types = make(map[string]bool)
	s.empty = true
	for s.more {
		var reason string
		if text := s.next(); strings.HasPrefix(text, entityPrefix) {
			reason = s.entities(text[len(entityPrefix):])
		} else {
			reason = s.header(text)
		}
		if reason != "" {
			return s.fail(reason)
		}
	}
	if s.empty {
		return s.fail("nothing follows it")
	}
	return nil
}

func (s *scanner) next() string {
	text, rest, more := strings.Cut(s.rest, "\n")
	if s.line > 0 {
		s.read++ // the line break before it
	}
	s.read += len(text)
	s.line++
	s.rest, s.more = rest, more
	return text
}

func (s *scanner) fail(reason string) error { return &ParseError{Line: s.line, Reason: reason} }

// header reads the line above a group.
func (s *scanner) header(text string) (reason string) {
	if s.typ != "" && s.empty {
		return "the group above it is empty"
	}
	written, ok := strings.CutSuffix(text, ":")
	if !ok {
		return "it is neither a header nor an entity"
	}
	typ := english.Singular(written)
	if quoted, ok := strings.CutPrefix(written, `"`); ok {
		typ, _ = plaintext.Unescape(strings.TrimSuffix(quoted, `"`), plaintext.InQuotes)
	}
	if !validType(typ) || string(appendHeader(nil, typ)) != text {
		return "its type is not written as a type"
	}
	if s.types[typ] {
		return "its type has a group already"
	}
	s.typ, s.empty = strings.Clone(typ), true
	s.types[s.typ] = true
	return ""
}

// entities reads what follows the dash.
func (s *scanner) entities(text string) (reason string) {
	if s.typ == "" {
		return "it is an entity outside of a group"
	}
	for first := true; first || text != ""; first = false {
		if !first {
			var ok bool
			if text, ok = strings.CutPrefix(text, entitySeparator); !ok {
				return "something follows the id"
			}
		}
		label, id, rest, reason := cutEntity(text)
		if reason != "" {
			return reason
		}
		s.found = append(s.found, memory.Entity{Type: s.typ, ID: id, Name: label})
		text = rest
	}
	s.empty = false
	s.end = s.read
	return ""
}

// cutEntity reads the entity that a text begins with: "label" (id).
func cutEntity(text string) (label, id, rest, reason string) {
	quoted, ok := strings.CutPrefix(text, `"`)
	end := closingQuote(quoted)
	if !ok || end < 0 {
		return "", "", "", "its label is not in quotes"
	}
	if label, ok = plaintext.Unescape(quoted[:end], plaintext.InQuotes); !ok {
		return "", "", "", "its label is not written as a label"
	}
	rest, opened := strings.CutPrefix(quoted[end+1:], " (")
	escaped, rest, closed := strings.Cut(rest, ")")
	if !opened || !closed {
		return "", "", "", "its id is not in parentheses"
	}
	if id, ok = plaintext.Unescape(escaped, plaintext.InParentheses); !ok || !validID(id) {
		return "", "", "", "its id is not written as an id"
	}
	return label, id, rest, ""
}

// closingQuote returns the index of the first quote that is not escaped, or -1.
func closingQuote(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}
