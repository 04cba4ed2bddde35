package prose

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

const (
	// maxName is the length in bytes of the longest name in a list.
	maxName = 160
	// maxSubject is the length in bytes of the longest name in a sentence.
	maxSubject = 40
	// maxLabel is the length in bytes of the longest label of a candidate.
	maxLabel = 64
)

// nameBefore returns the name in "1. Grand Plaza (ID: HTL-4821)" and "Ann Lee is here
// (user u-1001)": the text before the identifier's parenthesis.
func (l *line) nameBefore(at int) []byte {
	head := l.behind(0, at)
	if name := l.firstCell(at); len(name) > 0 {
		return name
	}
	i := bytes.LastIndexAny(head, "([")
	if i >= 0 && head[i] == '[' && bytes.IndexByte(head[i:], ']') > 0 {
		i = bytes.LastIndexByte(head, '(')
	}
	if i < 0 {
		return l.nameBeforeColon(head)
	}
	if !isLabel(l.before(2)) && len(bytes.Fields(head[i+1:])) > 1 {
		return nil
	}
	if _, quoted := cutQuoted(head[:i]); len(quoted) > 0 {
		return quoted
	}
	name := l.itemName(at - len(head) + i)
	longest := maxName
	if l.listed {
		name = until(name, gaps)
	} else if !l.announces {
		if i := bytes.LastIndex(name, []byte(": ")); i >= 0 {
			name = name[i+2:]
		}
		name, longest = behindPhrase(until(name, verbs)), maxSubject
	}
	if len(name) > longest || bytes.IndexByte(name, ')') >= 0 {
		return nil
	}
	return nameText(name)
}

// firstCell returns the name in the first of several cells separated by bars, if a later
// cell announces the identifier: "Event created: Standup | id: ev_7".
func (l *line) firstCell(at int) []byte {
	head := bytes.TrimRight(l.text[:at], " ")
	if !isLabel(l.before(2)) || !bytes.HasSuffix(head[:len(head)-len(lastField(head))], []byte(" | ")) {
		return nil
	}
	name, _, _ := bytes.Cut(trimBullet(head[:min(len(head), window)]), []byte(" | "))
	if _, behind, ok := bytes.Cut(name, []byte(": ")); ok && !l.listed {
		name = behind
	}
	return nameText(name)
}

// cutQuoted returns the quoted name shortly before an identifier, and the text before the name:
// document "Q3 plan" with ID 1AbC, Workflow 'Nightly' created with ID 7, **Support** `agent_7`.
func cutQuoted(head []byte) (before, name []byte) {
	const words = 24 // bytes between the name and the identifier
	end := bytes.LastIndexAny(head, `"'*`)
	if end < 1 || len(head)-end > words || bytes.ContainsAny(head[end+1:], ".;:|") && !bytes.HasSuffix(head, []byte(": ")) {
		return nil, nil
	}
	name = bytes.TrimRight(head[:end], "*")
	start := bytes.LastIndexByte(name, head[end])
	if start < 0 || bytes.Count(head, head[end:end+1])%2 > 0 || head[end] == '\'' && start > 0 && head[start-1] != ' ' { // inside of quotes, Ann's
		return nil, nil
	}
	before = bytes.TrimRight(head[:start], "*")
	for between := range bytes.FieldsSeq(head[end+1:]) { // page "Home" in space k3v9x2
		if string(between) != "with" && vocabulary.IntroducingWords.HasBytes(between) {
			return nil, nil
		}
	}
	return before, nameText(name[start+1:])
}

// marked returns the text in quotes or emphasis at the beginning of a text: Low Water
// of "Low Water" by Anna K.
func marked(text []byte) (inner []byte, ok bool) {
	for _, marks := range [...][2]string{{`"`, `"`}, {"“", "”"}, {"**", "**"}, {"*", "*"}, {"'", "'"}, {"`", "`"}} {
		if inner, ok = bytes.CutPrefix(text, []byte(marks[0])); ok {
			inner, _, ok = bytes.Cut(inner, []byte(marks[1]))
			return inner[:min(len(inner), maxName)], ok
		}
	}
	return nil, false
}

// nameInPairs returns the name among the pairs in parentheses behind an identifier:
// " (image=alpine, name=sharp_morse)".
func nameInPairs(rest []byte) []byte {
	inner, _ := between(rest, " (", ")")
	for pair := range bytes.SplitSeq(inner, []byte(",")) {
		key, value, ok := bytes.Cut(bytes.TrimSpace(pair), []byte("="))
		if ok && vocabulary.TitleKeys.Has(strings.ToLower(string(key))) {
			return nameText(bytes.Trim(value, `"' `))
		}
	}
	return nil
}

// behindPhrase returns the name after the words that introduce it: "Route from Mill
// Lane 4", "to Old Harbour", "Messages in #ops".
func behindPhrase(text []byte) []byte {
	for word, rest := nextPart(text); len(word) > 0; {
		if vocabulary.IntroducingWords.HasBytes(word) && (isCapitalised(rest) || bytes.HasPrefix(rest, []byte("#"))) {
			return rest
		}
		if word, rest = nextPart(rest); isCapitalised(word) {
			break
		}
	}
	return text
}

// nameBeforeColon returns the name in a list line such as "  VW Polo: vehicle
// VEH-4465Y".
func (l *line) nameBeforeColon(head []byte) []byte {
	if i := bytes.LastIndex(head, []byte(": ")); i >= 0 && (l.listed || l.indented) && len(bytes.Fields(head[i+1:])) == 1 {
		return nameText(trimBullet(head[:i]))
	}
	return nil
}

