package reading

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/prose"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

const (
	// maxText is the number of bytes of a text that are searched for identifiers.
	maxText = 256 << 10
	// maxTexts is that number for all texts of a result together.
	maxTexts = 4 * maxText
)

// Text reads a text that is not a document as a whole: a bare identifier, or prose with documents in it.
// Every text of a result passes through it.
func (r *Reader) Text(kind document.Kind, text []byte) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || kind == document.Null || kind == document.Bool {
		return
	}
	r.Texts++
	if isErrorText(text) || r.call.Tool.Effect == naming.EffectRead && findsNothing(text, r.call.Tool.Noun) {
		r.call.Failed = true
	}
	r.Cut = r.Cut || len(text) > maxText
	if prose.IsSource(text) {
		return // the call names its file
	}
	text = secret.Redact(r.readParts(r.toSearch(text, maxText), text))
	blankReports(text)
	for _, path := range r.call.Paths { // "Wrote /docs/berth plan.md" names no /docs/berth
		const ends = "[\\s\"'`,;:()\\[\\]>]"
		whole, err := regexp.Compile("(^|" + ends + ")" + regexp.QuoteMeta(string(path)) + "([.]*(?:$|" + ends + "))")
		if err == nil {
			text = whole.ReplaceAll(text, []byte("$1 $2"))
		}
	}
	if !bytes.ContainsAny(text, " \t\r\n") && r.bareText(kind, text) {
		return
	}
	r.search(text, false)
}

// readParts reads the documents in a text, and returns a copy of its beginning with blanks in their place.
func (r *Reader) readParts(head, text []byte) []byte {
	head = bytes.Clone(head)
	if r.nesting >= MaxNestedText || !bytes.ContainsAny(text, "{[`") {
		return head
	}
	failed, about := r.call.Failed, r.report
	for part := range document.Parts(text) {
		blank(head[min(part.Start, len(head)):min(part.End, len(head))])
		before := r.set.Len()
		r.open(text[part.Start:part.End], part.Read)
		if part.Inline {
			r.set.PlaceInText(before)
		}
		if part.Inline || part.Start > maxErrorBytes { // a line of a log is about something else
			r.call.Failed, r.report = failed, about
		}
		if r.isOver() {
			break
		}
	}
	return r.withoutSecrets(head)
}

// search reads a text for identifiers, as a field or as the whole result.
func (r *Reader) search(text []byte, field bool) {
	tool := &r.call.Tool
	topic := prose.Topic{Noun: tool.Noun, Field: field, Signal: r.signal}
	if !field {
		topic.Several, topic.Lists, topic.Created = tool.Plural, tool.Lists, tool.Effect == naming.EffectCreated
	}
	prose.Read(text, topic, r.addMention)
}

// toSearch returns the part of a text that is searched, at most so many bytes. If the call prints
// secrets, only lines without secrets are searched.
func (r *Reader) toSearch(text []byte, most int) []byte {
	most = min(len(text), most)
	n := min(most, maxTexts-r.searched)
	r.searched += n
	r.Cut = r.Cut || n < most
	if text = text[:n]; r.call.Secrets {
		return namesOnly(text)
	}
	return text
}

const (
	// minFieldText is the length in bytes, and minWords the number of words, from which a
	// field is running text.
	minFieldText, minWords = 24, 4
	// maxFieldText is the number of bytes of a text in a field that are searched for identifiers.
	maxFieldText = 4 << 10
)

// isWritten reports whether a field holds running text that may contain identifiers.
func (r *Reader) isWritten(k *naming.Key, text []byte) bool {
	return len(text) >= minFieldText && !r.set.CandidatesFull() && (k == nil || k.Class == naming.ClassPlain) &&
		bytes.Count(text[:min(len(text), maxFieldText)], []byte(" ")) >= minWords-1 && bytes.ContainsAny(text[:min(len(text), maxFieldText)], "0123456789/_#")
}

// BlockTitle is the title of a block, which a tool may return. Its entities are already known.
const BlockTitle = "[WORKING MEMORY]"

// fieldText reads running text in a field, which yields only candidates.
func (r *Reader) fieldText(text []byte) {
	if bytes.Contains(text, []byte(BlockTitle)) || bytes.HasPrefix(text, []byte("-----BEGIN ")) { // a certificate
		return
	}
	r.written++
	r.search(r.toSearch(text, maxFieldText), true)
	r.written--
}

