package extractor

import (
	"bytes"
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

// textLine is the state of reading a line of prose.
type textLine struct {
	text []byte
	// heading is the type of a list's items, from its heading or the tool's name.
	heading string
	// announces is set for a heading, whose identifiers are not items of the list
	// below.
	announces bool
	// before are the last three words in lower case.
	before [3]string
	// item is the offset of the current list item on the line.
	item int
	// led is set after an identifier at the start of the line, which is the line's
	// subject.
	led bool
	// subject is the name of the line's subject, once an identifier had one.
	subject []byte
	// title is the line above an indented line, if it may be a name.
	title []byte
}

// isListed reports whether the line is marked as a list item.
func (l *textLine) isListed() bool {
	line := bytes.TrimLeft(l.text, " \t")
	return len(trimBullet(line)) < len(line)
}

// isIndented reports whether the line is indented.
func (l *textLine) isIndented() bool { return l.text[0] == ' ' || l.text[0] == '\t' }

// readLine extracts the identifiers of a line of prose.
func (f *finder) readLine(l *textLine) {
	for start := 0; start < len(l.text) && !f.full; {
		word, next := nextWord(l.text, start)
		if start = next; len(word) == 0 {
			continue
		}
		f.readWord(l, next-len(word), next)
		if word[len(word)-1] == '.' && !l.isListed() {
			l.subject = nil
		}
		l.before[0], l.before[1] = l.before[1], l.before[2]
		l.before[2] = strings.ToLower(string(bytes.Trim(word[:min(len(word), 64)], ".,:;!?\"'`*()[]=")))
	}
}

// readWord extracts a word of a line if it is an identifier.
func (f *finder) readWord(l *textLine, at, next int) {
	word := l.text[at:next]
	id := trimPunctuation(word)
	if label, value, ok := bytes.Cut(id, []byte("=")); ok {
		f.labelled(label, value)
		return
	}
	if word[len(word)-1] == ':' && !l.led {
		if noun := headingNoun(word); noun != "" {
			l.heading, l.item = noun, next
			return
		}
	}
	if bytes.IndexByte(id, ',') >= 0 || l.led && !l.opensClause(at) { // table cells, a name
		return
	}
	typ, ok := f.justified(id, l)
	switch {
	case l.announces && word[0] == '(' && isCoded(id):
		if !ok {
			typ = ""
		}
		f.addOwner(l, at, next, id, typ)
	case ok && !l.isInName(at):
		f.addNamed(l, typ, id, l.nameBefore(at))
		l.item = next
	case !l.led && !l.announces:
		f.readListed(l, at, next, id)
	}
}

// isInName reports whether the word before an identifier belongs to a name instead of
// naming the identifier's type: "1. Building survey (DOC123456)", "40 Elm Street
// (RX-6629882)", "- Cold store: WH-D886".
func (l *textLine) isInName(at int) bool {
	if l.heading == "" || l.announces {
		return false
	}
	last := lastField(l.text[:at])
	before := lastField(l.text[:bytes.LastIndex(l.text[:at], last)])
	switch {
	case l.text[at] == '[':
		return true
	case l.text[at] == '(':
		return l.isListed() || isCapitalised(last) && isCapitalised(before) && !modifiers.has(strings.ToLower(string(before)))
	}
	return bytes.HasSuffix(last, []byte(":")) && l.isListed() && isCapitalised(before) && !isLabel(l.before[2])
}

// isCapitalised reports whether a word begins with a capital.
func isCapitalised(word []byte) bool {
	r, _ := utf8.DecodeRune(word)
	return unicode.IsUpper(r)
}

// opensClause reports whether the word before an offset is the first after a
// separator: "REQ-67417 | Engineer | application APP68225068".
func (l *textLine) opensClause(at int) bool {
	head := bytes.TrimRight(l.text[:at], " \t")
	head = head[:bytes.LastIndexAny(head, " \t")+1]
	trimmed := bytes.TrimRight(head, " \t")
	return len(trimmed) > 0 && (bytes.IndexByte([]byte("|([,;."), trimmed[len(trimmed)-1]) >= 0 || len(head)-len(trimmed) > 1)
}

// addNamed adds an identifier of a line. An identifier without a name is described as
// belonging to the line's subject.
func (f *finder) addNamed(l *textLine, typ string, id, name []byte) {
	if len(name) == 0 && len(l.title) > 0 {
		if f.pluralNoun(l.title) == "" { // not the heading of a list
			name = nameText(untilGap(trimBullet(l.title)))
		}
		l.title = nil
	}
	s := sighting{typ: cmp.Or(typ, memory.FallbackType), order: f.next(), id: bareNumber(id), name: name, path: f.path(-1)}
	if len(name) > 0 {
		l.subject = name
	} else if len(l.subject) > 0 {
		s.description = append([]byte("of "), l.subject...)
	}
	f.add(&s)
}

// addOwner adds the owner of a list, "2 candidates for Data Engineer (REQ-67417):",
// if the call's arguments or the preceding words give its type.
func (f *finder) addOwner(l *textLine, at, next int, id []byte, typ string) {
	for i := range f.args.args {
		if a := &f.args.args[i]; a.id == string(id) && a.key != nil && a.key.class == classTypedID {
			typ = cmp.Or(a.key.noun, typ)
		}
	}
	if typ == "" {
		return
	}
	name := l.itemName(at, next)
	for _, mark := range [...]string{" for ", " of ", " on ", " in "} {
		if _, behind, ok := bytes.Cut(name, []byte(mark)); ok {
			name = behind
		}
	}
	if !isCapitalised(name) {
		name = nil
	}
	f.addNamed(l, typ, id, name)
}

// readListed adds an item of a list that is on the line, or that the line is an item
// of.
func (f *finder) readListed(l *textLine, at, next int, id []byte) {
	if typ, name := f.nameBehindNoun(l, at, id); typ != "" {
		f.addNamed(l, typ, id, name)
		return
	}
	name, first, ok := l.listed(at, next, id)
	if !ok || l.heading == "" {
		return
	}
	f.addNamed(l, l.heading, id, name)
	l.item, l.led = next, first
}

// nameBehindNoun recognizes "listed by agent Ahmed Romero (AG3787)": a noun, a
// capitalized name, the identifier in parentheses.
func (f *finder) nameBehindNoun(l *textLine, at int, id []byte) (typ string, name []byte) {
	const words = 4
	if l.text[at] != '(' || !isCoded(id) || l.isListed() {
		return "", nil
	}
	end := len(bytes.TrimRight(l.text[:at], " \t"))
	for start, n := end, 0; n < words && start > 0; n++ {
		word := lastField(l.text[:start])
		if len(word) == 0 {
			return "", nil
		}
		begin := len(bytes.TrimRight(l.text[:start], " \t")) - len(word)
		switch {
		case n > 0 && !isCapitalised(word):
			return f.nounOf(string(word)), nameText(bytes.TrimSpace(l.text[start:end]))
		case !isCapitalised(word) || bytes.IndexByte([]byte(",;:.)"), word[len(word)-1]) >= 0 && len(word) > 2:
			return "", nil
		}
		start = begin
	}
	return "", nil
}

// lastField returns the last word of a text.
func lastField(text []byte) []byte {
	text = bytes.TrimRight(text, " \t\r\n")
	return text[bytes.LastIndexAny(text, " \t\r\n")+1:]
}

// bareNumber strips the sign from "#4521". Other identifiers keep theirs: "#W12".
func bareNumber(id []byte) []byte {
	if len(id) > 1 && id[0] == '#' && isDigits(id[1:]) {
		return id[1:]
	}
	return id
}

// nameBefore returns the name in "1. Grand Plaza (ID: HTL-4821)" and "Ann Lee is here
// (user u-1001)": the text before the identifier's parenthesis.
func (l *textLine) nameBefore(at int) []byte {
	head := l.text[:at]
	i := bytes.LastIndexByte(head, '(')
	if i < 0 {
		return l.nameBeforeColon(head)
	}
	if !isLabel(l.before[2]) && len(bytes.Fields(head[i+1:])) > 1 {
		return nil
	}
	name := bytes.TrimRight(trimBullet(bytes.TrimLeft(head[min(i, l.item):i], ".,;)")), " \t-:,*")
	longest := maxDescriptionBytes
	if l.isListed() {
		name = untilGap(name)
	} else if !l.announces {
		name, longest = sentenceSubject(name), maxFactBytes
	}
	if len(name) > longest || bytes.IndexByte(name, ')') >= 0 {
		return nil
	}
	return nameText(name)
}

// nameBeforeColon returns the name in a list line such as "  VW Polo: vehicle
// VEH-4465Y".
func (l *textLine) nameBeforeColon(head []byte) []byte {
	i := bytes.LastIndex(head, []byte(": "))
	if i < 0 || !l.isListed() && !l.isIndented() || len(bytes.Fields(head[i+1:])) != 1 {
		return nil
	}
	return nameText(trimBullet(head[:i]))
}

// sentenceSubject returns the part of a sentence before its verb.
func sentenceSubject(text []byte) []byte {
	for _, verb := range [...]string{" is ", " was ", " are ", " were ", " has ", " have ", " will "} {
		text, _, _ = bytes.Cut(text, []byte(verb))
	}
	return text
}

// trimBullet strips the marker of a list item: "- ", "* ", "12. ".
func trimBullet(line []byte) []byte {
	line = bytes.TrimLeft(line, " \t")
	for _, bullet := range [...]string{"- ", "* ", "+ ", "• ", "– "} {
		if rest, ok := bytes.CutPrefix(line, []byte(bullet)); ok {
			return bytes.TrimLeft(rest, " \t")
		}
	}
	number := bytes.TrimLeft(line, "0123456789")
	if n := len(line) - len(number); n > 0 && n <= 4 && len(number) > 1 && (number[0] == '.' || number[0] == ')') && number[1] == ' ' {
		return bytes.TrimLeft(number[1:], " \t")
	}
	return line
}

// listed recognizes a list item and returns the name beside its identifier. The
// identifier begins the line, "#12  Fix login bug    ann" or "- VX0A41  10% summer",
// is in brackets, "Standup [MTG-100]", or fills a column, "Fix it | BUG-7001" or
// "Data Engineer - REQ-67417".
func (l *textLine) listed(at, next int, id []byte) (name []byte, first, ok bool) {
	word := l.text[at:next]
	coded := isCoded(id)
	first = len(bytes.Trim(l.text[:at], " \t-*•0123456789.)")) == 0
	switch {
	case first && (coded || len(id) > 1 && id[0] == '#' && isDigits(id[1:])):
		return restName(l.text[next:]), true, true
	case coded && len(word) > 2 && (word[0] == '[' || word[0] == '('):
		return l.itemName(at, next), false, true
	case coded && l.isColumn(at, next):
		name = l.itemName(at, next)
		return untilGap(name), false, len(name) > 0
	}
	return nil, false, false
}

// itemName returns the name of the item whose identifier is at an offset: the text
// since the previous identifier, without the words that introduce the first item.
func (l *textLine) itemName(at, next int) []byte {
	name := l.text[l.item:at]
	if l.item > 0 {
		name = bytes.TrimLeft(name, " \t-*•.),;")
		if i := bytes.LastIndex(name, []byte("; ")); i >= 0 {
			name = name[i+1:]
		}
	} else if name = trimBullet(name); bytes.Contains(l.text[next:], []byte("), ")) || bytes.HasSuffix(l.text[:next], []byte("),")) {
		name = name[bytes.LastIndex(name, []byte(": "))+1:]
	}
	return nameText(bytes.TrimRight(bytes.TrimLeft(name, " \t"), " \t-–—:/|,"))
}

// isColumn reports whether the first identifier on a line ends the line or fills a
// column, separated by a bar, a dash, a tab, two spaces or, in a list item, a colon.
func (l *textLine) isColumn(at, next int) bool {
	head, rest := l.text[:at], bytes.TrimLeft(l.text[next:], " \t\r\n")
	before := bytes.TrimRight(head, " \t")
	if l.item > 0 || len(before) == 0 || len(rest) > 0 && (rest[0] != '|' || before[len(before)-1] != '|') {
		return false
	}
	for _, mark := range [...]string{"|", " -", " –", " —"} {
		if bytes.HasSuffix(before, []byte(mark)) {
			return true
		}
	}
	return len(head)-len(before) > 1 || head[len(head)-1] == '\t' || before[len(before)-1] == ':' && l.isListed()
}

// labelled extracts the identifier of a pair in a line of text, "offer=off_owJZ".
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

// restName returns the name that follows an identifier at the start of a line, up to
// the next column. It is empty if a sentence about the entity follows.
func restName(rest []byte) []byte {
	rest = bytes.Trim(rest, " \t\r\n:-–—|/")
	if word, _ := nextWord(rest, 0); verbsOfState.hasBytes(word) {
		return nil
	}
	return nameText(untilGap(rest))
}

// verbsOfState are auxiliary verbs, which state something about the preceding words.
var verbsOfState = wordSet{list: `is was are were has have had will would can cannot could does did been be`}

// untilGap returns a text up to the next column separator.
func untilGap(text []byte) []byte {
	for _, gap := range [...]string{"\t", "  ", " | ", " / ", " - ", " – ", " — "} {
		if i := bytes.Index(text, []byte(gap)); i > 0 {
			text = text[:i]
		}
	}
	return text
}

// nameText returns a text from prose as a name: one line, cut to a limit, and empty
// if it holds a secret.
func nameText(text []byte) []byte {
	if secret.Within(text) {
		return nil
	}
	if len(text) > maxValueBytes {
		text = cutText(text, maxValueBytes)
	}
	return appendClean(nil, text)
}
