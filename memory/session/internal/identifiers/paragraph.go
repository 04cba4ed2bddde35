// Package identifiers preserves the identifiers of summarised messages: those that the
// summary does not mention are appended to it, in a paragraph of their own.
package identifiers

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The paragraph of identifiers is the last one of Session.Context, on one line. An identifier
// with a space, a comma, a quote or any other special character is written as a JSON string.
const (
	label     = "Identifiers:"
	separator = ","
	blankLine = "\n\n"
	quoted    = `",\`
)

// Join appends identifiers to a summary. Split is the inverse, for any identifiers.
func Join(summary string, identifiers []string) string {
	if len(identifiers) == 0 {
		if _, _, found := cut(summary); !found {
			return summary
		}
		// The summary ends with a paragraph that looks like this one. An empty one
		// after it keeps it a part of the summary.
	}
	paragraph := formatParagraph(identifiers)
	if summary == "" {
		return paragraph
	}
	return summary + blankLine + paragraph
}

func formatParagraph(identifiers []string) string {
	var b strings.Builder
	b.WriteString(label)
	for i, id := range identifiers {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteByte(' ')
		b.WriteString(written(id))
	}
	return b.String()
}

// Split is the inverse of Join. A text that Join did not return is a summary without
// identifiers.
func Split(text string) (summary string, identifiers []string) {
	summary, identifiers, found := cut(text)
	if !found {
		return text, nil
	}
	return summary, identifiers
}

// cut finds the paragraph at the end of a text.
func cut(text string) (summary string, identifiers []string, found bool) {
	paragraph := text
	if i := strings.LastIndex(text, blankLine); i >= 0 {
		summary, paragraph = text[:i], text[i+len(blankLine):]
		if summary == "" {
			return "", nil, false
		}
	}
	list, found := strings.CutPrefix(paragraph, label)
	if !found {
		return "", nil, false
	}
	for first := true; list != ""; first = false {
		if !first {
			if list, found = strings.CutPrefix(list, separator); !found {
				return "", nil, false
			}
		}
		id, size := read(list)
		if size == 0 {
			return "", nil, false
		}
		identifiers = append(identifiers, id)
		list = list[size:]
	}
	return summary, identifiers, true
}

// read reads the space and the identifier at the beginning of a list. The size is 0 if it is
// not in the form of written.
func read(list string) (id string, size int) {
	rest, found := strings.CutPrefix(list, " ")
	if !found {
		return "", 0
	}
	text := rest
	if strings.HasPrefix(rest, `"`) {
		if text = jsonString(rest); text == "" || json.Unmarshal([]byte(text), &id) != nil {
			return "", 0
		}
	} else {
		text, _, _ = strings.Cut(rest, separator)
		id = text
	}
	if written(id) != text {
		return "", 0
	}
	return id, 1 + len(text)
}

// jsonString returns the JSON string at the beginning of a text, "" if it does not end.
func jsonString(text string) string {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[:i+1]
		}
	}
	return ""
}

// written returns an identifier as written in the paragraph.
func written(id string) string {
	if isBare(id) {
		return id
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(id) // a string always has a JSON text
	return strings.TrimSuffix(b.String(), "\n")
}

// isBare reports whether an identifier needs no quotes.
func isBare(id string) bool {
	if id == "" || strings.ContainsAny(id, quoted) {
		return false
	}
	for _, r := range id {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError {
			return false
		}
	}
	return true
}