// addMention adds an identifier of a text and reports whether there is room for more. A
// record beyond the limit is a candidate.
func (r *Reader) addMention(m prose.Mention) bool {
	if kind, name, ok := bytes.Cut(m.ID, []byte("/")); ok && len(name) > 0 && 'A' <= m.ID[0] && m.ID[0] <= 'Z' && vocabulary.ResourceKinds.HasBytes(bytes.ToLower(kind)) { // Pod/web-1
		m.Type, m.ID = naming.KindNoun(strings.ToLower(string(kind))), name
	}
	spaced := r.call.Spaced || vocabulary.SpacedNouns.Has(naming.LastWord(m.Type))
	if !record.IsIDText(m.ID, spaced) || bytes.Contains(m.ID, []byte(secret.Mark)) || r.call.Failed && isOfReport(m.ID) {
		return true
	}
	s := finding.Sighting{
		Type: cmp.Or(m.Type, memory.FallbackType), Place: memory.PlaceText, Order: r.Next(),
		ID: m.ID, Name: record.NameText(m.Label), Path: r.path(-1),
	}
	if m.Entry || m.Sure && r.call.Listed && english.SameNoun(m.Type, r.call.Tool.Noun) {
		r.placeBelow(&s, nil)
	}
	if m.View {
		s.Place = memory.PlaceView
	}
	if what := record.NamingOf(s.Name, s.Type, m.ID); what != record.NamesEntity && !(m.Row && bytes.Equal(s.Name, s.ID)) {
		if what == record.NamesFact || m.Row {
			s.Description = s.Name
		}
		s.Name = nil
	}
	if len(s.Name)+len(s.Description) == 0 && len(m.Subject) > 0 {
		s.Description = append([]byte("of "), record.NameText(m.Subject)...)
	}
	nameByItself(&s, m.Sure)
	if m.Sure && (record.IsDisplayName(string(m.Label)) || !r.set.HasCandidate(m.ID)) && r.add(&s, nil, record.Announced) == record.Announced {
		r.explainScalar(document.String, m.ID, s.Type, record.Announced)
		return true
	}
	s.Role = memory.RoleCandidate
	why := r.add(&s, nil, record.Candidate)
	r.explainScalar(document.String, m.ID, s.Type, why)
	return why != record.NoRoom || !r.set.Full()
}

// isOfReport reports whether an identifier in an error message is the address of an explanation
// or the path of an argument: background_colors.0.
func isOfReport(id []byte) bool {
	place := bytes.LastIndexByte(id, '.') + 1
	return bytes.Contains(id, []byte("://")) || place > 1 && len(id)-place < 3 && shape.IsDigits(id[place:]) && shape.IsLetter(id[0]) && !bytes.ContainsAny(id, "/-")
}

// nameByItself names an entity without a name by its identifier if that is a path or a name
// that programs use, and describes a record by the end of its address.
func nameByItself(s *finding.Sighting, sure bool) {
	switch {
	case len(s.Name) > 0:
	case sure && len(s.Description) == 0 && len(endOfAddress(s.ID)) > 0:
		s.Description = endOfAddress(s.ID)
	case shape.IsPath(s.ID) || shape.IsProgramName(s.ID) || bytes.HasSuffix(s.ID, []byte("/")):
		s.Name = s.ID
	}
}

// endOfAddress returns the last part of a resource's address: jobs of
// https://sqs.example/1111/jobs and arn:aws:sqs:eu:1111:jobs.
func endOfAddress(id []byte) []byte {
	if !bytes.Contains(id, []byte("://")) && bytes.Count(id, []byte(":")) < 5 {
		return nil
	}
	if name := id[bytes.LastIndexAny(id, ":/")+1:]; record.NamingOf(name, "", nil) == record.NamesEntity {
		return name
	}
	return nil
}

// bareText reads a result of one word and reports whether it is an identifier. A number
// is one only if the tool's name gives its type: find_user_id, create_ticket.
func (r *Reader) bareText(kind document.Kind, text []byte) bool {
	if len(text) > shape.MaxID || r.call.Tool.Counts || vocabulary.DigestNouns.Has(r.call.Tool.Noun) {
		return true // and nothing else either
	}
	tool, s := &r.call.Tool, shape.Of(text)
	creates, ok := tool.Effect == naming.EffectCreated, false
	switch {
	case kind == document.Number && !shape.IsDigits(text):
	case s >= shape.LikelyID:
		ok = tool.Noun != "" || creates || s == shape.SurelyID
	case s == shape.MaybeID && tool.Noun != "" && !vocabulary.StatusWords.Has(strings.ToLower(string(text))):
		ok = creates && shape.HasDigit(text) || strings.Contains(snakeOf([]byte(r.call.Name)), "_id")
	}
	if ok {
		typ := cmp.Or(tool.Noun, memory.FallbackType)
		r.explainScalar(kind, text, typ, r.add(&finding.Sighting{Type: typ, Order: r.Next(), ID: text, Path: r.path(-1)}, nil, record.Announced))
	}
	return ok || kind == document.Number
}
