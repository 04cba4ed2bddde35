package extractor

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxProseBytes is how much of a text is searched for identifiers.
const maxProseBytes = 64 << 10

// text takes a result, or a text inside one, that is no document: a bare
// identifier, or prose, of which only those identifiers are taken that the
// words around them justify.
func (f *finder) text(kind document.Kind, text []byte) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || kind == document.Null || kind == document.Bool {
		return
	}
	f.prose++
	if isErrorText(text) {
		f.failed = true
	}
	if !bytes.ContainsAny(text, " \t\r\n") {
		f.bareText(kind, text)
		return
	}
	if len(text) > maxProseBytes {
		text, f.cut = text[:maxProseBytes], true
	}
	if f.wordList(text) {
		return
	}
	heading := f.tool.noun
	for line := range bytes.Lines(text) {
		if noun := headingNoun(line); noun != "" {
			heading = noun
		}
		f.proseLine(line, heading)
		if f.full {
			return
		}
	}
}

// maxErrorBytes is how far into a text it says that it is an error.
const maxErrorBytes = 160

// isErrorText reports whether a text says of itself that it is an error: it
// begins so, or is short and speaks of something missing or refused.
func isErrorText(text []byte) bool {
	if beginsAsError(text) {
		return true
	}
	if len(text) > maxErrorBytes {
		return false
	}
	head := strings.ToLower(string(text))
	for _, phrase := range [...]string{"not found", "not_found", "notfound", "denied", "does not exist", "no such ", "not allowed", "unable to ", "could not ", "cannot "} {
		if strings.Contains(head, phrase) {
			return true
		}
	}
	return false
}

// beginsAsError reports whether the first word of a text says that it is an error.
func beginsAsError(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	head := strings.ToLower(string(text[:min(len(text), 16)]))
	for _, start := range [...]string{"error", "failed", "failure", "exception", "traceback", "fatal", "invalid", "unauthorized", "forbidden"} {
		if strings.HasPrefix(head, start) {
			return true
		}
	}
	return false
}

// errorMessage is a result that is a text and begins as an error. It is read as
// prose, whatever format the rest looks like: a stack trace has lines like "key: value".
func errorMessage(result any) ([]byte, bool) {
	switch result := result.(type) {
	case string:
		if beginsAsError([]byte(result[:min(len(result), maxErrorBytes)])) {
			return []byte(result[:min(len(result), maxProseBytes)]), true
		}
	case []byte:
		return result[:min(len(result), maxProseBytes)], beginsAsError(result)
	}
	return nil, false
}

// bareText takes a result that is one word. A number is an identifier only
// where the tool's name says what of: find_user_id, create_ticket.
func (f *finder) bareText(kind document.Kind, text []byte) {
	if len(text) > maxID || f.tool.counts || digestNouns.has(f.tool.noun) {
		return
	}
	s := shapeOf(text)
	ok := s >= likelyID && f.tool.noun != "" || s == surelyID
	if s == maybeID && f.tool.noun != "" && !statusWords.has(strings.ToLower(string(text))) {
		asksForID := strings.Contains(strings.Join(splitWords(f.name), "_"), "_id")
		ok = asksForID || f.tool.action == ActionCreated && bytes.ContainsAny(text, "0123456789")
	}
	ok = ok || s >= likelyID && f.tool.action == ActionCreated
	if kind == document.Number && !isDigits(text) {
		ok = false
	}
	if ok {
		f.addText(f.tool.noun, text, nil)
	}
}

// digestNouns are what tools give out that identifies nothing.
var digestNouns = wordSet{list: `hash digest checksum password passphrase signature`}

func (f *finder) addText(typ string, id, name []byte) {
	f.add(&sighting{typ: cmp.Or(typ, memory.FallbackType), order: f.next(), id: id, name: name, path: f.path(-1)})
}

// headingNoun is the type that a heading announces, "Vouchers:", "## Open
// orders"; empty for a line that is none.
func headingNoun(line []byte) string {
	line = bytes.Trim(line, " \t\r\n#*=")
	head, colon := bytes.CutSuffix(line, []byte(":"))
	ws := splitWords(string(head[:min(len(head), 64)]))
	if len(ws) == 0 || len(ws) > 5 || !colon && len(ws) > 3 || len(line) > 64 {
		return ""
	}
	last := ws[len(ws)-1]
	if noun := english.Singular(last); noun != last && entityNouns.has(noun) && !notReferenced.has(noun) {
		return noun
	}
	return ""
}

