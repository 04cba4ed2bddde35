package prompt

import (
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
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
//
// Notes are read, too, but not returned: see ParseContent.
func Parse(block string) ([]memory.Entity, error) {
	c, err := ParseContent(block)
	return c.Entities, err
}

// ParseContent is Parse of a block with notes. Of these it gives the Type and,
// as Text, what is shown, in the block's order. The Focus is empty.
func ParseContent(block string) (Content, error) {
	if block == "" {
		return Content{}, nil
	}
	s := scanner{rest: block, more: true}
	if err := s.scan(); err != nil {
		return Content{}, err
	}
	return s.found, nil
}

// scanner reads a block line by line. It goes on as long as the text is a block.
type scanner struct {
	rest string // the lines not read yet
	more bool   // whether there are any
	line int    // the number of the line read last
	pos  int    // where it ends

	found Content
	typ   string          // of the group the scanner is in
	types map[string]bool // of all groups
	notes bool            // whether the scanner is among the notes
	empty bool            // whether the group, or the notes, have no line yet
	end   int             // where the last entity or note ends, 0 before the first
}

// scan reads as many lines as belong to a block, and says why the next one does not.
func (s *scanner) scan() error {
	if s.next() != Title {
		return s.fail("it is not " + Title)
	}
	s.types = make(map[string]bool)
	s.empty = true
	for s.more {
		if reason := s.read(s.next()); reason != "" {
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
		s.pos++ // the line break before it
	}
	s.pos += len(text)
	s.line++
	s.rest, s.more = rest, more
	return text
}

func (s *scanner) fail(reason string) error { return &ParseError{Line: s.line, Reason: reason} }

// read reads a line, and says why it belongs to no block.
func (s *scanner) read(text string) (reason string) {
	item, isItem := strings.CutPrefix(text, entityPrefix)
	switch {
	case isItem && s.notes:
		return s.note(item)
	case isItem:
		return s.entities(item)
	case s.notes:
		return "it is not a note"
	case s.typ != "" && s.empty:
		return "the group above it is empty"
	case text == notesTitle:
		s.notes, s.empty = true, true
		return ""
	default:
		return s.header(text)
	}
}

// header reads the line above a group.
func (s *scanner) header(text string) (reason string) {
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
		s.found.Entities = append(s.found.Entities, memory.Entity{Type: s.typ, ID: id, Name: label})
		text = rest
	}
	s.empty = false
	s.end = s.pos
	return ""
}

// note reads what follows the dash.
func (s *scanner) note(line string) (reason string) {
	typ, text, reason := cutNote(line)
	if reason != "" {
		return reason
	}
	s.found.Notes = append(s.found.Notes, items.Item{Type: items.Type(typ), Text: text})
	s.empty = false
	s.end = s.pos
	return ""
}

// cutEntity reads the entity that a text begins with: "label" (id).
func cutEntity(text string) (label, id, rest, reason string) {
	quoted, rest, ok := cutQuoted(text)
	if !ok {
		return "", "", "", "its label is not in quotes"
	}
	if label, ok = plaintext.Unescape(quoted, plaintext.InQuotes); !ok {
		return "", "", "", "its label is not written as a label"
	}
	rest, opened := strings.CutPrefix(rest, " (")
	escaped, rest, closed := strings.Cut(rest, ")")
	if !opened || !closed {
		return "", "", "", "its id is not in parentheses"
	}
	if id, ok = plaintext.Unescape(escaped, plaintext.InParentheses); !ok || !validID(id) {
		return "", "", "", "its id is not written as an id"
	}
	return label, id, rest, ""
}

// cutQuoted cuts off the text in quotes that a text begins with.
func cutQuoted(text string) (escaped, rest string, ok bool) {
	quoted, ok := strings.CutPrefix(text, `"`)
	end := closingQuote(quoted)
	if !ok || end < 0 {
		return "", text, false
	}
	return quoted[:end], quoted[end+1:], true
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
