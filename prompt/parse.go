package prompt

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

// ParseError is returned for a text that is not a block. It does not contain the text.
type ParseError struct {
	// Line is the number of the first invalid line, from 1.
	Line int
	// Reason describes what is wrong with it.
	Reason string
}

// Error implements error.
func (e *ParseError) Error() string {
	return "prompt: line " + strconv.Itoa(e.Line) + " of block: " + e.Reason
}

// Parse returns the entities of a block, in the block's order, with type, id and, as
// Name, the label shown. "" is the block of no entities.
//
// It accepts exactly the blocks that Render writes, and lines of several entities joined
// by ", ". Anything else returns a *ParseError: text around the block, trailing spaces
// and line breaks, CRLF, empty groups or ids, a type with two groups, a missing or an
// unnecessary escape. To find a block in a longer text, see Find.
//
// Notes are checked but not returned: see ParseContent.
func Parse(block string) ([]memory.Entity, error) {
	c, err := ParseContent(block)
	return c.Entities, err
}

// ParseContent is Parse for a block with notes. It returns their Type and, as Text, what
// is shown, in the block's order. The Focus is empty.
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

// scanner reads a block line by line, as far as the text is a block.
type scanner struct {
	rest string // the lines not read yet
	more bool   // whether there are any
	line int    // the number of the last line read
	pos  int    // the end of that line

	found Content
	typ   string          // of the current group
	types map[string]bool // of all groups
	notes bool            // whether the current line is among the notes
	empty bool            // whether the current group, or the notes, have no line yet
	end   int             // the end of the last entity or note, 0 before the first
}

// scan reads the lines of a block, and returns an error for the first line that does not
// belong to it.
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

// read reads a line. It returns the reason if the line does not belong to the block.
func (s *scanner) read(text string) (reason string) {
	item, isItem := strings.CutPrefix(text, entityPrefix)
	switch {
	case isItem && s.notes:
		return s.readNote(item)
	case isItem:
		return s.readEntities(item)
	case s.notes:
		return "it is not a note"
	case s.typ != "" && s.empty:
		return "the group above it is empty"
	case text == notesTitle:
		s.notes, s.empty = true, true
		return ""
	default:
		return s.readHeader(text)
	}
}

// readHeader reads the line above a group.
func (s *scanner) readHeader(text string) (reason string) {
	written, ok := strings.CutSuffix(text, ":")
	if !ok {
		return "it is neither a header nor an entity"
	}
	typ := english.Singular(written)
	if quoted, ok := strings.CutPrefix(written, `"`); ok {
		typ, _ = inert.Unescape(strings.TrimSuffix(quoted, `"`), inert.InQuotes)
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

// readEntities reads the entities of a line, after the dash.
func (s *scanner) readEntities(text string) (reason string) {
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
		var e memory.Entity
		if e, text, reason = cutEntity(text); reason != "" {
			return reason
		}
		e.Type = s.typ
		s.found.Entities = append(s.found.Entities, e)
	}
	s.empty = false
	s.end = s.pos
	return ""
}

// readNote reads a note, after the dash.
func (s *scanner) readNote(line string) (reason string) {
	typ, text, reason := cutNote(line)
	if reason != "" {
		return reason
	}
	s.found.Notes = append(s.found.Notes, items.Item{Type: items.Type(typ), Text: text})
	s.empty = false
	s.end = s.pos
	return ""
}

// cutEntity reads the entity that a text begins with, without its type: "label" (id, id),
// and its source if there is one.
func cutEntity(text string) (e memory.Entity, rest, reason string) {
	quoted, rest, ok := cutQuoted(text)
	if !ok {
		return e, "", "its label is not in quotes"
	}
	if e.Name, ok = inert.Unescape(quoted, inert.InQuotes); !ok {
		return e, "", "its label is not written as a label"
	}
	rest, opened := strings.CutPrefix(rest, " (")
	escaped, rest, closed := strings.Cut(rest, ")")
	if !opened || !closed {
		return e, "", "its id is not in parentheses"
	}
	var ids []string
	for one := range strings.SplitSeq(escaped, idSeparator) {
		id, ok := inert.Unescape(one, inert.InParentheses)
		if !ok || !validID(id) || slices.Contains(ids, id) || len(ids) > maxShownAliases {
			return e, "", "its id is not written as an id"
		}
		ids = append(ids, id)
	}
	if e.ID = ids[0]; len(ids) > 1 {
		e.Aliases = ids[1:]
	}
	if written, ok := strings.CutPrefix(rest, sourcePrefix); ok {
		if e.Source, rest, ok = cutSource(written); !ok {
			return e, "", "its source is not written as a source"
		}
	}
	return e, rest, ""
}

// cutSource reads the source that a text begins with.
func cutSource(text string) (source, rest string, ok bool) {
	quoted, rest, ok := cutQuoted(text)
	if !ok {
		n := sourceLen(text)
		return strings.Clone(text[:n]), text[n:], n > 0
	}
	source, ok = inert.Unescape(quoted, inert.InQuotes)
	return source, rest, ok && sourceLen(source) < len(source)
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
