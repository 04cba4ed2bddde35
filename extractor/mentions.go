package extractor

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/prose"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxProseBytes is how much of a text is searched for identifiers.
const maxProseBytes = 256 << 10

// text reads a text that is not a document: a bare identifier, or prose.
func (f *finder) text(kind document.Kind, text []byte) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || kind == document.Null || kind == document.Bool {
		return
	}
	f.prose++
	if isErrorText(text) {
		f.failed = true
	}
	if !bytes.ContainsAny(text, " \t\r\n") && f.bareText(kind, text) {
		return
	}
	if len(text) > maxProseBytes {
		text, f.cut = text[:maxProseBytes], true
	}
	before := len(f.found)
	topic := prose.Topic{Noun: f.topic(), Created: f.tool.Effect == naming.EffectCreated, TypeOf: f.argumentType}
	prose.Read(text, topic, f.addMention)
	if f.tool.Lists && !hasRecord(f.found[before:]) {
		f.rows(text)
	}
}

func hasRecord(found []finding) bool {
	return slices.ContainsFunc(found, func(c finding) bool { return c.role != memory.RoleCandidate })
}

// argumentType returns the type that a call's argument with the given id names, or "".
func (f *finder) argumentType(id []byte) string {
	typ := ""
	for i := range f.args.args {
		if a := &f.args.args[i]; a.id == string(id) && a.key != nil && a.key.Class == naming.ClassTypedID {
			typ = cmp.Or(a.key.Noun, typ)
		}
	}
	return typ
}

// addMention adds an identifier of a text and reports whether there is room for more. A
// record beyond the limit is a candidate.
func (f *finder) addMention(m prose.Mention) bool {
	s := sighting{typ: cmp.Or(m.Type, memory.FallbackType), order: f.next(), id: m.ID, name: nameText(m.Label), path: f.path(-1)}
	if len(s.name) == 0 && len(m.Subject) > 0 {
		s.description = append([]byte("of "), nameText(m.Subject)...)
	}
	if m.Sure && (isDisplayName(string(m.Label)) || !f.isCandidate(m.ID)) {
		if c := f.add(&s); c != nil {
			c.stood = memory.PlaceText
			return true
		}
	}
	if f.candidates >= f.x.limits.Candidates {
		return !f.full
	}
	f.candidates++
	s.role = memory.RoleCandidate
	f.addFinding(&s).stood = memory.PlaceText
	return true
}

// isCandidate reports whether a value has been found as a candidate, in the fields of a
// text that is now read as prose.
func (f *finder) isCandidate(id []byte) bool {
	for i := range f.found {
		if c := &f.found[i]; c.role == memory.RoleCandidate && bytes.Equal(f.id(c), id) {
			return true
		}
	}
	return false
}

// topic returns the default type of a text's subject: the noun of the tool's name, or
// what remains of a name such as get_listing, whose noun is a container.
func (f *finder) topic() string {
	if f.tool.Noun == "" && len(f.tool.Words) == 1 && vocabulary.EntityNouns.Has(f.tool.Words[0]) {
		return f.tool.Words[0]
	}
	return f.tool.Noun
}

// bareText reads a result of one word and reports whether it is an identifier. A number
// is one only if the tool's name gives its type: find_user_id, create_ticket.
func (f *finder) bareText(kind document.Kind, text []byte) bool {
	if len(text) > shape.MaxID || f.tool.Counts || vocabulary.DigestNouns.Has(f.tool.Noun) {
		return true // and nothing else either
	}
	s := shape.Of(text)
	ok := s >= shape.LikelyID && f.tool.Noun != "" || s == shape.SurelyID
	if s == shape.MaybeID && f.tool.Noun != "" && !vocabulary.StatusWords.Has(strings.ToLower(string(text))) {
		asksForID := strings.Contains(strings.Join(english.Words(f.name), "_"), "_id")
		ok = asksForID || f.tool.Effect == naming.EffectCreated && shape.HasDigit(text)
	}
	ok = ok || s >= shape.LikelyID && f.tool.Effect == naming.EffectCreated
	if kind == document.Number && !shape.IsDigits(text) {
		ok = false
	}
	if ok {
		f.add(&sighting{typ: cmp.Or(f.tool.Noun, memory.FallbackType), order: f.next(), id: text, path: f.path(-1)})
	}
	return ok || kind == document.Number
}

// nameText returns a text as a name: one line, cut to a limit, and empty if it holds a
// secret.
func nameText(text []byte) []byte {
	if secret.Within(text) {
		return nil
	}
	if len(text) > maxValueBytes {
		text = cutText(text, maxValueBytes)
	}
	return appendClean(nil, text)
}
