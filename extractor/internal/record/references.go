package record

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// References returns the entities that a record, or an object without an identity, refers
// to, with the types in the names of its keys. Usually nothing is known about them but the
// record that refers to them: "of Headphones". The result is valid until the next call
// of a method of the object.
func (o *Object) References(id Identity, record *finding.Sighting) []Found {
	var whose []byte
	o.scratch.found = o.scratch.found[:0]
	for fd := range o.own() {
		to, why := o.referenced(fd, record.Type)
		if why == Undecided || fd == id.field || fd.Became == Alias || o.isPosition(fd) {
			continue
		}
		fd.Became = why // also the record's own identifier under a second key, which is no candidate
		if bytes.Equal(to.ID, record.ID) || o.isSecondID(fd) {
			continue
		}
		if len(to.Name) == 0 {
			to.Name = o.nameBeside(fd)
		}
		o.describeLate(record)
		switch {
		case len(whose) > 0:
		case len(record.Name) > 0:
			whose = o.scratch.join(nil, "of ", record.Name)
		case len(record.ID) > 0 && len(record.Description) > 0:
			facts := shortFacts(record.Description)
			if len(facts) == 0 {
				facts = record.Description
			}
			whose = o.scratch.join(nil, "of ", facts)
		default:
			whose = record.Description
		}
		if len(to.Name) == 0 && !vocabulary.SharedNouns.Has(naming.LastWord(fd.Key.Noun)) {
			to.Description, to.Slight = whose, true
		}
		o.scratch.found = append(o.scratch.found, Found{to, fd})
	}
	return o.scratch.found
}

// isSecondID reports whether a field is a further identifier of the entity in the field before it,
// folder_uid after folder_id, and keeps it as an alias.
func (o *Object) isSecondID(fd *Field) bool {
	n, k := len(o.scratch.found), fd.Key
	if n == 0 {
		return false
	}
	first := &o.scratch.found[n-1]
	isTyped := k.Class == naming.ClassTypedID && first.Field.Key.Class == naming.ClassTypedID
	if !isTyped || first.Field.Key == k || first.Type != k.Noun || first.AliasCount == maxAliases || bytes.Equal(first.ID, fd.Text) {
		return false
	}
	first.Aliases = o.scratch.join(first.Aliases, "\n", fd.Text)
	first.AliasCount++
	fd.Became = Alias
	return true
}

// describeLate describes an object without an identity once something refers to it.
func (o *Object) describeLate(s *finding.Sighting) {
	if len(s.ID) == 0 && !o.described && o.has.Has(naming.TraitRefers|naming.TraitIdentifies) {
		s.Description = o.describe(s, nil, nil)
	}
	o.described = true
}

// referenced returns the entity that a field refers to, in a record of a type, and the reason. The reason is
// Undecided if the field refers to none.
func (o *Object) referenced(fd *Field, record string) (to finding.Sighting, why Reason) {
	k, text := fd.Key, fd.Text
	refers, isText := k.Traits.Has(naming.TraitRefers), k.Class == naming.ClassPlain && fd.Kind == document.String && k.Noun != ""
	to = finding.Sighting{Type: k.Noun, Role: memory.RoleReference, ID: text}
	switch name, id, named := nameAndID(text); {
	case k.Name == "sha" && record != commit && shape.IsCommitID(text):
		to.Type = commit
		return to, ForeignKey
	case k.Class == naming.ClassTypedID && refers && k.Noun != naming.PageToken && !english.SameNoun(k.Noun, record) && fd.isTypedID() &&
		string(text) != "0" && (k.Rank <= 1 || shape.HasDigit(text) && fd.shape() >= shape.MaybeID): // numbers and codes look like one
		return to, ForeignKey
	case isText && hasOwnPrefix(fd): // {"default_price": "price_7hEX91vq"}, or MRN70230630 in column mrn
		to.Type = naming.LastWord(k.Noun)
		return to, OwnPrefix
	case isText && refers && named:
		to.ID, to.Name = id, o.clean(name)
		return to, NamedReference
	case isText && refers && fd.looksLikeID() &&
		(k.Traits.Has(naming.TraitThing) || fd.shape() == shape.SurelyID || shape.IsSerialCode(text)):
		return to, CodeOfThing
	}
	return to, Undecided
}

