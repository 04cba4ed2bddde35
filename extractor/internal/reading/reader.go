package reading

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/interrupt"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxFactBytes is the length up to which an item of a list is a fact.
const maxFactBytes = 40

// Limits bound the reading of a result.
type Limits struct {
	// TopItems, Matches and Items are the numbers of list items taken as records.
	TopItems, Matches, Items int
	// Entities and Candidates are the numbers of findings of each tier.
	Entities, Candidates int
	// Document bounds the document.
	Document document.Limits
}

// Reader is a document.Visitor that finds records. It keeps the scalars of open
// objects only; when an object ends, package record decides what it was. It is not safe
// for concurrent use. The zero value is useful after Start.
type Reader struct {
	// Objects and Texts count the objects and running texts of the result.
	Objects, Texts int
	// Said is the number of bytes of all scalars.
	Said int
	// Cut is set if a part of the result was not read.
	Cut bool
	// Envelope holds the facts about the run of a program.
	Envelope Envelope
	// Explain is called for each value that looks like an identifier or was taken for
	// one. It may be nil.
	Explain func(Judged)

	call   *record.Call
	report report
	signal *interrupt.Signal
	limits Limits
	set    *finding.Set
	keys   *naming.Cache

	pending *naming.Key
	// base is the index of the first frame of the innermost open document.
	base     int
	nesting  int
	order    int
	searched int // bytes of texts that were searched
	// beyond is the depth of the list whose items beyond the limit are being read: they
	// are candidates. It is 0 outside of such a list.
	beyond int
	// written is the number of open documents in texts that people may have written. All
	// values in them are candidates.
	written int
	secrets [][]byte // values taken for secrets
	// ofSecrets is set if the tool is about secrets: create_api_key.
	ofSecrets bool
	buffers
}

// buffers is memory that the next result can reuse.
type buffers struct {
	frames  []frame
	fields  []record.Field
	arena   []byte // of the texts of fields
	pathBuf []byte // of path
	scratch record.Scratch
}

var _ document.Interrupter = (*Reader)(nil)

// Start prepares the reader for a call, whose result it reads until signal ends. Findings
// are added to set.
func (r *Reader) Start(call *record.Call, signal *interrupt.Signal, limits Limits, keys *naming.Cache, set *finding.Set) {
	*r = Reader{call: call, signal: signal, limits: limits, keys: keys, set: set, buffers: r.buffers}
	r.ofSecrets = call.Secrets || secret.IsKey(call.Tool.Words)
	set.Entities, set.Candidates = limits.Entities, limits.Candidates
}

// Reset drops the result and keeps its memory, except buffers larger than most bytes.
func (r *Reader) Reset(most int) {
	b := &r.buffers
	clear(b.frames[:cap(b.frames)]) // frames hold pointers
	clear(b.fields[:cap(b.fields)])
	b.frames, b.fields = finding.Emptied(b.frames, most), finding.Emptied(b.fields, most)
	b.arena, b.pathBuf = finding.Emptied(b.arena, most), finding.Emptied(b.pathBuf, most)
	b.scratch.Reset(most)
	*r = Reader{buffers: *b}
}

// Interrupted implements document.Interrupter.
func (r *Reader) Interrupted(bytes int) bool { return r.signal.After(bytes) }

// Key implements document.Visitor.
func (r *Reader) Key(name []byte) document.Decision {
	if r.isOver() {
		return document.Stop
	}
	fr, k := r.top(), r.keys.Key(name)
	r.pending = k
	if fr.First == nil && k.Name != "heading" {
		fr.First = k
		r.notePart(fr.Key)
	}
	if vocabulary.AboutKeys.Has(k.Snake) && english.Singular(k.Snake) != r.call.Tool.Noun || fr.Key != nil && fr.Key.Name == "_links" && k.Snake != "self" {
		return document.Skip
	}
	if k.Class == naming.ClassMapKey && !r.nextItem(fr, r.limits.Items) {
		return document.Stop
	}
	return document.Take
}

// isOver reports whether to stop reading: the context has ended, or there is no room.
func (r *Reader) isOver() bool {
	r.Cut = r.Cut || r.set.Full()
	return r.signal.After(interrupt.Event) || r.set.Full()
}

