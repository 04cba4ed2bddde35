package evaluation

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Kinds of places where a result has an identifier. Fields and lists have the name of
// their key besides.
const (
	originText   = "text"
	originMapKey = "map key"
)

// origin returns the kind of place where a scalar of structured data is.
func (s *scalar) origin() string {
	where := "field"
	switch {
	case s.lists > 0:
		where = "list item"
	case len(s.at) == 0:
		where = "whole result"
	}
	if len(s.at) > 0 {
		where += fmt.Sprintf(" under %q", s.at.key())
	}
	if s.quoted {
		where += " inside a string"
	}
	return where
}

var (
	uuidShape = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	hexShape  = regexp.MustCompile(`(?i)^[0-9a-f]{7,}$`)
	wordShape = regexp.MustCompile(`[\p{L}\p{N}]+`)
)

// maxShapeRunes is the length of the longest shape.
const maxShapeRunes = 24

// shapeOf describes the form of an identifier: by a name, or else with each run of
// letters replaced by a, of digits by 9, and of both by x.
func shapeOf(id string) string {
	switch {
	case uuidShape.MatchString(id):
		return "UUID"
	case strings.Contains(id, "://"):
		return "URL"
	case strings.Contains(id, "/"):
		return "path"
	case digits.MatchString(id):
		return "number"
	case hexShape.MatchString(id):
		return "hex digits"
	}
	return firstRunes(wordShape.ReplaceAllStringFunc(id, func(word string) string {
		letters, numbers := strings.ContainsFunc(word, unicode.IsLetter), strings.ContainsFunc(word, unicode.IsNumber)
		switch {
		case letters && numbers:
			return "x"
		case letters:
			return "a"
		}
		return "9"
	}), maxShapeRunes)
}
