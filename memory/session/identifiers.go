package session

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The paragraph of identifiers in Session.Context: the last one, of one line. An
// identifier stands there as it is; one with a space, a comma, a quote, or anything
// that has no shape, as a JSON string.
const (
	identifierLabel    = "Identifiers:"
	identifierSep      = ","
	paragraphSep       = "\n\n"
	identifiersPerJSON = `",\`
)

// joinContext puts identifiers behind a summary. splitContext gives both back,
// whatever they are.
func joinContext(summary string, identifiers []string) string {
	if len(identifiers) == 0 {
		if _, _, found := cutIdentifiers(summary); !found {
			return summary
		}
		// The summary ends with what looks like our paragraph: an empty one behind
		// it keeps it a part of the summary.
	}
	paragraph := identifierParagraph(identifiers)
	if summary == "" {
		return paragraph
	}
	return summary + paragraphSep + paragraph
}

func identifierParagraph(identifiers []string) string {
	var b strings.Builder
	b.WriteString(identifierLabel)
	for i, id := range identifiers {
		if i > 0 {
			b.WriteString(identifierSep)
		}
		b.WriteByte(' ')
		b.WriteString(written(id))
	}
	return b.String()
}

// splitContext is the reverse of joinContext. A text that joinContext did not write
// is all summary.
func splitContext(text string) (summary string, identifiers []string) {
	summary, identifiers, found := cutIdentifiers(text)
	if !found {
		return text, nil
	}
	return summary, identifiers
}

// cutIdentifiers finds the paragraph that a text ends with.
func cutIdentifiers(text string) (summary string, identifiers []string, found bool) {
	paragraph := text
	if i := strings.LastIndex(text, paragraphSep); i >= 0 {
		summary, paragraph = text[:i], text[i+len(paragraphSep):]
		if summary == "" {
			return "", nil, false
		}
	}
	list, found := strings.CutPrefix(paragraph, identifierLabel)
	if !found {
		return "", nil, false
	}
	for first := true; list != ""; first = false {
		if !first {
			if list, found = strings.CutPrefix(list, identifierSep); !found {
				return "", nil, false
			}
		}
		id, size := readIdentifier(list)
		if size == 0 {
			return "", nil, false
		}
		identifiers = append(identifiers, id)
		list = list[size:]
	}
	return summary, identifiers, true
}

// readIdentifier reads the space and the identifier that a list begins with. The
// size is 0 if it is not as written writes it.
func readIdentifier(list string) (id string, size int) {
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
		text, _, _ = strings.Cut(rest, identifierSep)
		id = text
	}
	if written(id) != text {
		return "", 0
	}
	return id, 1 + len(text)
}

// jsonString returns the JSON string that a text begins with, "" if it does not end.
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

// written returns an identifier as it stands in the paragraph.
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

// isBare reports whether an identifier can stand without quotes.
func isBare(id string) bool {
	if id == "" || strings.ContainsAny(id, identifiersPerJSON) {
		return false
	}
	for _, r := range id {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError {
			return false
		}
	}
	return true
}
