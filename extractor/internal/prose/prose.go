package prose

import (
	"bytes"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/interrupt"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// Mention is a value in a text that a tool may take as an identifier. Its slices are
// parts of the text; only the address of a block is joined from two of them.
type Mention struct {
	// ID is the identifier, without the punctuation around it.
	ID []byte
	// Type is the singular noun that the surroundings give; empty if none does.
	Type string
	// Label is what names the identifier; empty if nothing does.
	Label []byte
	// Subject is the name of the line's subject, if Label is empty.
	Subject []byte
	// Sure is set for a record: an item of a list, or an identifier that its
	// surroundings announce. Other mentions are candidates.
	Sure bool
	// Row is set for a row of a list, whose Label may be facts.
	Row bool
	// Entry is set for the name of an entry of a directory.
	Entry bool
	// View is set for an element of a screen, which lives until the next snapshot.
	View bool
}

// Topic describes the origin of a text.
type Topic struct {
	// Noun is the type of the subject of the tool that returned the text; empty if
	// unknown.
	Noun string
	// Lists is set if the tool lists its subjects, one on each line.
	Lists bool
	// Several is set if the tool returns several of its subjects.
	Several bool
	// Created is set if the tool creates its subject.
	Created bool
	// Field is set for a text inside a field of data, which has candidates only.
	Field bool
	// Signal ends the reading; it may be nil.
	Signal *interrupt.Signal
}

// maxID is the length in bytes of the longest identifier that is sure.
const maxID = 512

// Read calls yield for each mention in a text, in order, until yield returns false or the
// topic's signal ends. A mention whose name is on a later line follows the mentions before
// that line.
func Read(text []byte, topic Topic, yield func(Mention) bool) {
	r := reader{topic: topic, yield: yield, heading: topic.Noun, numbered: isNumbered(text)}
	if r.topic.Field = r.topic.Field || r.numbered; r.readRows(text) {
		return
	}
	for line := range bytes.Lines(text) {
		if r.numbered {
			line = line[len(lineNumber(line)):]
		}
		r.readLine(line)
		if r.stopped {
			return
		}
	}
	r.release()
}

// reader is the state of reading a text.
type reader struct {
	topic   Topic
	yield   func(Mention) bool
	stopped bool
	// found grows with every sure mention, held or yielded.
	found int
	// heading is the type of a list's items, from its heading or the tool's name.
	heading string
	// title is the line above an indented line, if it may be a name.
	title []byte
	// name is the name that a line of this paragraph gives to its subject: "Title:
	// Tide tables".
	name []byte
	// numbered is set if the text is a file with line numbers. Its lines do not name things in other lines.
	numbered bool
	// code is set inside a fenced block of source code, fenced inside any.
	fenced, code bool
	// hunk is set inside the changed lines of a diff, quoting after a frame of a stack trace that
	// is followed by its source line.
	hunk, quoting bool
	// said is set for a line of a conversation, written by a person.
	said bool
	// element is the name of the last element of a screen.
	element []byte
	// defining is set inside the definition of a table.
	defining bool
	// held is a sure mention that waits for its label on the next lines.
	held      Mention
	heldLines int
}

// line is the state of reading one line.
type line struct {
	text []byte
	// body is the text without the marker of a list item and the white space around.
	body    []byte
	heading string
	// announces is set for a heading, whose identifiers are not items of the list
	// below.
	announces bool
	listed    bool
	indented  bool
	// lead is the offset of the first byte that is not a list marker or a digit.
	lead int
	// key is the type that the beginning of the line names: "Customer: Ann (cust_77)".
	key string
	// keyEnd is the offset behind the colon after key or any other short beginning.
	keyEnd int
	// words are the last three words.
	words [3][]byte
	// item is the offset of the current list item.
	item int
	// led is set after an identifier at the start of the line, the line's
	// subject.
	led bool
	// subject is the name of the line's subject, once an identifier had one.
	subject []byte
}

// window is the number of bytes on each side of a word that are searched for its name or type.
const window = 240

// behind returns the text before an offset, within the window and after from.
func (l *line) behind(from, at int) []byte { return l.text[min(max(from, at-window), at):at] }

// ahead returns the text from an offset, within the window.
func (l *line) ahead(at int) []byte { return l.text[at:min(len(l.text), at+window)] }

// followsKey reports whether an offset directly follows the key at the beginning of the line.
func (l *line) followsKey(at int) bool {
	return l.lead < l.keyEnd && l.keyEnd <= at && at-l.keyEnd < len("** `")
}

// before returns one of the last three words in lower case, without punctuation; 2 is
// the last.
func (l *line) before(n int) string {
	word := l.words[n]
	return strings.ToLower(string(bytes.TrimFunc(word[:min(len(word), 64)], isAroundWord)))
}

func isAroundWord(c rune) bool { return strings.ContainsRune(".,:;!?\"'`*()[]=", c) }

// newLine prepares a line for reading.
func (r *reader) newLine(text []byte) line {
	l := line{text: text, heading: r.heading, indented: text[0] == ' ' || text[0] == '\t'}
	trimmed := bytes.TrimSpace(text)
	l.body = trimBullet(trimmed)
	l.listed = len(l.body) < len(trimmed)
	l.lead = len(text) - len(bytes.TrimLeft(trimHeading(text), " \t-*•0123456789.)"))
	l.key, l.keyEnd = r.lineKey(&l)
	return l
}

// readLine yields the mentions of a line.
func (r *reader) readLine(text []byte) {
	if r.stopped = r.stopped || r.topic.Signal.After(interrupt.Event); r.stopped || r.toggleFence(text) || r.code {
		return
	}
	r.hunk = r.hunk && strings.IndexByte("+- \t\\@\r\n", text[0]) >= 0
	trimmed := bytes.TrimSpace(text)
	trimmed = trimmed[:min(len(trimmed), window)]
	title := nameText(titleValue(trimmed))
	r.keepHeld(text, trimmed, title)
	if len(trimmed) == 0 {
		r.name, r.title = nil, nil // of this paragraph
		return
	}
	if len(title) > 0 {
		r.name = title[:min(len(title), maxName)]
	}
	r.said = isSaid(text)
	l := r.newLine(text)
	if noun := r.headingNoun(text); noun != "" {
		r.heading, l.heading, l.announces = noun, noun, true
	}
	before := r.found
	switch {
	case r.readDefinition(&l), r.readScreen(&l), r.readEntry(&l), r.readVerdict(&l), r.readPlace(&l), r.readResource(&l), r.readCommit(&l), r.readSpacedPath(&l):
	default:
		r.readTab(&l)
		r.readWordsFrom(&l, 0)
	}
	if !l.indented {
		r.title = nil // another subject
		if r.found == before && !r.numbered {
			r.title = text
		}
	}
}

// lineKey returns the type that the beginning of a line up to a colon names, and the
// offset behind the colon if there is one within a few words.
func (r *reader) lineKey(l *line) (noun string, end int) {
	const longest = 48
	key, _, ok := bytes.Cut(l.text[l.lead:min(len(l.text), l.lead+longest)], []byte(": "))
	if !ok {
		return "", 0
	}
	end = l.lead + len(key) + len(": ")
	ws := english.Words(string(lastField(bytes.Trim(key, " \t*_`\"'"))))
	if n := len(ws); n > 0 && (ws[n-1] == "name" || isLabel(ws[n-1])) { // server_name
		ws = ws[:n-1]
	}
	if len(ws) > 0 {
		noun = r.nounOf(ws[len(ws)-1])
	}
	return noun, end
}

// emit yields a mention.
func (r *reader) emit(m Mention) {
	if m.Sure {
		r.found++
	}
	if len(m.ID) == 0 || !m.Sure && !m.View && shape.IsNotation(m.ID) || bytes.HasSuffix(m.ID, []byte("_id")) && m.Type != "column" {
		return
	}
	if isTemplate(m.ID) && !bytes.HasPrefix(m.ID, []byte(`\\`)) {
		return
	}
	m.Sure = m.Sure && !r.topic.Field && !(r.said && len(m.Label) > 0) // a person refers to records, but does not name them
	if m.Label = bytes.TrimSpace(m.Label); !hasLetter(m.Label) && !shape.HasDigit(m.Label) {
		m.Label = nil
	}
	if !r.stopped && !r.yield(m) {
		r.stopped = true
	}
}

// offset returns the offset of a part of a text, by its capacity, which extends to the end of the text.
func offset(text, part []byte) int { return max(0, cap(text)-cap(part)) }

// nounOf returns the type that a word of prose names, or "". The noun of the tool's
// name counts even if it is not a known noun.
func (r *reader) nounOf(word string) string {
	noun := english.Singular(strings.Trim(word, "\"'`*_"))
	switch {
	case noun == "":
		return ""
	case noun == r.topic.Noun[strings.LastIndexByte(r.topic.Noun, '_')+1:]:
		return r.topic.Noun
	case vocabulary.EntityNouns.Has(noun) && !vocabulary.NotReferenced.Has(noun):
		return noun
	}
	return ""
}

// headingNoun returns the type of what a heading announces: "Vouchers:", "## Open orders",
// "2 candidates for Data Engineer:". It is empty for other lines.
func (r *reader) headingNoun(line []byte) string {
	line = bytes.Trim(line, " \t\r\n#*=")
	head, isAnnounced := bytes.CutSuffix(line, []byte(":"))
	ws := english.Words(string(head[:min(len(head), 64)]))
	n := len(ws)
	isShort := n <= 3 && bytes.Count(line, []byte(" ")) < 3 || isAnnounced && n <= 5
	if n > 0 && isShort && len(head) <= 64 {
		if noun := r.pluralNoun([]byte(ws[n-1])); noun != "" {
			return noun
		}
	}
	if isAnnounced {
		return r.pluralNoun(line)
	}
	return ""
}

// pluralNoun returns the type of the first plural in a line, before any preposition.
// It is empty if the line is long or has no plural.
func (r *reader) pluralNoun(line []byte) string {
	const longest = 160
	if len(line) > longest {
		return ""
	}
	for word := range bytes.FieldsSeq(line) {
		lower := strings.ToLower(string(trimPunctuation(word)))
		if vocabulary.Prepositions.Has(lower) {
			break
		}
		noun := r.nounOf(lower)
		if noun != "" && (noun == r.topic.Noun || !vocabulary.GenericNouns.Has(noun)) && english.Singular(lower) != lower {
			return noun
		}
	}
	return ""
}

// hold keeps a sure mention until its label is found on one of the next lines. The label of a commit is
// the first indented line.
//
//  1. ID: 6
//     Subject: Course schedule
func (r *reader) hold(m Mention) {
	const lines = 8
	r.release()
	r.found++
	r.held, r.heldLines = m, lines
}

// release yields the held mention, if any.
func (r *reader) release() {
	if len(r.held.ID) > 0 {
		r.emit(r.held)
		r.held = Mention{}
	}
}

// keepHeld looks for the label of the held mention in a line, where title is the name of the line's
// subject, and releases the mention once it has a label or the paragraph ends.
func (r *reader) keepHeld(text, trimmed, title []byte) {
	isCommit := r.held.Type == "commit"
	switch {
	case isCommit && len(trimmed) > 0 && bytes.HasPrefix(text, []byte("    ")):
		r.held.Label, r.heldLines = trimmed, 0
	case len(title) > 0:
		r.held.Label, r.heldLines = title, 0
	case len(trimmed) == 0 && !isCommit, len(trimBullet(trimmed)) < len(trimmed) && text[0] != ' ':
		r.heldLines = 0
	}
	if r.heldLines--; r.heldLines < 0 {
		r.release()
	}
}

// isSaid reports whether a line is a message of a conversation, "[10:01] ann: See
// you there", rather than an entry of a log.
func isSaid(line []byte) bool {
	const longest = 40
	when, rest, ok := bytes.Cut(bytes.TrimLeft(line[:min(len(line), window)], "["), []byte("] "))
	if !ok || line[0] != '[' || !shape.IsDateOrTime(when) {
		return false
	}
	name, _, ok := bytes.Cut(rest, []byte(": "))
	return ok && len(name) <= longest && !shape.IsUpperWord(name)
}
