package record

import (
	"bytes"
	"cmp"
	"slices"
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

// pass is the order in which facts are added to a description. Facts that tell a record apart at a
// glance come first, facts that many records share come last.
type pass uint8

const (
	leading      pass = iota // substitutes for a missing name, see leadingKeys
	codes                    // codes and addresses of a record without a name or a word of its own
	ownWords                 // words of the record's own
	partNames                // names of its parts, such as a customer
	states                   // its state
	ownCodes                 // its codes, such as gp3
	childNames               // names of the records in its lists
	innerWords               // words of its parts
	figures                  // texts without letters, and dates: amounts, versions, 2026-03-01
	handles                  // addresses, codes and links, if nothing else is known
	numbers                  // of the record's own, after their names
	innerNumbers             // of its parts
	sentences                // the beginning of longer texts
	passes
)

// room is the number of facts up to which a pass may add its own. 0 means maxFacts.
var room = [passes]int{codes: 1, handles: 1, sentences: 3}

// describe returns a short text that tells a record apart, built from the record's
// own facts: "red, 10 hours, 20-45-77". A description of figures alone is slight.
func (o *Object) describe(record *finding.Sighting, id, name *Field) []byte {
	var person []byte
	if len(record.Name) == 0 {
		person = o.personName(true)
	}
	d := description{buf: o.scratch.text, start: len(o.scratch.text)}
	d.add("", person)
	telling := false
	for i := range o.Fields {
		fd := &o.Fields[i]
		if fd.pass = passes; fd != id && fd != name {
			fd.pass = o.passOf(record, fd, id, name != nil)
		}
		isWords := fd.pass >= ownWords && fd.pass <= childNames && fd.pass != states
		telling = telling || isWords && !kindKeys.Has(naming.LastWord(fd.Key.Snake))
	}
	for p := range passes {
		if p == numbers {
			record.Slight = d.facts == 0
		}
		if telling && p == codes || p >= numbers && d.facts >= 3 {
			continue
		}
		for i := 0; i < len(o.Fields) && d.facts < cmp.Or(room[p], maxFacts); i++ {
			if fd := &o.Fields[i]; fd.pass == p {
				d.addField(fd)
			}
		}
	}
	o.scratch.text = d.buf
	return d.buf[d.start:]
}

// passOf returns the pass in which a field is added to a description, or passes.
func (o *Object) passOf(record *finding.Sighting, fd, id *Field, named bool) pass {
	k, text := fd.Key, fd.Text
	isFigure := fd.Kind == document.Number && k.Class == naming.ClassPlain && len(text) <= 12
	isOwners := k.Class == naming.ClassTypedName && naming.LastWord(k.Noun) != "method" && o.find(isPersonal) == nil
	hasSpace := bytes.IndexByte(text, ' ') > 0
	switch {
	case isFigure && fd.Nested:
		return innerNumbers
	case isFigure:
		return numbers
	case fd.Kind != document.String, k.Traits.Has(naming.TraitName) && isCaption(fd, record.Type):
	case !named && !fd.Nested && (isOwners || leadingKeys.Has(k.Snake)) && HasLetter(text) && !saysNothing(text) &&
		!reportsOutcome(text, record.Type, record.ID):
		return leading
	case !isFact(record, fd):
		switch isHandle := k.Class == naming.ClassWeakID || isLink(k) || k.Class == naming.ClassPlain && shape.IsEmail(text); {
		case isHandle && !fd.Nested && !named && !isLink(k) && !isAlias(fd, id, record.Type) && !shape.IsDateOrTime(text):
			return codes
		case isHandle && !fd.Nested:
			return handles
		case k.Class == naming.ClassPlain && hasSpace && bytes.IndexByte(text, '@') < 0 && !saysNothing(text) &&
			!reportsOutcome(text, record.Type, record.ID):
			return sentences
		}
	case fd.Child && k.Plural:
		return childNames
	case !HasLetter(text) || shape.IsDateOrTime(text):
		return figures
	case fd.Child || fd.Nested && k.Class == naming.ClassName:
		return partNames
	case fd.Nested:
		return innerWords
	case !hasSpace && shape.HasDigit(text):
		return ownCodes
	case isStateFact(fd):
		return states
	default:
		return ownWords
	}
	return passes
}

// isFact reports whether a text helps to tell a record apart. Identifiers, paragraphs
// and messages about the call do not.
func isFact(record *finding.Sighting, fd *Field) bool {
	k, text := fd.Key, fd.Text
	switch {
	case fd.Child: // a named record needs no names of its parts
		return k.Plural || len(record.Name) == 0
	case k.Given, k.Family, saysNothing(text),
		k.Traits.Has(naming.TraitState) && record.State != "" && record.State != memory.StateActive: // the label begins with it
		return false
	}
	switch k.Class {
	case naming.ClassType:
		return len(text) <= maxFactBytes && naming.PlausibleType(text) != record.Type
	case naming.ClassWeakID:
		return !fd.Nested && len(text) <= 20 && !bytes.ContainsAny(text, "0123456789/")
	case naming.ClassTypedID:
		if k.Rank < naming.RankTag { // image_tag
			return false
		}
	case naming.ClassPlain, naming.ClassTypedName, naming.ClassName:
	default:
		return false
	}
	return len(text) >= 2 && len(text) <= maxFactBytes && text[0] != '"' && !shape.IsMediaType(text) && bytes.IndexByte(text, '@') <= 0 &&
		!fd.looksLikeID() && !reportsOutcome(text, record.Type, record.ID)
}

// isStateFact reports whether a text is only the state of its record. Two letters are more likely a
// state in an address.
func isStateFact(fd *Field) bool {
	if last := naming.LastWord(fd.Key.Snake); last == "status" || last == "state" {
		return len(fd.Text) > 2
	}
	return isStatus(fd.Text)
}

func isStatus(text []byte) bool {
	return len(text) <= maxFactBytes && vocabulary.StatusWords.HasBytes(bytes.ToLower(text))
}

var (
	// kindKeys are the last words of fields with the kind of their record.
	kindKeys = vocabulary.Set{List: `type kind format`}
	// leadingKeys are fields that describe a record without a name better than others. The name of
	// its owner is another.
	leadingKeys = vocabulary.Set{List: `description nickname text message`}
)

// maxOwnDescription is the number of bytes of a record's own description in its label.
const maxOwnDescription = 60

// shortFacts returns the first facts of a description, as many as fit at a glance.
func shortFacts(description []byte) []byte {
	if len(description) <= maxFactBytes {
		return description
	}
	return description[:max(0, bytes.LastIndex(description[:maxFactBytes+1], finding.FactSeparator))]
}

// HasLetter reports whether a text contains a letter of any script.
func HasLetter(text []byte) bool { return bytes.ContainsFunc(text, unicode.IsLetter) }

// description is a description being built at the end of a buffer.
type description struct {
	buf   []byte
	start int
	facts int
	fact  [maxFacts][]byte
}

// add appends a fact unless it is a duplicate or does not fit. A figure is preceded
// by its field name.
func (d *description) add(of string, text []byte) {
	end := len(d.buf)
	if d.facts > 0 {
		d.buf = append(d.buf, finding.FactSeparator...)
	}
	at := len(d.buf)
	if of != "" {
		d.buf = append(append(d.buf, strings.ReplaceAll(of, "_", " ")...), ' ')
	}
	d.buf = appendLine(d.buf, text)
	fact := d.buf[at:]
	isKnown := slices.ContainsFunc(d.fact[:d.facts], func(known []byte) bool { return bytes.Equal(known, fact) })
	if len(fact) == 0 || isKnown || len(d.buf)-d.start+2 > maxDescriptionBytes {
		d.buf = d.buf[:end]
		return
	}
	d.fact[d.facts] = fact
	d.facts++
}

// addField adds the value of a field: a number behind its name, a date without fractions of a
// second, and of a longer text the beginning.
func (d *description) addField(fd *Field) {
	text, of, longest := fd.Text, "", maxOwnDescription
	switch {
	case fd.pass == numbers || fd.pass == innerNumbers:
		of = fd.Key.Snake
	case shape.IsDateOrTime(text):
		text = text[:min(len(text), len("2006-01-02T15:04:05"))]
	case fd.pass == sentences:
		longest = maxFactBytes
	}
	if len(text) > longest {
		text = Cut(text, longest)
	}
	d.add(of, text)
	if fd.Became == Undecided {
		fd.Became = Fact
	}
}

// saysNothing reports whether a text carries no information about a record: yes, N/A,
// user_id, No description available.
func saysNothing(text []byte) bool {
	var lower [len("successful")]byte
	last := text[bytes.LastIndexByte(text, ' ')+1:]
	return len(last) < len(text) && len(text) > 3 && bytes.EqualFold(text[:3], []byte("no ")) && vocabulary.AbsenceWords.HasBytes(last) ||
		bytes.HasSuffix(text, []byte("_id")) || len(text) <= len(lower) && emptyFacts.HasBytes(naming.AppendStateWord(lower[:0], text))
}

// emptyFacts are texts without information, in lower case.
var emptyFacts = vocabulary.Set{List: `ok success successful true false yes no none null n/a na unknown undefined default <none>`}
