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

// text reads a text that is not a document: a bare identifier, or prose, whose
// identifiers are taken only if the surrounding words justify them.
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
	f.readLines(text)
}

// readLines extracts the identifiers of prose, line by line.
func (f *finder) readLines(text []byte) {
	heading, title := f.topic(), []byte(nil)
	for line := range bytes.Lines(text) {
		l := textLine{text: line, heading: heading}
		if noun := cmp.Or(headingNoun(line), f.announcedNoun(line)); noun != "" {
			heading, l.heading, l.announces = noun, noun, true
		}
		if l.isIndented() {
			l.title = title
		}
		before := len(f.found)
		if f.readLine(&l); f.full {
			return
		}
		switch {
		case l.isIndented():
			title = l.title
		case len(f.found) == before:
			title = line
		default: // another subject
			title = nil
		}
	}
}

// topic returns the default type of a text's subject: the noun of the tool's name, or
// what remains of a name such as get_listing, whose noun is a container.
func (f *finder) topic() string {
	if f.tool.noun == "" && len(f.tool.words) == 1 && entityNouns.has(f.tool.words[0]) {
		return f.tool.words[0]
	}
	return f.tool.noun
}

// maxErrorBytes is how far into a text an error is recognized.
const maxErrorBytes = 160

// isErrorText reports whether a text is an error message: it begins like one, or is
// short and mentions something missing or refused.
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

// beginsAsError reports whether the first word of a text marks an error message.
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

// errorMessage returns a result that is a text beginning as an error. It is read as
// prose, whatever its format looks like: a stack trace has lines like "key: value".
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