// proseLine takes the identifiers of one line of prose. What a list of them
// lists, its heading or the tool's name says.
func (f *finder) proseLine(line []byte, heading string) {
	var before [3]string // the words before, lower case
	item := 0            // where the item of a list on the line begins
	for start := 0; start < len(line); {
		word, next := nextWord(line, start)
		at := next - len(word)
		start = next
		if len(word) == 0 {
			continue
		}
		id := trimPunctuation(word)
		if label, value, ok := bytes.Cut(id, []byte("=")); ok {
			f.labelled(label, value)
		} else if item < 0 { // what the line is about stood at its beginning
		} else if typ, ok := f.justified(id, before); ok && (word[0] != '[' || heading == "") {
			f.addText(typ, bareNumber(id), nameBefore(line[:at], before[2]))
		} else if name, first, ok := listed(line, item, at, next, id); ok && heading != "" {
			f.addText(heading, bareNumber(id), name)
			if item = next; first {
				item = -1
			}
		} else if noun := headingNoun(word); noun != "" && word[len(word)-1] == ':' {
			heading, item = noun, next
		}
		before[0], before[1] = before[1], before[2]
		before[2] = strings.ToLower(string(bytes.Trim(word[:min(len(word), 64)], ".,:;!?\"'`*()[]=")))
	}
}

// bareNumber is the number of "#4521"; other identifiers keep their sign: "#W12".
func bareNumber(id []byte) []byte {
	if len(id) > 1 && id[0] == '#' && isDigits(id[1:]) {
		return id[1:]
	}
	return id
}

// nameBefore is the name in "1. Grand Plaza (ID: HTL-4821)": what precedes the
// parenthesis that an identifier stands in.
func nameBefore(head []byte, label string) []byte {
	i := bytes.LastIndexByte(head, '(')
	if i < 0 || !isLabel(label) && len(bytes.TrimSpace(head[i+1:])) > 0 {
		return nil
	}
	name := bytes.TrimLeft(head[:i], " \t-*•0123456789.)")
	name = bytes.TrimRight(name, " \t-:,*")
	if len(name) > maxFactBytes || bytes.IndexByte(name, ')') >= 0 {
		return nil
	}
	return nameText(name)
}

// listed recognises the items of a list by the identifier that a line begins
// with, "#12  Fix login bug    ann", "- VX0A41  10% summer", or that stands in
// brackets, "Standup [MTG-100]", and the name beside it. The item begins at begin.
func listed(line []byte, begin, at, next int, id []byte) (name []byte, first, ok bool) {
	word := line[at:next]
	coded := isCoded(id)
	first = len(bytes.Trim(line[:at], " \t-*•0123456789.)")) == 0
	switch {
	case first && (coded || len(id) > 1 && id[0] == '#' && isDigits(id[1:])):
		return restName(line[next:]), true, true
	case coded && len(word) > 2 && (word[0] == '[' || word[0] == '('):
		marks := " \t-*•.),;"
		if begin == 0 {
			marks += "0123456789"
		}
		return nameText(bytes.TrimRight(bytes.TrimLeft(line[begin:at], marks), " \t-:/|,")), false, true
	}
	return nil, false, false
}

// labelled takes the identifier of "offer=off_owJZ", a pair in a line of text.
func (f *finder) labelled(label, id []byte) {
	if len(label) == 0 || len(id) > maxID || !isCoded(id) {
		return
	}
	switch k := f.keys.info(label); {
	case k.class == classID:
		f.addText(f.tool.noun, id, nil)
	case k.class == classTypedID, k.class == classPlain && k.traits.has(traitThing) && k.traits.has(traitRefers):
		f.addText(k.noun, id, nil)
	}
}

// restName is the name that follows an identifier at the start of a line, up to
// the next column.
func restName(rest []byte) []byte {
	rest = bytes.Trim(rest, " \t\r\n:-–—|/")
	for _, gap := range [...]string{"\t", "  ", " | ", " / ", " - ", " – ", " — "} {
		if i := bytes.Index(rest, []byte(gap)); i > 0 {
			rest = rest[:i]
		}
	}
	return nameText(rest)
}

