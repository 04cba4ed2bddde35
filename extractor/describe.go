package extractor

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

const (
	// maxFacts is the number of facts in a description.
	maxFacts = 6
	// maxFactBytes is the length up to which a text tells a record apart at a glance.
	maxFactBytes = 40
	// maxDescriptionBytes is the length of a description.
	maxDescriptionBytes = 160
)

// describe returns a short text that tells a record apart, built from the record's
// own facts: "red, 10 hours, 20-45-77". Words come before figures, and the record's
// own facts before those of its parts. slight reports whether there are only figures.
func (f *finder) describe(record *sighting, fields []field, id, name *field) (text []byte, slight bool) {
	d := description{buf: f.scratch, start: len(f.scratch)}
	if name == nil {
		f.described(&d, record, fields)
	}
	for _, pass := range [...]func(*field) bool{f.isOwnWord, f.isChild, f.isInnerWord, f.isFigure} {
		for i := range fields {
			fd := &fields[i]
			if fd.kind == document.String && d.facts < maxFacts && fd != id && fd != name && pass(fd) && f.isFact(record, fd) {
				d.add("", f.value(fd))
			}
		}
	}
	slight = d.facts == 0
	if d.facts < 3 {
		for i := range fields {
			if fd := &fields[i]; fd != id && fd.kind == document.Number && fd.key.Class == naming.ClassPlain && len(f.value(fd)) <= 12 {
				d.add(fd.key.Snake, f.value(fd))
			}
		}
	}
	if d.facts < 2 {
		f.lastResorts(&d, record, fields, id, name)
	}
	f.scratch = d.buf
	return d.buf[d.start:], slight
}

// described adds the record's own description, which of a record without a name says most.
func (f *finder) described(d *description, record *sighting, fields []field) {
	for i := range fields {
		fd := &fields[i]
		if fd.nested || fd.kind != document.String || fd.key.Snake != "description" && fd.key.Snake != "nickname" {
			continue
		}
		if text := f.value(fd); hasLetter(text) && !reportsOutcome(text, record.typ, record.id) {
			if len(text) > maxOwnDescription {
				text = cutText(text, maxOwnDescription)
			}
			d.add("", text)
		}
	}
}

// maxOwnDescription is how much of a record's own description its label holds.
const maxOwnDescription = 60

// shortFacts returns the first facts of a description, as many as fit at a glance.
func shortFacts(description []byte) []byte {
	if len(description) <= maxFactBytes {
		return description
	}
	return description[:max(0, bytes.LastIndex(description[:maxFactBytes+1], factSeparator))]
}

// lastResorts adds what a record without other facts says: dates, and the beginning of a
// text.
func (f *finder) lastResorts(d *description, record *sighting, fields []field, id, name *field) {
	for i := range fields {
		fd := &fields[i]
		if fd == id || fd == name || fd.kind != document.String || d.facts >= 3 {
			continue
		}
		switch text := f.value(fd); {
		case fd.key.Class == naming.ClassPlain && bytes.IndexByte(text, ' ') > 0 && bytes.IndexByte(text, '@') < 0:
			if reportsOutcome(text, record.typ, record.id) {
				continue
			}
			if len(text) > maxFactBytes {
				text = cutText(text, maxFactBytes)
			}
			d.add("", text)
		case shape.IsDateOrTime(text):
			d.add("", text[:min(len(text), len("2006-01-02T15:04"))])
		}
	}
}

func (f *finder) isOwnWord(fd *field) bool   { return !fd.nested && hasLetter(f.value(fd)) }
func (f *finder) isChild(fd *field) bool     { return fd.child }
func (f *finder) isInnerWord(fd *field) bool { return fd.nested && hasLetter(f.value(fd)) }
func (f *finder) isFigure(fd *field) bool    { return !hasLetter(f.value(fd)) }

// hasLetter reports whether a text contains a letter of any script.
func hasLetter(text []byte) bool { return bytes.ContainsFunc(text, unicode.IsLetter) }

// description is a description being built at the end of a buffer.
type description struct {
	buf   []byte
	start int
	facts int
	fact  [maxFacts]span
}

