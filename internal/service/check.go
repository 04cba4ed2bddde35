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

// Limits of the values of a call.
const (
	// MaxIDBytes is the maximum length of an id, a namespace, a user or a name.
	MaxIDBytes = session.MaxIDBytes
	// MaxTextBytes is the maximum length of the text of a memory.
	MaxTextBytes = 1 << 20
	// MaxTTLSeconds is a hundred years.
	MaxTTLSeconds = 100 * 365 * 24 * 60 * 60
	// MaxPage is the maximum number of sessions or memories on a page.
	MaxPage = 100
	// MaxIDs is the maximum number of memories that a call may name, to delete or to keep them.
	MaxIDs = 1000
	// MaxForget is the maximum number of memories that ForgetMemories examines.
	MaxForget = 10_000
	// Ahead is how far in the future the time of a message may lie, since clocks differ.
	Ahead = 300 * time.Second

	// maxFields is the maximum number of fields of an Error.
	maxFields = 100
)

// checks collects up to maxFields mistakes.
type checks struct {
	at    []string // path of the values being checked
	found []Field
}

// invalid returns an Invalid with the mistakes found, or nil if there are none.
func (c *checks) invalid() error {
	if len(c.found) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Fields: c.found}
}

// in sets the path of the values checked from here on.
func (c *checks) in(at ...string) { c.at = append(c.at[:0], at...) }

func (c *checks) add(problem Problem, message string, value any, further ...string) {
	if !c.full() {
		c.found = append(c.found, Field{slices.Concat(c.at, further), problem, message, value})
	}
}

func (c *checks) full() bool { return len(c.found) >= maxFields }

func (c *checks) id(text, name string) { c.length(text, MaxIDBytes, name) }

func (c *checks) length(text string, most int, further ...string) {
	if len(text) > most {
		c.add(TooLong, tooLong(most), text, further...)
	}
}

func tooLong(most int) string { return fmt.Sprintf("String should have at most %d bytes", most) }

// optID checks an id that may be nil.
func (c *checks) optID(text *string, name string) {
	if text != nil {
		c.id(*text, name)
	}
}

// filled checks that a text is not empty.
func (c *checks) filled(text, name string) {
	if text == "" {
		c.add(TooShort, "String should have at least 1 character", text, name)
	}
}

// oneOf checks that a text is one of the values in few.
func (c *checks) oneOf(text string, few []string, further ...string) {
	if !slices.Contains(few, text) {
		last := len(few) - 1
		c.add(NotListed, "Input should be '"+strings.Join(few[:last], "', '")+"' or '"+few[last]+"'", text, further...)
	}
}

// checkRange checks a number that may be nil.
func checkRange[N int64 | float64](c *checks, n *N, least, most N, name string) {
	switch {
	case n == nil:
	case *n < least:
		c.add(TooSmall, fmt.Sprintf("Input should be greater than or equal to %v", least), *n, name)
	case *n > most:
		c.add(TooBig, fmt.Sprintf("Input should be less than or equal to %v", most), *n, name)
	}
}

// atMost checks that a list of n values has no more than most.
func (c *checks) atMost(n, most int, name string) {
	if n > most {
		c.add(TooMany, fmt.Sprintf("List should have at most %d items", most), n, name)
	}
}

// tags checks that no text of a list has a comma, since clients refuse answers that have one.
func (c *checks) tags(list []string, name string) {
	for i, text := range list {
		if strings.Contains(text, ",") {
			c.add(Unfit, fmt.Sprintf("%s[%d] contains a comma: '%s'. Commas are not allowed because they are used as delimiters in storage.",
				name, i, cut(text, maxShown)), text, name)
		}
		c.length(text, MaxIDBytes, name, strconv.Itoa(i))
	}
}

// maxShown is the maximum number of bytes of a value in a message.
const maxShown = 200

// cut returns the first bytes of a text, at most so many, without splitting a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