// nameText is a text, taken from where no field's name vouches for it, as a
// name: one line, not too long; empty if it holds a secret.
func nameText(text []byte) []byte {
	if hasSecret(text) {
		return nil
	}
	if len(text) > maxValueBytes {
		text = cutText(text, maxValueBytes)
	}
	return appendClean(nil, text)
}

// wordList takes a text of several lines that are one word each for a list of
// identifiers, if they look like ones, or are paths.
func (f *finder) wordList(text []byte) bool {
	if bytes.IndexByte(text, '\n') < 0 || bytes.ContainsAny(text, " \t") || f.tool.noun == "" {
		return false
	}
	taken := 0
	for line := range bytes.Lines(text) {
		id := bytes.TrimSpace(line)
		if s := shapeOf(id); s >= likelyID || s == maybeID && bytes.ContainsAny(id, "/.") {
			if taken == f.x.limits.TopItems {
				f.cut = true
				break
			}
			f.addText(f.tool.noun, id, nil)
			taken++
		}
	}
	return taken > 0
}

func nextWord(line []byte, start int) (word []byte, next int) {
	for start < len(line) && (line[start] == ' ' || line[start] == '\t' || line[start] == '\r' || line[start] == '\n') {
		start++
	}
	end := start
	for end < len(line) && line[end] != ' ' && line[end] != '\t' && line[end] != '\r' && line[end] != '\n' {
		end++
	}
	return line[start:end], end
}

// trimPunctuation takes quotes, brackets and marks of the sentence off a word.
func trimPunctuation(word []byte) []byte {
	word = bytes.TrimLeft(word, "\"'`([{<*")
	return bytes.TrimRight(word, "\"'`)]}>*.,:;!?")
}

// justified reports whether a word of prose is an identifier, and of what: a
// noun before it says so (order #W12, certificate certificate_3221322, issue
// PROJ-7), or it is prefixed with one (user_8123), or it can be nothing else.
func (f *finder) justified(id []byte, before [3]string) (string, bool) {
	if len(id) < 2 || len(id) > maxID {
		return "", false
	}
	s := shapeOf(id)
	if s == notID || s == maybeID && !bytes.ContainsAny(id, "0123456789") {
		return "", false
	}
	label, owner := before[2], before[1]
	if label == "is" || label == "was" {
		label, owner = before[1], before[0]
	}
	switch stem, typed := strings.CutSuffix(label, "_id"); {
	case typed:
		if noun := nounOf(stem); noun != "" {
			return noun, true
		}
		return f.tool.noun, true
	case isLabel(label):
		if noun := nounOf(owner); noun != "" {
			return noun, true
		}
		return f.tool.noun, s >= likelyID || label == "id"
	default:
		if noun := nounOf(label); noun != "" && (isCoded(id) || id[0] != '#' && numbered.has(noun)) {
			return noun, true
		}
	}
	if i := bytes.LastIndexByte(id, '_'); i > 0 && s == surelyID {
		if noun := nounOf(strings.ToLower(string(id[:i]))); noun != "" {
			return noun, true
		}
	}
	return f.tool.noun, s == surelyID && (isUUID(id) || f.tool.action == ActionCreated)
}

// isLabel reports whether a word says that an identifier follows: "id", "number".
func isLabel(word string) bool {
	switch word {
	case "id", "ids", "number", "no", "nr", "#", "reference", "ref", "code", "key", "uuid":
		return true
	}
	return strings.HasSuffix(word, "_id")
}

// isCoded reports whether a word of prose is made as identifiers are: by its
// looks, or because it holds letters and three digits.
func isCoded(id []byte) bool {
	s := shapeOf(id)
	n, _ := countChars(id)
	return s >= likelyID || s == maybeID && n.digits >= 3 && !isDigits(id)
}

// numbered are things that people call by short numbers: issue 42, ticket 7.
var numbered = wordSet{list: `issue ticket order pull_request invoice case task bug booking reservation story`}

// nounOf is the noun that a word of prose names things by; empty if it does not.
func nounOf(word string) string {
	noun := english.Singular(strings.Trim(word, "\"'`*_"))
	if entityNouns.has(noun) && !notReferenced.has(noun) {
		return noun
	}
	return ""
}
