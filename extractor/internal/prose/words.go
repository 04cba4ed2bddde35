package prose

import (
	"bytes"
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/extractor/internal/interrupt"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// readWordsFrom yields the mentions after an offset of a line.
func (r *reader) readWordsFrom(l *line, start int) {
	for start < len(l.text) && !r.stopped {
		word, next := nextWord(l.text, start)
		if start = next; len(word) == 0 {
			return
		}
		r.stopped = r.topic.Signal.After(interrupt.Event)
		at := next - len(word)
		if end := r.readLink(l, at, next); end > 0 {
			start = end
			continue
		}
		if hasMark(word) || l.followsKey(at) || l.isStated() {
			r.readWord(l, at, next)
		}
		if word[len(word)-1] == '.' && !l.listed {
			l.subject = nil
		}
		if string(word) == "|" { // the end of the words after "Attendees: "
			l.heading = r.heading
		}
		l.words = [3][]byte{l.words[1], l.words[2], word}
	}
}

// isStated reports whether the word before opens a parenthesis that announces an
// identifier of any form: "Acme (slug: acme-corp)".
func (l *line) isStated() bool {
	key, ok := bytes.CutSuffix(l.words[2], []byte(":"))
	return ok && len(key) > 1 && key[0] == '(' && isLabel(l.before(2))
}

// hasMark reports whether a word has a character that tells it from plain words: a
// digit, or one of paths, pairs, generated identifiers and headings.
func hasMark(word []byte) bool {
	return bytes.ContainsAny(word, `0123456789/\.@_=:`)
}

// readWord yields a word of a line if it is an identifier.
func (r *reader) readWord(l *line, at, next int) {
	word := l.text[at:next]
	id := trimPunctuation(word)
	if i := bytes.IndexAny(id, "(<"); i > 0 && bytes.IndexByte(id, ')') < 0 { // G103(train, ORD-7</p>
		id = trimPunctuation(id[:i])
	}
	if len(id) == 0 {
		return
	}
	if label, value, ok := bytes.Cut(id, []byte("=")); ok && bytes.IndexByte(label, '/') < 0 {
		r.readPair(l, at, label, value)
		return
	}
	if word[len(word)-1] == ':' && !l.led {
		if noun := r.headingNoun(word); noun != "" {
			l.heading, l.item = noun, next
			return
		}
	}
	if !r.readSure(l, at, next, id) {
		r.readLoose(l, at, next)
	}
}

// readSure yields an identifier that its surroundings announce and reports whether it
// did.
func (r *reader) readSure(l *line, at, next int, id []byte) bool {
	if bytes.IndexByte(id, ',') >= 0 || l.led && !l.opensClause() { // table cells, a name
		return false
	}
	typ, ok := r.justified(id, l, at)
	switch {
	case ok && !l.isInName(at):
		r.addNamed(l, typ, id, r.nameOf(l, at, next, id))
		l.item = next
		return true
	case !l.led && !l.announces:
		return r.readListed(l, at, next, id)
	}
	return false
}

// nameOf returns the name that a line gives to the identifier at an offset, from the first place
// that has one.
func (r *reader) nameOf(l *line, at, next int, id []byte) []byte {
	ahead := l.ahead(next)
	_, behindNoun := r.nameBehindNoun(l, at, id)
	var rest []byte
	if l.listed && l.item == 0 && l.opensItem(at) || !l.listed && l.text[next-1] == ':' { // Created issue #71: Title
		rest = restName(ahead)
	}
	_, quoted := cutQuoted(l.behind(l.item, at))
	emphasized, _ := marked(bytes.TrimLeft(ahead, " \t:-–—")) // `evt_7` "Board meeting", **HD-7** *Projector*
	for _, name := range [...][]byte{l.nameBefore(at), rest, behindNoun, nameInPairs(ahead), quoted, nameText(emphasized)} {
		if len(name) > 0 {
			return name
		}
	}
	return nil
}

// opensItem reports whether only one word is between the list marker and an offset: "1.
// Order #1001 - Red suitcase".
func (l *line) opensItem(at int) bool {
	head := bytes.TrimSpace(l.behind(min(l.lead, at), at))
	return bytes.IndexByte(head, ' ') < 0 && !bytes.HasSuffix(head, []byte(":"))
}

// isInName reports whether the word before an identifier belongs to a name instead of
// naming the identifier's type: "1. Building survey (DOC123456)", "40 Elm Street
// (RX-6629882)", "- Cold store: WH-D886".
func (l *line) isInName(at int) bool {
	if l.heading == "" || l.announces {
		return false
	}
	before, last := l.words[1], l.words[2]
	switch {
	case l.text[at] == '[':
		return true
	case l.text[at] == '(':
		return l.listed || isCapitalised(last) && isCapitalised(before)
	}
	return l.listed && bytes.HasSuffix(last, []byte(":")) && isCapitalised(before) && !isLabel(l.before(2))
}

// isCapitalised reports whether a word begins with a capital.
func isCapitalised(word []byte) bool {
	r, _ := utf8.DecodeRune(word)
	return unicode.IsUpper(r)
}

// opensClause reports whether the last word is the first after a separator, as the noun before an
// identifier: "REQ-67417 | Engineer | application APP68225068".
func (l *line) opensClause() bool {
	before := l.words[1]
	return len(before) == 0 || strings.IndexByte("|([,;.", before[len(before)-1]) >= 0
}

// addNamed yields a sure identifier of a line. An identifier without a name belongs to
// the line's subject.
func (r *reader) addNamed(l *line, typ string, id, name []byte) {
	if len(name) == 0 {
		name = r.nameAbove(l)
	}
	m := Mention{ID: bareNumber(id), Type: typ, Label: name, Sure: true}
	if len(name) > 0 {
		l.subject = name
		r.emit(m)
		return
	}
	m.Subject = l.subject
	if end := offset(l.text, id) + len(id); (isLabel(l.before(2)) || typ == "commit") && l.ends(end) {
		r.hold(m)
		return
	}
	r.emit(m)
}

// nameAbove returns the name in a line above, "Title: Tides", for the identifier that a line
// announces, or the line under which it is indented.
func (r *reader) nameAbove(l *line) []byte {
	title := r.title
	switch {
	case len(r.name) > 0 && isLabel(l.before(2)):
		return r.name
	case !l.indented:
		return nil
	}
	r.title = nil
	if r.pluralNoun(title) != "" { // the heading of a list
		return nil
	}
	return nameText(until(trimBullet(title), gaps))
}

// ends reports whether nothing but white space and punctuation follows an offset.
func (l *line) ends(at int) bool {
	rest := l.text[at:min(len(l.text), at+16)]
	return len(bytes.Trim(rest, " \t\r\n.,;)*`\"'")) == 0
}

// readListed yields a list item: the line itself, or one of several on the line. The
// identifier begins the line, "#12  Fix login bug    ann" or "- VX0A41  10% summer", is in
// brackets, "Standup [MTG-100]", or fills a column, "Fix it | BUG-7001" or "Data Engineer - REQ-67417".
func (r *reader) readListed(l *line, at, next int, id []byte) bool {
	coded := shape.IsCoded(id) || isHash(id)
	typ, name := r.nameBehindNoun(l, at, id)
	switch {
	case typ != "":
		r.addNamed(l, typ, id, name)
		return true
	case l.heading == "":
		return false
	case at <= l.lead && (coded || isSigned(id)):
		name, l.led = restName(l.ahead(next)), true
	case coded && (l.text[at] == '[' || l.text[at] == '('):
		name = l.itemName(at)
	default:
		if name = until(l.itemName(at), gaps); len(name) == 0 || !coded || !l.isColumn(at, next) {
			return false
		}
	}
	r.addNamed(l, l.heading, id, name)
	l.item = next
	return true
}

// nameBehindNoun recognizes "listed by agent Ahmed Romero (AG3787)": a noun, a
// capitalized name, the identifier in parentheses.
func (r *reader) nameBehindNoun(l *line, at int, id []byte) (typ string, name []byte) {
	if l.text[at] != '(' {
		return "", nil
	}
	isAlone := bytes.HasPrefix(l.text[at+1:], append(id[:len(id):len(id)], ')')) // not (12 reviews)
	if l.key != "" && isAlone && l.keyEnd < at && l.item == 0 && shape.HasDigit(id) && shape.Of(id) != shape.NotID {
		return l.key, nameText(l.text[l.keyEnd:at])
	}
	if !shape.IsCoded(id) || l.listed {
		return "", nil
	}
	words := bytes.Fields(l.behind(0, at))
	n := len(words)
	for n > 0 && isCapitalised(words[n-1]) {
		n--
	}
	if name = bytes.Join(words[n:], []byte(" ")); n == 0 || len(name) == 0 || bytes.ContainsAny(name, ",;:)") {
		return "", nil
	}
	return r.nounOf(string(words[n-1])), nameText(name)
}

// itemName returns the name of the item whose identifier is at an offset: the text
// since the previous identifier, without the words that introduce the first item.
func (l *line) itemName(at int) []byte {
	name := bytes.TrimLeft(trimBullet(l.behind(l.item, at)), " \t-•.,;()")
	switch {
	case l.item > 0:
		name = name[bytes.LastIndex(name, []byte("; "))+1:]
	case !l.listed && l.text[at] == '(' || bytes.Contains(l.ahead(at), []byte("), ")): // Customer created: Ann Lee (cus_8812)
		name = name[bytes.LastIndex(name, []byte(": "))+1:]
	}
	return nameText(bytes.TrimRight(bytes.TrimLeft(name, " \t"), " \t-–—:/|,"))
}

// isColumn reports whether the first identifier on a line ends the line or fills a
// column, separated by a bar, a dash, a tab, two spaces or, in a list item, a colon.
func (l *line) isColumn(at, next int) bool {
	head, rest := l.behind(0, at), bytes.TrimLeft(l.ahead(next), " \t\r\n")
	before := bytes.TrimRight(head, " \t")
	if l.item > 0 || len(before) == 0 || len(rest) > 0 && (rest[0] != '|' || before[len(before)-1] != '|') {
		return false
	}
	isMark := len(bytes.Trim(lastField(before), "|-–—")) == 0
	return isMark || len(head)-len(before) > 1 || head[len(head)-1] == '\t' || before[len(before)-1] == ':' && l.listed && !l.isKeyed(at)
}

// isKeyed reports whether the line begins with a key in the style of programs whose
// value is at an offset: "- server_name: web-01".
func (l *line) isKeyed(at int) bool {
	key := l.text[min(l.lead, l.keyEnd):l.keyEnd]
	return at-l.keyEnd <= 1 && bytes.IndexByte(key, '_') > 0 && !isCapitalised(key)
}

// justified reports whether a word of prose is an identifier, and of what type: the
// noun before it names the type (order #W12, certificate certificate_3221322, issue
// PROJ-7), its prefix does (user_8123), or it can be nothing else.
func (r *reader) justified(id []byte, l *line, at int) (string, bool) {
	label, owner := l.before(2), l.before(1)
	if label == "is" {
		label, owner = owner, l.before(0)
	}
	s, stated := shape.Of(id), l.isStated()
	switch {
	case len(id) > maxID, len(id) < 2 && label != "id", bytes.Contains(id, []byte("://")):
		return "", false
	case s == shape.NotID && (label == "id" && bytes.IndexByte(id, '.') == 4 || stated && shape.IsEmail(id)): // 2401.12345, a paper
		return l.heading, true
	case s == shape.NotID, s == shape.MaybeID && !shape.HasDigit(id) && !(stated && shape.IsHandle(id)):
		return "", false
	}
	switch stem, typed := strings.CutSuffix(label, "_id"); {
	case typed:
		return cmp.Or(r.nounOf(stem), l.heading), true
	case isLabel(label):
		inName := l.words[2][0] == '(' && (l.listed && l.heading != "" || l.key != "") // - Apron order (ID: 7)
		if r.topic.Noun == owner+"_"+label {                                           // deploy key DK-204
			return r.topic.Noun, true
		}
		noun := r.nounOfQuoted(l, at)
		if noun == "" && !inName && !closesMark(l.words[1]) {
			noun = r.nounOf(owner)
		}
		noun = cmp.Or(noun, l.key) // Company: Tamm Gardens (ID: com_0412)
		return cmp.Or(noun, l.heading), noun != "" || s >= shape.LikelyID || label == "id" || stated
	default:
		noun := r.compound(owner, label)
		isCount := shape.IsDigits(id) && english.Singular(label) != label // Tasks: 12
		switch {
		case closesMark(l.words[2]): // project "Mooring guide" (doc_7716)
			noun = r.nounOfQuoted(l, at)
		case noun == "" && vocabulary.CreatingVerbs.Has(label): // container create 20dc581f6fbf
			noun = r.nounOf(owner)
		}
		if noun != "" && !isCount && (shape.IsCoded(id) || vocabulary.NumberedNouns.Has(noun)) {
			return noun, true
		}
	}
	if s == shape.SurelyID && !(l.listed && l.heading != "" && at <= l.lead) {
		if noun := r.prefixNoun(id); noun != "" {
			return noun, true
		}
	}
	return r.topic.Noun, s == shape.SurelyID && (shape.IsUUID(id) || r.topic.Created)
}

// nounOfQuoted returns the type that the word before a name in quotes names: file "Login
// flow" (key: …).
func (r *reader) nounOfQuoted(l *line, at int) string {
	before, _ := cutQuoted(l.behind(0, at))
	return r.nounOf(strings.ToLower(string(lastField(before))))
}

// closesMark reports whether a word ends the quotes or the emphasis of a name: guide" of
// "Mooring guide".
func closesMark(word []byte) bool {
	end := bytes.TrimRight(word, ":,.)")
	return bytes.IndexAny(word, "\"'*`") > 0 && bytes.IndexByte([]byte("\"'*"), end[len(end)-1]) >= 0
}

// prefixNoun returns the type that the prefix of an identifier names: card of
// credit_card_4421486, log of exam_log-b711e774.
func (r *reader) prefixNoun(id []byte) string {
	i := bytes.LastIndexAny(id, "_-")
	if i < 0 || bytes.IndexByte(id, '_') < 0 {
		return ""
	}
	prefix := strings.ToLower(string(id[:i]))
	return cmp.Or(r.nounOf(prefix), r.nounOf(prefix[strings.LastIndexAny(prefix, "_-")+1:]))
}

// compound returns the noun of two words before an identifier: both, or the second.
func (r *reader) compound(first, second string) string {
	if pair := first + "_" + english.Singular(second); vocabulary.EntityNouns.Has(pair) { // replica set
		return pair
	}
	if vocabulary.Auxiliaries.Has(first) { // will file OPS-131
		return ""
	}
	noun := r.nounOf(second)
	if vocabulary.StateNouns.Has(noun) && r.topic.Noun != "" && r.nounOf(first) == r.topic.Noun { // offer draft
		return r.topic.Noun
	}
	return noun
}

// isLabel reports whether a word announces an identifier: "id", "number".
func isLabel(word string) bool {
	return vocabulary.LabelWords.Has(word) || strings.HasSuffix(word, "_id")
}
