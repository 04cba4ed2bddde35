package service

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Limits of what callers give.
const (
	// MaxIDBytes is how long an id, a namespace, a user and a name may be.
	MaxIDBytes = session.MaxIDBytes
	// MaxTextBytes is how long the text of a memory may be.
	MaxTextBytes = 1 << 20
	// MaxTTLSeconds is a hundred years.
	MaxTTLSeconds = 100 * 365 * 24 * 60 * 60
	// MaxPage is how many sessions or memories a page may have.
	MaxPage = 100
	// MaxIDs is how many memories a call may name, to delete them or to keep them.
	MaxIDs = 1000
	// MaxForget is how many memories a call to forget may look at.
	MaxForget = 10_000
	// Ahead is how far in the future a message may have been made: clocks differ.
	Ahead = 300 * time.Second

	// maxFields is how many mistakes an Error has at most.
	maxFields = 100
)

// checks collects mistakes, maxFields at most.
type checks struct {
	at    []string // the path to the values that are checked
	found []Field
}

// invalid returns what was found as an Invalid, nil for nothing.
func (c *checks) invalid() error {
	if len(c.found) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Fields: c.found}
}

// in sets the path to the values that are checked from here on.
func (c *checks) in(at ...string) { c.at = append(c.at[:0], at...) }

func (c *checks) add(problem Problem, message string, value any, further ...string) {
	if !c.full() {
		c.found = append(c.found, Field{slices.Concat(c.at, further), problem, message, value})
	}
}

// full reports whether no more mistakes are collected.
func (c *checks) full() bool { return len(c.found) >= maxFields }

// id checks the length of a text that names something.
func (c *checks) id(text, name string) { c.length(text, MaxIDBytes, name) }

func (c *checks) length(text string, most int, further ...string) {
	if len(text) > most {
		c.add(TooLong, tooLong(most), text, further...)
	}
}

func tooLong(most int) string { return fmt.Sprintf("String should have at most %d bytes", most) }

// optID checks the length of a text that may be missing.
func (c *checks) optID(text *string, name string) {
	if text != nil {
		c.id(*text, name)
	}
}

// filled checks a text that must not be empty.
func (c *checks) filled(text, name string) {
	if text == "" {
		c.add(TooShort, "String should have at least 1 character", text, name)
	}
}

// oneOf checks that a text is one of a few.
func (c *checks) oneOf(text string, few []string, further ...string) {
	if !slices.Contains(few, text) {
		last := len(few) - 1
		c.add(NotListed, "Input should be '"+strings.Join(few[:last], "', '")+"' or '"+few[last]+"'", text, further...)
	}
}

// checkRange checks a number that may be missing.
func checkRange[N int64 | float64](c *checks, n *N, least, most N, name string) {
	switch {
	case n == nil:
	case *n < least:
		c.add(TooSmall, fmt.Sprintf("Input should be greater than or equal to %v", least), *n, name)
	case *n > most:
		c.add(TooBig, fmt.Sprintf("Input should be less than or equal to %v", most), *n, name)
	}
}

// atMost checks a list of n values, of which there may be most.
func (c *checks) atMost(n, most int, name string) {
	if n > most {
		c.add(TooMany, fmt.Sprintf("List should have at most %d items", most), n, name)
	}
}

// tags checks that no text of a list has a comma: clients refuse answers that have one.
func (c *checks) tags(list []string, name string) {
	for i, text := range list {
		if strings.Contains(text, ",") {
			c.add(Unfit, fmt.Sprintf("%s[%d] contains a comma: '%s'. Commas are not allowed because they are used as delimiters in storage.",
				name, i, cut(text, maxShown)), text, name)
		}
		c.length(text, MaxIDBytes, name, strconv.Itoa(i))
	}
}

// maxShown is how many bytes of a value a message shows.
const maxShown = 200

// cut cuts a text to a number of bytes, between two characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
