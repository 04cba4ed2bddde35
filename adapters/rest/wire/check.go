package wire

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// What may be sent.
const (
	// MaxIDBytes is how long an id, a namespace, a user and a name may be.
	MaxIDBytes = 1 << 10
	// MaxTextBytes is how long the text of a memory may be.
	MaxTextBytes = 1 << 20
	// MaxTTLSeconds is a hundred years.
	MaxTTLSeconds = 100 * 365 * 24 * 60 * 60
	// Ahead is how far in the future a message may have been made: clocks differ.
	Ahead = 300 * time.Second
)

// checks collects mistakes, MaxErrors at most.
type checks struct{ found []FieldError }

func (c *checks) add(f FieldError) {
	if len(c.found) < MaxErrors {
		c.found = append(c.found, f)
	}
}

// full tells that nothing more is collected, and looking further is in vain.
func (c *checks) full() bool { return len(c.found) >= MaxErrors }

// id checks the length of a text that names something.
func (c *checks) id(text string, loc ...any) { c.length(text, MaxIDBytes, loc...) }

func (c *checks) length(text string, most int, loc ...any) {
	if len(text) > most {
		c.add(Field("string_too_long", fmt.Sprintf("String should have at most %d bytes", most), text, loc...))
	}
}

// optID checks the length of a text that may be missing.
func (c *checks) optID(text *string, loc ...any) {
	if text != nil {
		c.id(*text, loc...)
	}
}

// name checks a text that must not be empty.
func (c *checks) name(text string, loc ...any) {
	if text == "" {
		c.add(Field("string_too_short", "String should have at least 1 character", text, loc...))
	}
	c.id(text, loc...)
}

// oneOf checks that a text is one of a few; an empty one counts as missing.
func (c *checks) oneOf(text string, few []string, loc ...any) {
	if text == "" || slices.Contains(few, text) {
		return
	}
	c.add(Field("enum", "Input should be "+choice(few), text, loc...))
}

// choice is 'a', 'b' or 'c'.
func choice(few []string) string {
	quoted := make([]string, len(few))
	for i, one := range few {
		quoted[i] = "'" + one + "'"
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// within checks an integer that may be missing.
func (c *checks) within(n *Int, least, most int64, loc ...any) {
	if n == nil {
		return
	}
	if w, ok := within(int64(*n), least, most).(*wrong); ok {
		c.add(Field(w.kind, w.msg, int64(*n), loc...))
	}
}

// between checks a number that may be missing.
func (c *checks) between(f *Float, least, most Float, loc ...any) {
	switch {
	case f == nil:
	case *f < least:
		c.add(Field("greater_than_equal", fmt.Sprintf("Input should be greater than or equal to %v", least), float64(*f), loc...))
	case *f > most:
		c.add(Field("less_than_equal", fmt.Sprintf("Input should be less than or equal to %v", most), float64(*f), loc...))
	}
}

// tags checks that no text of a list has a comma: clients refuse answers that have one.
func (c *checks) tags(list List, field string, loc ...any) {
	for i, text := range list {
		if strings.Contains(text, ",") {
			c.add(valueError(fmt.Sprintf("%s[%d] contains a comma: '%s'. Commas are not allowed because they are used as delimiters in storage.",
				field, i, short(text)), text, loc...))
		}
		c.id(text, append(slices.Clone(loc), i)...)
	}
}