// add appends a fact unless it is a duplicate or does not fit. A figure is preceded
// by its field name.
func (d *description) add(of string, text []byte) {
	if d.facts == maxFacts {
		return
	}
	end := len(d.buf)
	if d.facts > 0 {
		d.buf = append(d.buf, ", "...)
	}
	at := len(d.buf)
	for i := range len(of) {
		d.buf = append(d.buf, of[i])
		if of[i] == '_' {
			d.buf[len(d.buf)-1] = ' '
		}
	}
	if of != "" {
		d.buf = append(d.buf, ' ')
	}
	d.buf = appendClean(d.buf, text)
	fact := d.buf[at:]
	if len(fact) == 0 || d.has(fact) || len(d.buf)-d.start+2 > maxDescriptionBytes {
		d.buf = d.buf[:end]
		return
	}
	d.fact[d.facts] = span{at, len(d.buf)}
	d.facts++
}

func (d *description) has(fact []byte) bool {
	for _, s := range d.fact[:d.facts] {
		if bytes.Equal(d.buf[s.start:s.end], fact) {
			return true
		}
	}
	return false
}

// isFact reports whether a text helps to tell a record apart. Identifiers, paragraphs
// and messages about the call do not.
func (f *finder) isFact(record *sighting, fd *field) bool {
	text := f.value(fd)
	if fd.child {
		return true
	}
	switch fd.key.Class {
	case naming.ClassPlain, naming.ClassTypedName, naming.ClassName:
		if fd.key.Given || fd.key.Family {
			return false
		}
	case naming.ClassTypedID:
		if fd.key.Rank < naming.RankTag { // image_tag
			return false
		}
	case naming.ClassType:
		return len(text) <= maxFactBytes && f.shape(fd) <= shape.MaybeID && naming.PlausibleType(text) != record.typ && !saysNothing(text)
	case naming.ClassWeakID:
		return !fd.nested && len(text) <= 20 && !bytes.ContainsAny(text, "0123456789/") && !saysNothing(text)
	default:
		return false
	}
	return len(text) >= 2 && len(text) <= maxFactBytes && !saysNothing(text) && bytes.IndexByte(text, '@') <= 0 &&
		(shape.IsDigits(text) && len(text) <= 4 || !f.looksLikeID(fd)) && !reportsOutcome(text, record.typ, record.id)
}

// saysNothing reports whether a text carries no information about a record: yes, N/A,
// user_id.
func saysNothing(text []byte) bool {
	if bytes.HasSuffix(text, []byte("_id")) {
		return true
	}
	for _, word := range emptyFacts {
		if len(word) == len(text) && word[0] == text[0]|0x20 && strings.EqualFold(word, string(text)) {
			return true
		}
	}
	return false
}

// emptyFacts are texts without information, compared without regard to case.
var emptyFacts = [...]string{
	"ok", "success", "successful", "true", "false", "yes", "no", "none", "null", "n/a", "na", "unknown", "undefined", "default",
}

// clean returns a text as one line, with white space folded and control characters
// removed. The result is valid until the object ends.
func (f *finder) clean(text []byte) []byte {
	if isCleanLine(text) {
		return text
	}
	start := len(f.scratch)
	f.scratch = appendClean(f.scratch, text)
	return f.scratch[start:]
}

// inScratch joins texts in scratch memory. The result is valid until the object ends.
func (f *finder) inScratch(before []byte, mark string, after []byte) []byte {
	start := len(f.scratch)
	f.scratch = append(append(append(f.scratch, before...), mark...), after...)
	return f.scratch[start:]
}

// appendClean appends a text as one line, with white space folded and control
// characters removed.
func appendClean(b, text []byte) []byte {
	if isCleanLine(text) {
		return append(b, text...)
	}
	start, space := len(b), false
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case unicode.IsSpace(r):
			space = len(b) > start
		case unicode.IsControl(r):
		default:
			if space {
				b = append(b, ' ')
				space = false
			}
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// isCleanLine reports whether cleaning would leave an ASCII text unchanged.
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
		if c := text[i]; ' ' <= c && c < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 || unicode.IsControl(r) {
			return false
		}
		i += size
	}
	return true
}

// cutText cuts a text at a rune boundary to at most n bytes, ending in "…".
func cutText(text []byte, n int) []byte {
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return append(bytes.Clone(text[:n]), "…"...)
}