// nameBeside returns the name, within the record, of the entity that a field refers to: the
// channelTitle beside a channelId. The full name of a person is preferred to a handle.
func (o *Object) nameBeside(ref *Field) []byte {
	name := ref.Called
	for fd := range o.own() {
		switch {
		case isPersonal(fd) && vocabulary.PersonNouns.Has(ref.Key.Noun):
			return o.clean(fd.Text)
		case len(name) == 0 && fd.Key.Class == naming.ClassTypedName && fd.Key.Noun == ref.Key.Noun:
			name = fd.Text
		}
	}
	return o.clean(name)
}

// hasOwnPrefix reports whether an identifier begins with the noun of its key.
func hasOwnPrefix(fd *Field) bool {
	noun, text := naming.LastWord(fd.Key.Noun), fd.Text
	return len(text) > len(noun)+2 && bytes.EqualFold(text[:len(noun)], []byte(noun)) && fd.looksLikeID()
}

// commit is the type of a "sha".
const commit = "commit"

// nameAndID splits "Jane Smith (CUST-88213)".
func nameAndID(text []byte) (name, id []byte, ok bool) {
	i := bytes.LastIndexByte(text, '(')
	if i < 2 || !bytes.HasSuffix(text, []byte(")")) {
		return nil, nil, false
	}
	id = text[i+1 : len(text)-1]
	return bytes.TrimSpace(text[:i]), id, shape.Of(id) >= shape.LikelyID
}

// Candidates returns the fields that a tool may take as identifiers, besides those that
// are the record's own or refer to other records. Links of a record with an identity are left out, because
// they lead to the record. The result is valid until the next call of a method of
// the object.
func (o *Object) Candidates(record *finding.Sighting) []Found {
	o.scratch.found = o.scratch.found[:0]
	for fd := range o.own() {
		if fd.Became != Undecided && fd.Became.Is() != "label" || o.Property && fd.Key.Class == naming.ClassID {
			continue
		}
		name, text := mailbox(fd.Text)
		why := Candidacy(fd.Key, fd.Kind, text, fd.Spaced)
		switch {
		case fd.Key.Class == naming.ClassTrace && len(record.ID) == 0 &&
			(o.Outermost && o.HasParts && fd.Key.Noun != "request" || o.Key != nil && o.Key.Name == "meta"):
			why = Noise // of the answer, beside what it is about
		case why != Candidate || len(record.ID) == 0:
		case isLink(fd.Key) && !(naming.HasWord(fd.Key.Snake, &vocabulary.ContentWords) && bytes.IndexByte(text, '{') < 0), // download_url
			fd.Key.Class == naming.ClassName && (!fd.looksLikeID() || text[0] == '#'):
			why = LinkOfRecord
		case addressKeys.Has(fd.Key.Snake):
			why = OwnAddress
		}
		if why == Candidate || fd.Became == Undecided {
			fd.Became = why
		}
		if why == Candidate {
			o.describeLate(record)
			label := record.Name
			if len(label) == 0 {
				label = record.Description
			}
			if shape.IsEmail(text) && o.find(isPersonsName) == nil { // the subject of a mail names no sender
				label = nil
			}
			s := finding.Sighting{Type: o.CandidateType(o.call, fd.Key, text), Role: memory.RoleCandidate, ID: text}
			s.Name, s.Description = o.clean(name), withoutFact(label, text)
			o.scratch.found = append(o.scratch.found, Found{s, fd})
		}
	}
	return o.scratch.found
}

// isPersonsName reports whether a field can be the name of a person, or a part of it.
func isPersonsName(fd *Field) bool {
	return fd.Key.Traits.Has(naming.TraitPerson) || fd.Key.Traits.Has(naming.TraitName) && naming.LastWord(fd.Key.Snake) == "name"
}

// maxSpaces is the number of spaces in the longest name.
const maxSpaces = 4

// isFileName reports whether a text is the name of a file, with spaces in it or not.
func isFileName(text []byte) bool {
	const longest = 8
	dot := bytes.LastIndexByte(text, '.')
	return dot > 0 && len(text)-dot-1 <= longest && vocabulary.FileExtensions.HasBytes(bytes.ToLower(text[dot+1:])) &&
		bytes.Count(text, []byte(" ")) <= maxSpaces && !bytes.Contains(text, []byte(". "))
}

// mailbox splits "Ann Lee <ann@example.com>" into the name and the address. Of other texts
// it returns only the text.
func mailbox(text []byte) (name, rest []byte) {
	i := bytes.LastIndexByte(text, '<')
	if i < 0 || !bytes.HasSuffix(text, []byte(">")) || !shape.IsEmail(text[i+1:len(text)-1]) {
		return nil, text
	}
	return bytes.Trim(text[:i], " \""), text[i+1 : len(text)-1]
}

