package extractor

import (
	"bytes"
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
	f.texts++
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
	for line := range bytes.Lines(text) {
		f.proseLine(line)
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
	head := strings.ToLower(string(text[:min(len(text), maxErrorBytes)]))
	for _, start := range [...]string{"error", "failed", "failure", "exception", "traceback", "fatal", "invalid", "unauthorized", "forbidden"} {
		if strings.HasPrefix(head, start) {
			return true
		}
	}
	if len(text) > maxErrorBytes {
		return false
	}
	for _, phrase := range [...]string{"not found", "not_found", "notfound", "denied", "does not exist", "no such ", "not allowed", "unable to ", "could not ", "cannot "} {
		if strings.Contains(head, phrase) {
			return true
		}
	}
	return false
}

// bareText takes a result that is one word. A number is an identifier only
// where the tool's name says what of: find_user_id, create_ticket.
func (f *finder) bareText(kind document.Kind, text []byte) {
	if len(text) > maxID || f.tool.counts || notReferenced.has(f.tool.noun) {
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
		f.addText(f.tool.noun, text, "")
	}
}

func (f *finder) addText(typ string, id []byte, name string) {
	if typ == "" {
		typ = memory.FallbackType
	}
	f.order++
	f.add(candidate{order: f.order, entity: memory.Entity{Type: typ, ID: string(id), Name: name, Path: f.path(-1)}})
}

// proseLine takes the identifiers of one line of prose.
func (f *finder) proseLine(line []byte) {
	var before [3]string // the words before, lower case
	for start := 0; start < len(line); {
		word, next := nextWord(line, start)
		at := next - len(word)
		start = next
		if len(word) == 0 {
			continue
		}
		id := trimPunctuation(word)
		if typ, ok := f.justified(id, before); ok {
			f.addText(typ, bareNumber(id), nameBefore(line[:at], before[2]))
		} else if name, ok := f.listed(line, at, next); ok {
			f.addText(f.tool.noun, bareNumber(id), name)
			return
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
func nameBefore(head []byte, label string) string {
	i := bytes.LastIndexByte(head, '(')
	if i < 0 || !isLabel(label) && len(bytes.TrimSpace(head[i+1:])) > 0 {
		return ""
	}
	name := bytes.TrimLeft(head[:i], " \t-*•0123456789.)")
	name = bytes.TrimRight(name, " \t-:,*")
	if len(name) > maxFactBytes || bytes.IndexByte(name, ')') >= 0 {
		return ""
	}
	return cleanText(name)
}

// listed recognises the lines of a list that begin with a number, and the name
// behind it: "#12  Fix login bug    ann    open".
func (f *finder) listed(line []byte, at, next int) (name string, ok bool) {
	id := line[at:next]
	if f.tool.noun == "" || len(bytes.TrimSpace(line[:at])) > 0 || id[0] != '#' || !isDigits(id[1:]) {
		return "", false
	}
	rest := bytes.TrimLeft(line[next:], " \t")
	for _, gap := range [...]string{"\t", "  "} {
		if i := bytes.Index(rest, []byte(gap)); i >= 0 {
			rest = rest[:i]
		}
	}
	return cleanText(cutLong(rest)), true
}

func cutLong(text []byte) []byte {
	if len(text) > maxValueBytes {
		return cutText(text, maxValueBytes)
	}
	return text
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
			f.addText(f.tool.noun, id, "")
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
		if noun := nounOf(label); noun != "" && (s >= likelyID || countDigits(id) >= 3 && !isDigits(id) || id[0] != '#' && numbered.has(noun)) {
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

func countDigits(s []byte) int {
	n, _ := countChars(s)
	return n.digits
}

// numbered are things that people call by short numbers: issue 42, ticket 7.
var numbered = words(`issue ticket order pull_request invoice case task bug booking reservation story`)

// nounOf is the noun that a word of prose names things by; empty if it does not.
func nounOf(word string) string {
	noun := english.Singular(strings.Trim(word, "\"'`*_"))
	if entityNouns.has(noun) && !notReferenced.has(noun) {
		return noun
	}
	return ""
}