// Item implements document.Visitor.
func (r *Reader) Item() document.Decision {
	fr := r.top()
	if r.isOver() || !r.nextItem(fr, fr.limit) {
		return document.Stop
	}
	r.pending = nil
	r.notePart(fr.Key)
	return document.Take
}

// nextItem counts an item of a list, or of a map, and reports whether to read it. Those beyond the
// limit are candidates.
func (r *Reader) nextItem(fr *frame, limit int) bool {
	if fr.index >= limit {
		if r.set.CandidatesFull() {
			r.Cut = true
			return false
		}
		r.beyond = cmp.Or(r.beyond, len(r.frames))
	}
	fr.index++
	return true
}

// Object implements document.Visitor.
func (r *Reader) Object() {
	r.Objects++
	r.push(false)
}

// Array implements document.Visitor.
func (r *Reader) Array() { r.push(true) }

// End implements document.Visitor.
func (r *Reader) End() {
	if r.beyond == len(r.frames) {
		r.beyond = 0
	}
	if fr := r.top(); !fr.array {
		if len(r.frames) <= r.base+2 && r.report.failing && !r.report.identified { // {"id": "t-12", "message": "access denied"}
			r.call.Failed = true
		}
		r.endObject(fr)
	}
	r.frames = r.frames[:len(r.frames)-1]
	r.pending = nil
	if len(r.frames) == 0 {
		r.fields, r.arena = r.fields[:0], r.arena[:0]
	}
}

// Scalar implements document.Visitor.
func (r *Reader) Scalar(kind document.Kind, text []byte) {
	r.Said += len(text)
	if len(r.frames) == r.base {
		r.Text(kind, text)
		return
	}
	fr, k := r.top(), r.pending
	if kind == document.String {
		r.signal.After(len(text))
		text = bytes.TrimSpace(text)
	}
	if kind == document.Null || len(text) == 0 {
		fr.Blank = fr.Blank || k != nil && k.Class == naming.ClassID
		fr.Void = fr.Void || k != nil && k.Snake == "result" && len(r.frames) == r.base+1
		return
	}
	if k != nil && k.Class == naming.ClassSecret || fr.secret && !r.namesSecret(k) && !(r.call.Secrets && kind == document.String && r.holdsDocument(fr, k, text)) {
		r.noteSecret(kind, text)
		return
	}
	if !fr.array && len(r.frames) <= r.base+2 {
		r.noteFailure(fr, k, kind, text)
	}
	switch {
	case kind == document.String && r.holdsDocument(fr, k, text) && r.openNested(fr, k, text):
	case k != nil && r.ofSecrets && (k.Snake == "key" || k.Snake == "value") && !secret.IsKey(english.Words(string(text))):
		r.noteSecret(kind, text) // the key of an API key
	case k != nil && isSettingValue(k, text) && r.isBesideSecret(fr):
		fr.hidSecret = true
		r.noteSecret(kind, text)
	case kind == document.String && record.IsSecret(cmp.Or(k, fr.Key), text[:min(len(text), maxFieldText)]): // no more is read
		r.noteSecret(kind, text)
		rest := secret.Redact(text[:min(len(text), maxFieldText)])
		isName := k != nil && (k.Class == naming.ClassName || k.Class == naming.ClassTypedName)
		if r.isWritten(k, rest) || isName && string(rest) != secret.Mark {
			r.keepText(fr, k, kind, rest)
		}
		fr.secret = fr.secret || fr.array && bytes.HasPrefix(text, []byte("-----BEGIN ")) // a list of its lines
	default:
		r.keepText(fr, k, kind, text)
	}
}

// keepText keeps a scalar as a field of the open object or as an item of a list, and the mentions in
// running text.
func (r *Reader) keepText(fr *frame, k *naming.Key, kind document.Kind, text []byte) {
	if kind == document.String && r.isWritten(k, text) {
		r.fieldText(text)
	}
	if fr.array {
		r.bareItem(fr, kind, text)
	} else {
		r.keepField(fr, k, kind, text)
	}
}

// Read reads a result. A text that begins like an error is read as prose in any case: a
// stack trace has lines like "key: value".
func (r *Reader) Read(result any) (read document.Result) {
	if text := HeadOf(result, maxText); beginsAsError(text) {
		read.Format = document.FormatText
		r.Said += len(text)
		r.Text(document.String, text)
	} else if r.call.Source {
		read.Format = document.FormatText
	} else {
		read = document.Read(result, r, r.limits.Document)
		r.readRest(read, 0, text)
	}
	r.Text(document.String, r.withoutSecrets(r.Envelope.Facts))
	return read
}