// restName returns the name that follows an identifier at the start of a line, up to
// the next column. It is empty if a sentence about the entity follows.
func restName(rest []byte) []byte {
	rest, _, _ = bytes.Cut(rest, []byte(" (http"))
	rest = bytes.TrimLeft(rest, " \t")
	if end := bytes.IndexByte(rest, ')'); end >= 0 && bytes.LastIndexByte(rest[:end], '(') < 1 { // G103(train 24): North - South
		rest = rest[end+1:]
	}
	rest = bytes.TrimPrefix(bytes.Trim(rest, " \t\r\n:-–—|"), []byte("/ "))
	if vocabulary.VerbsOfState.HasBytes(firstWord(rest)) {
		return nil
	}
	name := until(rest, gaps)
	for isStateCell(name) && len(name) < len(rest) { // LV-3107  pending  Ann Lee
		next := bytes.TrimLeft(rest[len(name):], " \t|/-–—")
		rest, name = next, until(next, gaps)
	}
	if i := bytes.LastIndex(name, []byte(" (")); i > 0 {
		aside := name[i+2:]
		word := trimPunctuation(firstWord(aside))
		if isStateCell(word) || shape.IsDigits(word) && bytes.IndexByte(aside, ' ') > 0 { // A dark mode (open) by @ann; Design (14 members)
			name = name[:i]
		}
	}
	return nameText(name)
}

// isStateCell reports whether a cell is only the state of its row, an amount or a date.
func isStateCell(cell []byte) bool {
	cell = trimPunctuation(bytes.TrimSpace(cell))
	return isFigure(cell) || len(cell) <= maxSubject && vocabulary.StatusWords.HasBytes(bytes.ToLower(cell))
}

// Ends of a name: the separator of the next column, and the verb of a sentence.
var (
	gaps  = []string{"\t", gap, " | ", " / ", " - ", " – ", " — "}
	verbs = []string{" is ", " was ", " are ", " were ", " has ", " have ", " will "}
)

// until returns a text up to the first of some marks that is not at its beginning.
func until(text []byte, marks []string) []byte {
	for _, mark := range marks {
		if i := bytes.Index(text, []byte(mark)); i > 0 {
			text = text[:i]
		}
	}
	return text
}

// nameText returns a text as a name, without a key in front of it, the marks of a heading,
// and emphasis: Berth plan of "## Name: **Berth plan**".
func nameText(text []byte) []byte {
	text = bytes.TrimSpace(text[:min(len(text), window+maxName)])
	text = bytes.TrimSpace(trimHeading(text))
	if value := titleValue(text); len(value) > 0 {
		text = value
	}
	if inner, ok := marked(text); ok {
		return bytes.TrimSpace(inner)
	}
	return bytes.TrimPrefix(text, []byte("**"))
}

// heading matches the marks of a heading: "### INV-2041".
var heading = regexp.MustCompile(`^#+ `)

// trimHeading strips the marks of a heading.
func trimHeading(text []byte) []byte { return text[len(heading.Find(text)):] }

// titleValue returns the value of a line whose key names its subject: Tides of "Title: Tides".
func titleValue(line []byte) []byte {
	key, value, ok := bytes.Cut(trimBullet(line), []byte(":"))
	if !ok || !vocabulary.TitleKeys.HasBytes(bytes.ToLower(bytes.Trim(key[:min(len(key), 64)], "*_ "))) {
		return nil
	}
	return bytes.Trim(value, " *_")
}

// bullet matches the marker of a list item: "- ", "12. ", "- [x] ", "✅ ".
var bullet = regexp.MustCompile(`^[ \t]*(?:(?:[-*+•–] [ \t]*(?:\[.\])?|\d{1,4}[.)] |\p{So} )[ \t]*)?`)

// trimBullet strips the marker of a list item and the blanks before it.
func trimBullet(line []byte) []byte { return line[len(bullet.Find(line)):] }

// lastField returns the last word of a text.
func lastField(text []byte) []byte {
	text = bytes.TrimRight(text, " \t\r\n")
	return text[bytes.LastIndexAny(text, " \t\r\n")+1:]
}

// bareNumber strips the sign from "#4521" and "!57". Other identifiers keep theirs: "#W12".
func bareNumber(id []byte) []byte {
	if isSigned(id) {
		return id[1:]
	}
	return id
}

// isSigned reports whether a word is a number behind the sign of issues or of merge requests.
func isSigned(id []byte) bool {
	return len(id) > 1 && (id[0] == '#' || id[0] == '!') && shape.IsDigits(id[1:])
}

// space is the white space between words.
const space = " \t\r\n"

// nextWord returns the next word of a line from an offset, and the offset after it.
func nextWord(line []byte, start int) (word []byte, next int) {
	start = len(line) - len(bytes.TrimLeft(line[start:], space))
	if size := bytes.IndexAny(line[start:], space); size >= 0 {
		return line[start : start+size], start + size
	}
	return line[start:], len(line)
}

// trimPunctuation strips quotes, brackets and punctuation from a word.
func trimPunctuation(word []byte) []byte {
	return bytes.TrimRightFunc(bytes.TrimLeftFunc(word, opensWord), endsWord)
}

func opensWord(c rune) bool { return strings.ContainsRune("\"'`([{<*‘“„«", c) }
func endsWord(c rune) bool  { return strings.ContainsRune("\"'`)]}>*.,:;!?’”“»", c) }