// withoutFact returns a label without its first fact if that is the given one.
func withoutFact(label, fact []byte) []byte {
	rest, ok := bytes.CutPrefix(label, fact)
	if !ok || len(rest) > 0 && !bytes.HasPrefix(rest, []byte(finding.FactSeparator)) {
		return label
	}
	return bytes.TrimPrefix(rest, []byte(finding.FactSeparator))
}

// noKey is the key of values without one: items of a list at the root.
var noKey = &naming.Key{}

// CandidateType returns the type of a candidate under a key, or in a list of the object's
// kind if k is nil.
func (o *Object) CandidateType(call *Call, k *naming.Key, text []byte) string {
	k = cmp.Or(k, noKey)
	collection := collectionOf(k, text)
	switch {
	case shape.IsEmail(text):
		return vocabulary.EmailAddress
	case isLink(k) && !k.Traits.Has(naming.TraitThing) && bytes.Contains(text, []byte("://")): // not queue_url
		return "url"
	case collection != "" && (o.Noun == "" || o.Inherited):
		return collection
	case k.Noun != "" && !vocabulary.VagueNouns.Has(k.Noun) && strings.Count(k.Noun, "_") < 3: // more words are a phrase
		return k.Noun
	}
	return cmp.Or(o.Noun, call.Tool.Noun)
}

func isLink(k *naming.Key) bool { return k.Class == naming.ClassLink || k.Rank >= naming.RankURL }

// Candidacy returns Candidate for a scalar that may be an identifier under any key, else the reason why it
// is not one. An identifier has spaces only if spaced is set.
func Candidacy(k *naming.Key, kind document.Kind, text []byte, spaced bool) Reason {
	const shortest, longest, shortestNumber = 3, 200, 5
	k = cmp.Or(k, noKey)
	noun, isPlain, digits := naming.LastWord(k.Noun), k.Class == naming.ClassPlain, shape.IsDigits(text)
	// Tools take branches and buckets by their names: branch, bucket_name.
	isThing := vocabulary.NamedNouns.Has(noun) && (isPlain || k.Class == naming.ClassTypedName) && k.Snake != "job_title"
	hasSpace := bytes.IndexByte(text, ' ') >= 0
	isListed := k.Plural && bytes.Count(text, []byte(" ")) <= maxSpaces // "sheets": ["Raw Data"]
	switch last := naming.LastWord(k.Snake); {
	case len(text) < shortest, len(text) > longest, kind == document.Bool,
		!shape.MayBeCandidate(text) && !isThing && !isFileName(text):
		return NoIdentifier
	case k.Class == naming.ClassNoise, k.Class == naming.ClassTrace && shape.IsOpaque(text),
		k.Noun == naming.PageToken, k.Rank == naming.RankSelf:
		return Noise
	case k.Class == naming.ClassType, isThing && vocabulary.ProductNames.HasBytes(text): // {"database": "PostgreSQL"}
		return StatedType
	case vocabulary.CellNouns.Has(noun) && shape.IsCell(text),
		isPlain && vocabulary.ValueNouns.Has(last) && !shape.IsOpaque(text),
		isPlain && digits && (k.Plural || naming.HasWord(k.Snake, &vocabulary.FigureWords)),
		kind == document.Number && (len(text) < shortestNumber || !digits),
		kind == document.Number && isPlain && (!k.Traits.Has(naming.TraitThing) || vocabulary.NotReferenced.Has(last)):
		return Figure
	case kind == document.Number:
		return Candidate
	case !IsIDText(text, spaced), hasSpace && !isFileName(text) && !isListed:
		return NoIdentifier
	case hasSpace, isPlain && shape.IsEmail(text):
		return Candidate
	}
	s := shape.Of(text)
	isLikely := isThing || s >= shape.LikelyID
	switch {
	case s == shape.NotID, shape.IsMediaType(text), shape.IsShare(text),
		!isThing && !shape.HasDigit(text) && !shape.IsPath(text) && !shape.IsGenerated(text):
		return NoIdentifier
	case !isLikely && digits:
		return Figure
	case !isLikely && isPlain && k != noKey && shape.IsShortWord(text), shape.IsNotation(text): // gp3
		return NoIdentifier
	}
	return Candidate
}

// addressKeys are fields with the address of the record's subject.
var addressKeys = vocabulary.Set{List: `email email_address mail e_mail`}