// readRest reads the parts that a document's decoder left out as running text.
func (r *Reader) readRest(read document.Result, before int, text []byte) {
	text = text[:min(len(text), maxText)]
	isLines := slices.Contains(lineFormats, read.Format) && !(read.Format == document.FormatCSV && areTitles(text))
	switch {
	case isLines && !r.call.Failed && !r.set.HasRecord(before):
		r.set.Drop(before, func(s *finding.Sighting) bool {
			return s.Role == memory.RoleCandidate && s.Place == memory.PlaceFieldText
		})
		r.Text(document.String, r.withoutSecrets(text))
	case read.Format == document.FormatKeyValue:
		r.unkeyed(r.withoutSecrets(text))
	case len(read.Rest) > 0:
		r.Text(document.String, r.withoutSecrets(read.Rest))
	case read.Format == document.FormatJSON && errors.As(read.Err, new(*document.SyntaxError)):
		r.remark(r.withoutSecrets(text))
	}
}

// HeadOf returns the beginning of a textual result, or nil.
func HeadOf(result any, most int) []byte {
	switch result := result.(type) {
	case string:
		return []byte(result[:min(len(result), most)])
	case []byte:
		return result[:min(len(result), most)]
	}
	return nil
}

// remark reads the last paragraph after truncated JSON, in which tools tell where
// the rest is: "(The output op_7c2f is too long …)".
func (r *Reader) remark(text []byte) {
	const longest = 1 << 10
	tail := text[max(0, len(text)-longest):]
	if i := bytes.LastIndex(bytes.TrimRight(tail, "\n"), []byte("\n\n")); i >= 0 && len(text) < maxText {
		r.Text(document.String, tail[i:])
	}
}

// unkeyed reads the other lines among lines of keys and values. They yield candidates, unless
// they are below the key of a secret.
func (r *Reader) unkeyed(text []byte) {
	var lines []byte
	for heading, line := range document.Unkeyed(secret.Redact(text)) {
		if len(heading) == 0 || r.keys.Key(heading).Class != naming.ClassSecret {
			lines = append(append(lines, line...), '\n')
		}
	}
	r.search(r.toSearch(lines, maxText), true)
}

// lineFormats are the formats that are read as running text if they have no record: "Suite:
// EUR 260 [RM-92195-X1]" is a text rather than a key and a value.
var lineFormats = []document.Format{document.FormatKeyValue, document.FormatYAML, document.FormatCSV, document.FormatTSV, document.FormatTable}

// areTitles reports whether a text begins with column names in the style of programs: month,region.
func areTitles(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return len(line) > 0 && len(bytes.Trim(line, "abcdefghijklmnopqrstuvwxyz_,;")) == 0
}

// keepField keeps a field of the open record.
func (r *Reader) keepField(fr *frame, k *naming.Key, kind document.Kind, text []byte) {
	count, plain := len(r.fields)-fr.fields, k.Class == naming.ClassPlain || k.Class == naming.ClassMapKey
	switch {
	case k.Class == naming.ClassNoise:
		r.explainScalar(kind, text, "", record.Noise)
		return
	case count >= record.MaxFields && (plain || count >= 4*record.MaxFields):
		r.explainScalar(kind, text, "", record.NoRoom)
		return
	}
	if len(text) > record.MaxName {
		switch {
		case k.Class == naming.ClassName || k.Class == naming.ClassTypedName:
			text = record.Cut(text, record.MaxName)
		case plain || len(text) > shape.MaxID: // a paragraph, or too long for an identifier
			return
		}
	}
	r.fields = append(r.fields, record.Field{Key: k, Kind: kind, Text: r.store(text), Spaced: r.isSpaced(k)})
}

// isSpaced reports whether the key of a value, or the tool, is for things whose names have
// spaces.
func (r *Reader) isSpaced(k *naming.Key) bool {
	return r.call.Spaced || k != nil && k.Traits.Has(naming.TraitSpaced)
}

// store copies a text to the arena. It is valid until its frame ends.
func (r *Reader) store(text []byte) []byte {
	start := len(r.arena)
	r.arena = append(r.arena, text...)
	return r.arena[start:len(r.arena):len(r.arena)]
}

