package extractor

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

const (
	// maxFacts is how many facts a description holds.
	maxFacts = 4
	// maxFactBytes is how long a text can be and still tell a record apart at a glance.
	maxFactBytes = 40
	// maxDescriptionBytes is how long a description gets.
	maxDescriptionBytes = 96
)

// describe is a short text that tells a record apart: the facts that it states
// about itself, texts first, in their order: "red, 10 hours".
func (f *finder) describe(typ string, fields []field, id, name *field) string {
	var facts []string
	size := 0
	take := func(text string) {
		if text != "" && len(facts) < maxFacts && size+len(text)+2 <= maxDescriptionBytes && !slices.Contains(facts, text) {
			facts = append(facts, text)
			size += len(text) + 2
		}
	}
	for _, pass := range [...]func(*field) bool{isOwnText, isInnerText} {
		for i := range fields {
			if fd := &fields[i]; fd != id && fd != name && pass(fd) && f.isFact(typ, fd) {
				take(cleanText(f.value(fd)))
			}
		}
	}
	if len(facts) < 2 {
		for i := range fields {
			if fd := &fields[i]; fd.kind == document.Number && fd.key.class == classPlain && len(f.value(fd)) <= 12 {
				take(strings.ReplaceAll(fd.key.snake, "_", " ") + " " + string(f.value(fd)))
			}
		}
	}
	return strings.Join(facts, ", ")
}

func isOwnText(fd *field) bool   { return !fd.nested && fd.kind == document.String }
func isInnerText(fd *field) bool { return fd.nested && fd.kind == document.String }

// isFact reports whether a text says something a reader could tell a record
// apart by, and is neither an identifier nor a paragraph.
func (f *finder) isFact(typ string, fd *field) bool {
	text := f.value(fd)
	if fd.key.given || fd.key.family || bytes.HasSuffix(text, []byte("_id")) || emptyFacts.hasBytes(bytes.ToLower(text)) {
		return false
	}
	switch fd.key.class {
	case classPlain, classTypedName, className:
	case classType:
		return len(text) <= maxFactBytes && shapeOf(text) <= maybeID && plausibleType(text) != typ
	case classWeakID:
		return !fd.nested && len(text) <= 20 && !bytes.ContainsAny(text, "0123456789/")
	default:
		return false
	}
	if len(text) < 2 || len(text) > maxFactBytes || bytes.IndexByte(text, '@') > 0 {
		return false
	}
	return shapeOf(text) < likelyID || isDigits(text) && len(text) <= 4
}

// emptyFacts are texts that tell nothing about a record.
var emptyFacts = words(`ok success successful true false yes no none null n/a na unknown undefined default`)

// cleanText makes a text one line: white space is folded, control characters go.
// The result shares no memory with the input.
func cleanText(text []byte) string {
	if isCleanLine(text) {
		return string(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
		case unicode.IsControl(r):
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isCleanLine reports whether a text is plain ASCII without anything cleanText changes.
func isCleanLine(text []byte) bool {
	prev := byte(' ')
	for _, c := range text {
		if c < 0x20 || c >= 0x7f || c == ' ' && prev == ' ' {
			return false
		}
		prev = c
	}
	return prev != ' '
}

// isUTF8Line reports whether a text is valid UTF-8 without control characters.
func isUTF8Line(text []byte) bool {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 || unicode.IsControl(r) {
			return false
		}
		i += size
	}
	return true
}

// cutText cuts a text at a rune boundary to at most n bytes and marks the cut with "…".
func cutText(text []byte, n int) []byte {
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return append(bytes.Clone(text[:n]), "…"...)
}
