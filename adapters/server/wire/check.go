package wire

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// What may be sent. The Check methods of bodies say what is wrong with what was decoded; they
// are for the one place that acts on bodies, whatever protocol brought them.
const (
	// MaxIDBytes is how long an id, a namespace, a user and a name may be.
	MaxIDBytes = 1 << 10
	// MaxTextBytes is how long the text of a memory may be.
	MaxTextBytes = 1 << 20
	// MaxTTLSeconds is a hundred years.
	MaxTTLSeconds = 100 * 365 * 24 * 60 * 60
	// MaxPage is how many sessions or memories a page may have.
	MaxPage = 100
	// MaxIDs is how many memories a request may name, to delete them or to keep them.
	MaxIDs = 1000
	// MaxForget is how many memories a request to forget may look at.
	MaxForget = 10_000
	// Ahead is how far in the future a message may have been made: clocks differ.
	Ahead = 300 * time.Second
)

// checks collects mistakes, MaxErrors at most.
type checks struct {
	at    []any // the place of what is checked
	found []FieldError
}

// in says where what is checked from here on stands.
func (c *checks) in(at ...any) { c.at = append(c.at[:0], at...) }

// loc is the place of what is further on.
func (c *checks) loc(further ...any) []any { return slices.Concat(c.at, further) }

func (c *checks) add(f FieldError) {
	if !c.full() {
		c.found = append(c.found, f)
	}
}

// full tells that nothing more is collected, and looking further is in vain.
func (c *checks) full() bool { return len(c.found) >= MaxErrors }

// id checks the length of a text that names something.
func (c *checks) id(text, name string) { c.length(text, MaxIDBytes, name) }

func (c *checks) length(text string, most int, name string) {
	if len(text) > most {
		c.add(tooLong(text, most, c.loc(name)))
	}
}

func tooLong(text string, most int, loc []any) FieldError {
	return Field("string_too_long", fmt.Sprintf("String should have at most %d bytes", most), text, loc...)
}

// optID checks the length of a text that may be missing.
func (c *checks) optID(text *string, name string) {
	if text != nil {
		c.id(*text, name)
	}
}

// filled checks a text that must not be empty, and is an id.
func (c *checks) filled(text, name string) {
	if text == "" {
		c.add(Field("string_too_short", "String should have at least 1 character", text, c.loc(name)...))
	}
	c.id(text, name)
}

// oneOf checks that a text is one of a few.
func (c *checks) oneOf(text string, few []string, name string) {
	if !slices.Contains(few, text) {
		c.add(notOneOf(text, few, c.loc(name)))
	}
}

func notOneOf(text string, few []string, loc []any) FieldError {
	last := len(few) - 1
	return Field("enum", "Input should be '"+strings.Join(few[:last], "', '")+"' or '"+few[last]+"'", text, loc...)
}

// within checks an integer that may be missing.
func (c *checks) within(n *Int, least, most int64, name string) {
	if n == nil {
		return
	}
	for _, f := range Within(int64(*n), least, most, c.loc(name)...) {
		c.add(f)
	}
}

// Within returns what is wrong with an integer that must be from least to most.
func Within(n, least, most int64, loc ...any) []FieldError {
	if w := within(n, least, most); w != nil {
		return []FieldError{Field(w.kind, w.msg, n, loc...)}
	}
	return nil
}

// AtMost returns what is wrong with a list of n values, of which there may be most.
func AtMost(n, most int, loc ...any) []FieldError {
	if n > most {
		return []FieldError{Field("too_long", fmt.Sprintf("List should have at most %d items", most), n, loc...)}
	}
	return nil
}

// between checks a number that may be missing.
func (c *checks) between(f *Float, least, most Float, name string) {
	switch {
	case f == nil:
	case *f < least:
		c.add(Field("greater_than_equal", fmt.Sprintf("Input should be greater than or equal to %v", least), float64(*f), c.loc(name)...))
	case *f > most:
		c.add(Field("less_than_equal", fmt.Sprintf("Input should be less than or equal to %v", most), float64(*f), c.loc(name)...))
	}
}

// tags checks that no text of a list has a comma: clients refuse answers that have one.
func (c *checks) tags(list List, name string) {
	for i, text := range list {
		if strings.Contains(text, ",") {
			c.add(valueError(fmt.Sprintf("%s[%d] contains a comma: '%s'. Commas are not allowed because they are used as delimiters in storage.",
				name, i, short(text)), text, c.loc(name)...))
		}
		if len(text) > MaxIDBytes {
			c.add(tooLong(text, MaxIDBytes, c.loc(name, i)))
		}
	}
}