// bareItem handles a scalar item of an array: an id in a list of ids, or a fact.
func (r *Reader) bareItem(fr *frame, kind document.Kind, text []byte) {
	k, tool := fr.Key, &r.call.Tool
	typ, ok := fr.Noun, false
	if fr.Listed && shape.IsDigits(text) || r.isNamedPair(fr, kind, text) { // a figure in a row of cells
		return
	}
	switch {
	case k == nil:
		ok = shape.Of(text) >= shape.LikelyID || fr.Inherited && tool.Noun != "" && kind == document.String &&
			(shape.IsProgramName(text) || vocabulary.NamedNouns.Has(naming.LastWord(tool.Noun)) && shape.IsHandle(text))
	case k.Class == naming.ClassTypedID:
		typ, ok = k.Noun, record.IsPlausibleID(kind, text, r.isSpaced(k)) && (k.Rank < naming.RankTag || shape.Of(text) >= shape.LikelyID)
	case k.Class == naming.ClassID:
		ok = record.IsPlausibleID(kind, text, r.isSpaced(k))
	case k.Class == naming.ClassPlain && (k.Noun == "" || k.Plural && !vocabulary.NotReferenced.Has(k.Noun)):
		ok = shape.Of(text) >= shape.LikelyID || kind == document.String && vocabulary.EntityNouns.Has(k.Noun) && shape.IsProgramName(text) && shape.HasDigit(text)
	}
	keep := func(typ string, role memory.Role, why record.Reason) {
		s := finding.Sighting{Type: typ, Role: role, Order: r.Next(), ID: text, Path: r.path(fr.index - 1)}
		r.explainScalar(kind, text, typ, r.add(&s, fr, why))
	}
	switch why := record.Candidacy(k, kind, text, r.isSpaced(k)); {
	case ok && fr.Inherited:
		keep(typ, memory.RoleRecord, record.ListedOwn)
		return
	case ok:
		keep(typ, memory.RoleReference, record.Listed)
		return
	case why == record.Candidate:
		keep(fr.CandidateType(r.call, k, text), memory.RoleCandidate, why)
	default:
		r.explainScalar(kind, text, "", why)
	}
	if around := r.enclosing(len(r.frames)); around != nil && k != nil && kind == document.String && len(text) <= maxFactBytes && len(r.fields)-around.fields < record.MaxFields {
		r.fields = append(r.fields, record.Field{Key: k, Text: r.store(text), Kind: kind, Nested: true})
	}
}

// isNamedPair keeps a pair of an identifier and its name as one field of the enclosing object:
// {"partner_id": [7, "Ann Lee"]}.
func (r *Reader) isNamedPair(fr *frame, kind document.Kind, text []byte) bool {
	k, n := fr.Key, len(r.fields)
	switch {
	case k == nil || k.Class != naming.ClassTypedID || k.Plural || len(text) > record.MaxName:
		return false
	case fr.index == 1 && kind == document.Number:
		r.keepField(fr, k, kind, text)
		return len(r.fields) > n
	case fr.index == 2 && kind == document.String && n > 0 && r.fields[n-1].Key == k && r.fields[n-1].Kind == document.Number:
		r.fields[n-1].Called = r.store(text)
		r.nameChild(fr, text)
		return true
	}
	return false
}

// add adds a sighting and returns the reason, or the reason why it was not added. Beyond the limit of a
// list, and in texts that people may have written, it becomes a candidate. Links in such texts are left
// out: no tool should follow a link because it was read. If a frame is given and the type came through
// its wrapper, the sighting keeps the wrapper's type as well.
func (r *Reader) add(s *finding.Sighting, fr *frame, why record.Reason) record.Reason {
	if r.written > 0 {
		if bytes.Contains(s.ID, []byte("://")) {
			return record.WrittenLink
		}
		s.Place = memory.PlaceFieldText
	}
	if r.beyond > 0 || r.written > 0 {
		s.Role = memory.RoleCandidate
	}
	if fr != nil && (s.Type == fr.Noun || fr.Noun == "" && s.Type == memory.FallbackType) {
		s.Wrapper = fr.Wrapper
	}
	if !r.set.Add(s) {
		return record.NoRoom
	}
	return why
}

// Next returns the position of the next value or finding in the result.
func (r *Reader) Next() int {
	r.order++
	return r.order
}