// bareText reads a result of one word. A number is an identifier only if the tool's
// name gives its type: find_user_id, create_ticket.
func (f *finder) bareText(kind document.Kind, text []byte) {
	if len(text) > maxID || f.tool.counts || digestNouns.has(f.tool.noun) {
		return
	}
	s := shapeOf(text)
	ok := s >= likelyID && f.tool.noun != "" || s == surelyID
	if s == maybeID && f.tool.noun != "" && !statusWords.has(strings.ToLower(string(text))) {
		asksForID := strings.Contains(strings.Join(english.Words(f.name), "_"), "_id")
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

// digestNouns name values that tools return and that identify no entity.
var digestNouns = wordSet{list: `hash digest checksum password passphrase signature`}

func (f *finder) addText(typ string, id, name []byte) {
	f.add(&sighting{typ: cmp.Or(typ, memory.FallbackType), order: f.next(), id: id, name: name, path: f.path(-1)})
}

// headingNoun returns the type that a heading announces, "Vouchers:", "## Open
// orders". It is empty for other lines.
func headingNoun(line []byte) string {
	line = bytes.Trim(line, " \t\r\n#*=")
	head, colon := bytes.CutSuffix(line, []byte(":"))
	ws := english.Words(string(head[:min(len(head), 64)]))
	if len(ws) == 0 || len(ws) > 5 || !colon && len(ws) > 3 || len(line) > 64 {
		return ""
	}
	last := ws[len(ws)-1]
	if noun := english.Singular(last); noun != last && entityNouns.has(noun) && !notReferenced.has(noun) {
		return noun
	}
	return ""
}

// announcedNoun returns the type that a line of several words announces: "The
// following documents are available:", "2 candidates for Data Engineer:".
func (f *finder) announcedNoun(line []byte) string {
	if !bytes.HasSuffix(bytes.TrimRight(line, " \t\r\n*_"), []byte(":")) {
		return ""
	}
	return f.pluralNoun(line)
}

// pluralNoun returns the type of the first plural in a line, before any preposition.
// It is empty if the line is long or has no plural.
func (f *finder) pluralNoun(line []byte) string {
	const longest, words = 160, 16
	if len(line) > longest {
		return ""
	}
	for start, n := 0, 0; n < words; n++ {
		word, next := nextWord(line, start)
		lower := strings.ToLower(string(trimPunctuation(word)))
		if len(word) == 0 || prepositions.has(lower) {
			break
		}
		if noun := f.nounOf(lower); noun != "" && english.Singular(lower) != lower {
			return noun
		}
		start = next
	}
	return ""
}

// wordList reads several lines of one word each as a list, if they look like
// identifiers or paths.
func (f *finder) wordList(text []byte) bool {
	if bytes.IndexByte(text, '\n') < 0 || bytes.ContainsAny(text, " \t,;|") || f.tool.noun == "" {
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

// trimPunctuation strips quotes, brackets and punctuation from a word.
func trimPunctuation(word []byte) []byte {
	word = bytes.TrimLeft(word, "\"'`([{<*")
	return bytes.TrimRight(word, "\"'`)]}>*.,:;!?")
}

// justified reports whether a word of prose is an identifier, and of what type: the
// noun before it names the type (order #W12, certificate certificate_3221322, issue
// PROJ-7), its prefix does (user_8123), or it can be nothing else.
func (f *finder) justified(id []byte, l *textLine) (string, bool) {
	if len(id) < 2 || len(id) > maxID {
		return "", false
	}
	s := shapeOf(id)
	if s == notID || s == maybeID && !bytes.ContainsAny(id, "0123456789") {
		return "", false
	}
	label, owner := l.before[2], l.before[1]
	if label == "is" || label == "was" {
		label, owner = l.before[1], l.before[0]
	}
	switch stem, typed := strings.CutSuffix(label, "_id"); {
	case typed:
		return cmp.Or(f.nounOf(stem), l.heading), true
	case isLabel(label):
		if noun := f.nounOf(owner); noun != "" {
			return noun, true
		}
		return l.heading, s >= likelyID || label == "id"
	default:
		if noun := f.compound(owner, label); noun != "" && (isCoded(id) || id[0] != '#' && numbered.has(noun)) {
			return noun, true
		}
	}
	if i := bytes.LastIndexByte(id, '_'); i > 0 && s == surelyID {
		if noun := f.nounOf(strings.ToLower(string(id[:i]))); noun != "" {
			return noun, true
		}
	}
	return f.tool.noun, s == surelyID && (isUUID(id) || f.tool.action == ActionCreated)
}

// compound returns the noun of two words before an identifier: the second, unless it
// only names a state of the tool's subject: "offer draft".
func (f *finder) compound(first, second string) string {
	noun := f.nounOf(second)
	if noun != "" && f.tool.noun != "" && f.nounOf(first) == f.tool.noun && stateNouns.has(noun) {
		return f.tool.noun
	}
	return noun
}

// stateNouns name a state or form of the noun before them.
var stateNouns = wordSet{list: `draft request copy entry form record version revision`}

// isLabel reports whether a word announces an identifier: "id", "number".
func isLabel(word string) bool {
	switch word {
	case "id", "ids", "number", "no", "nr", "#", "reference", "ref", "code", "key", "uuid":
		return true
	}
	return strings.HasSuffix(word, "_id")
}

// isCoded reports whether a word of prose is built like an identifier: by its shape,
// or because it has letters and three digits, or capitals, a dash and digits among
// capitals: WH-8J85.
func isCoded(id []byte) bool {
	s := shapeOf(id)
	n, _ := countChars(id)
	switch {
	case s != maybeID:
		return s >= likelyID
	case n.digits >= 3:
		return n.upper+n.lower > 0
	}
	head, tail, ok := bytes.Cut(id, []byte("-"))
	return ok && isUpperWord(head) && len(tail) >= 4 && n.digits >= 2 && n.digits+n.upper+1 == len(id)
}

// numbered are entities that people refer to by short numbers: issue 42, ticket 7.
var numbered = wordSet{list: `issue ticket order pull_request invoice case task bug booking reservation story`}

// nounOf returns the type that a word of prose names, or "". The noun of the tool's
// name counts even if it is not a known noun.
func (f *finder) nounOf(word string) string {
	noun := english.Singular(strings.Trim(word, "\"'`*_"))
	if noun != "" && noun == lastWord(f.tool.noun) {
		return f.tool.noun
	}
	if entityNouns.has(noun) && !notReferenced.has(noun) {
		return noun
	}
	return ""
}
