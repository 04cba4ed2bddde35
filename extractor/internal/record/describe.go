package record

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
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
func (o *Object) describe(record *finding.Sighting, id, name *Field) (text []byte, slight bool) {
	d := description{buf: o.scratch.text, start: len(o.scratch.text)}
	if name == nil {
		o.describeFirst(&d, record)
	}
	telling := name != nil || d.facts > 0
	var present [passes]bool
	for i := range o.Fields {
		if fd := &o.Fields[i]; fd.Kind == document.String && fd != id && fd != name {
			fd.pass = fd.describingPass()
			present[fd.pass] = true
			telling = telling || fd.pass <= childNames && isTelling(record, fd)
		}
	}
	if !telling {
		o.describeByHandle(&d, record, id, false)
	}
	for pass := range passes {
		for i := 0; i < len(o.Fields) && present[pass] && d.facts < maxFacts; i++ {
			if fd := &o.Fields[i]; fd.pass == pass && fd.Kind == document.String && fd != id && fd != name && isFact(record, fd) {
				d.addField(fd)
			}
		}
	}
	if d.facts == 0 {
		o.describeByHandle(&d, record, id, true)
	}
	slight = d.facts == 0
	if d.facts < 3 {
		for _, nested := range [...]bool{false, true} {
			for i := range o.Fields {
				if fd := &o.Fields[i]; fd != id && fd.Nested == nested && fd.Kind == document.Number && fd.Key.Class == naming.ClassPlain && len(fd.Text) <= 12 {
					d.add(fd.Key.Snake, fd.Text)
				}
			}
		}
	}
	if d.facts < 2 {
		o.lastResorts(&d, record, id, name)
	}
	o.scratch.text = d.buf
	return d.buf[d.start:], slight
}

// describeFirst adds the record's own description or, of a message, its text, which of a
// record without a name says most.
func (o *Object) describeFirst(d *description, record *finding.Sighting) {
	for i := range o.Fields {
		fd := &o.Fields[i]
		if fd.Nested || fd.Kind != document.String || !describesWhole(fd.Key) {
			continue
		}
		if text := fd.Text; HasLetter(text) && !reportsOutcome(text, record.Type, record.ID) {
			if len(text) > maxOwnDescription {
				text = Cut(text, maxOwnDescription)
			}
			d.add("", text)
		}
	}
}

// describesWhole reports whether a field describes its whole record.
func describesWhole(k *naming.Key) bool {
	switch k.Snake {
	case "description", "nickname", "text", "message":
		return true
	}
	return false
}

// describeByHandle adds what people call a thing that has no name: an address, its code or
// number or, as a last resort, an alias and where it leads to.
func (o *Object) describeByHandle(d *description, record *finding.Sighting, id *Field, last bool) {
	for _, is := range [...]func(*Field) bool{holdsAddress, isWeakID, isLinkField} {
		for i := range o.Fields {
			fd := &o.Fields[i]
			if fd == id || fd.Nested || !is(fd) || fd.Kind != document.String || !last && (isLink(fd.Key) || isAlias(fd, id, record.Type) || shape.IsDateOrTime(fd.Text)) {
				continue
			}
			text := fd.Text
			if len(text) > maxOwnDescription {
				text = Cut(text, maxOwnDescription)
			}
			d.add("", text)
			return
		}
	}
}

func holdsAddress(fd *Field) bool { return fd.Key.Class == naming.ClassPlain && shape.IsEmail(fd.Text) }
func isWeakID(fd *Field) bool {
	return fd.Key.Class == naming.ClassWeakID && fd.Key.Rank < naming.RankURL
}

func isLinkField(fd *Field) bool { return isLink(fd.Key) }

// isTelling reports whether a text says more than the state or the kind of its record.
func isTelling(record *finding.Sighting, fd *Field) bool {
	switch naming.LastWord(fd.Key.Snake) {
	case "status", "state", "type", "kind", "format":
		return false
	}
	return isFact(record, fd) && !vocabulary.StatusWords.HasBytes(bytes.ToLower(fd.Text[:min(len(fd.Text), maxFactBytes)]))
}

// maxOwnDescription is how much of a record's own description its label holds.
const maxOwnDescription = 60

// shortFacts returns the first facts of a description, as many as fit at a glance.
func shortFacts(description []byte) []byte {
	if len(description) <= maxFactBytes {
		return description
	}
	return description[:max(0, bytes.LastIndex(description[:maxFactBytes+1], finding.FactSeparator))]
}

// lastResorts adds what a record without other facts says: dates, and the beginning of a
// text.
func (o *Object) lastResorts(d *description, record *finding.Sighting, id, name *Field) {
	for i := range o.Fields {
		fd := &o.Fields[i]
		if fd == id || fd == name || fd.Kind != document.String || d.facts >= 3 {
			continue
		}
		switch text := fd.Text; {
		case fd.Key.Class == naming.ClassPlain && bytes.IndexByte(text, ' ') > 0 && bytes.IndexByte(text, '@') < 0:
			if reportsOutcome(text, record.Type, record.ID) {
				continue
			}
			if len(text) > maxFactBytes {
				text = Cut(text, maxFactBytes)
			}
			d.add("", text)
		case shape.IsDateOrTime(text):
			d.add("", text[:min(len(text), len("2006-01-02T15:04"))])
		}
	}
}

// Facts are added in passes: words of the record's own, its codes and kinds such as gp3,
// names of its children, words of its parts, figures.
const (
	ownWords uint8 = iota
	ownCodes
	childNames
	innerWords
	figures
	passes
)

// describingPass returns the pass in which a text is added.
func (fd *Field) describingPass() uint8 {
	switch {
	case fd.Child && fd.Key.Plural:
		return childNames
	case !HasLetter(fd.Text):
		return figures
	case fd.Nested:
		return innerWords
	case shape.HasDigit(fd.Text) && bytes.IndexByte(fd.Text, ' ') < 0:
		return ownCodes
	}
	return ownWords
}

// HasLetter reports whether a text contains a letter of any script.
func HasLetter(text []byte) bool {
	return len(text) > 0 && shape.IsLetter(text[0]) || bytes.ContainsFunc(text, unicode.IsLetter)
}

// description is a description being built at the end of a buffer.
type description struct {
	buf   []byte
	start int
	facts int
	fact  [maxFacts]span
}

// span is a part of a buffer.
type span struct{ start, end int }

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
	d.buf = AppendLine(d.buf, text)
	fact := d.buf[at:]
	if len(fact) == 0 || d.has(fact) || len(d.buf)-d.start+2 > maxDescriptionBytes {
		d.buf = d.buf[:end]
		return
	}
	d.fact[d.facts] = span{at, len(d.buf)}
	d.facts++
}

// addField adds the value of a field.
func (d *description) addField(fd *Field) {
	before := d.facts
	d.add("", fd.Text)
	if d.facts > before && fd.became == Undecided {
		fd.settle(Fact)
	}
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
func isFact(record *finding.Sighting, fd *Field) bool {
	text := fd.Text
	if fd.Child { // a named record is not told by its parts
		return fd.Key.Plural || len(record.Name) == 0
	}
	if fd.Key.Traits.Has(naming.TraitState) && record.State != "" && record.State != memory.StateActive { // the label begins with it
		return false
	}
	switch fd.Key.Class {
	case naming.ClassPlain, naming.ClassTypedName, naming.ClassName:
		if fd.Key.Given || fd.Key.Family {
			return false
		}
	case naming.ClassTypedID:
		if fd.Key.Rank < naming.RankTag { // image_tag
			return false
		}
	case naming.ClassType:
		return len(text) <= maxFactBytes && fd.shape() <= shape.MaybeID && naming.PlausibleType(text) != record.Type && !saysNothing(text)
	case naming.ClassWeakID:
		return !fd.Nested && len(text) <= 20 && !bytes.ContainsAny(text, "0123456789/") && !saysNothing(text)
	default:
		return false
	}
	return len(text) >= 2 && len(text) <= maxFactBytes && !saysNothing(text) && !shape.IsMediaType(text) && bytes.IndexByte(text, '@') <= 0 &&
		(shape.IsDigits(text) && len(text) <= 4 || !fd.looksLikeID()) && !reportsOutcome(text, record.Type, record.ID)
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
	"ok", "success", "successful", "true", "false", "yes", "no", "none", "null", "n/a", "na", "unknown", "undefined", "default", "<none>",
}
