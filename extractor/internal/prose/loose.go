package prose

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// Lengths in bytes of candidates.
const minLoose, maxLoose = 3, 200

// readPair yields the identifier of a pair in a line of text: "offer=off_owJZ",
// "traceID=3f0b77".
func (r *reader) readPair(l *line, at int, key, value []byte) {
	key, value = trimPunctuation(key), trimPunctuation(value)
	if i := bytes.IndexAny(value, "&,;\"')"); i >= 0 {
		value = value[:i]
	}
	noun, isID := r.keyNoun(key, l)
	m := Mention{ID: value, Type: noun}
	switch {
	case len(value) > maxID || vocabulary.FactKeys.Has(strings.ToLower(string(key))) || isVariable(key):
		return
	case isPath(value) && !vocabulary.FileNouns.Has(noun):
		m.Type = r.pathType(value)
	case isID && shape.IsCoded(value):
		m.Sure = true
		if l.text[at] == '(' { // Website (id=prj_77a1, owner=ann)
			m.Label = r.looseLabel(l, at, at+len(value))
		}
		if strings.EqualFold(string(m.Label), noun) {
			m.Label = nil
		}
	case isID && at == l.lead && shape.IsDigits(value): // reqid=41 GET /berths
		m.Sure, m.Label = true, restName(l.ahead(at+len(key)+1+len(value)))
	case isLoose(value) && !isID:
		m.Type = r.looseType(l, at, value)
	case !isLoose(value) && !(isID && len(value) >= 2 && shape.HasDigit(value) && shape.Of(value) != shape.NotID):
		return
	}
	r.emit(m)
}

// isVariable reports whether a key is that of the environment of programs: PGDATA, LOG_LEVEL.
func isVariable(key []byte) bool {
	return len(key) > 2 && len(bytes.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")) == 0 && key[0] >= 'A'
}

// keyNoun returns the type that the key of a pair names, and whether the key announces
// an identifier.
func (r *reader) keyNoun(key []byte, l *line) (noun string, isID bool) {
	ws := english.Words(string(key[:min(len(key), 64)]))
	if len(ws) == 0 {
		return "", false
	}
	last := ws[len(ws)-1]
	if isLabel(last) {
		return cmp.Or(strings.Join(ws[:len(ws)-1], "_"), l.heading), last != "code"
	}
	if stem, ok := strings.CutSuffix(last, "id"); ok {
		last = cmp.Or(vocabulary.LongForm(stem), stem)
	}
	noun = r.nounOf(last)
	return noun, noun != ""
}

// readLoose yields the parts of a word that may be identifiers, as candidates.
func (r *reader) readLoose(l *line, at, next int) {
	word := l.text[at:next]
	head := l.behind(0, at)
	isFact := vocabulary.FactKeys.Has(l.before(2)) && !bytes.Contains(head, []byte("ommit"))    // Changes committed with hash 9fceb02d…
	if isFigure(word) || isFact || isTemplate(word) || bytes.HasSuffix(head, []byte("(was ")) { // Deleted branch x (was 4e1c9aa)
		return
	}
	if bytes.Contains(word, []byte("://")) {
		url, _, _ := bytes.Cut(trimPunctuation(word), []byte("|")) // <https://example.com|title>
		r.addLoose(l, at, at, url)
		return
	}
	if id := trimPunctuation(bytes.TrimLeft(word, "<@!&")); bytes.HasPrefix(word, []byte("<@")) && shape.IsCoded(id) { // <@U07ZZZ111>
		r.emit(Mention{ID: id, Type: "user"})
		return
	}
	for start := at; start < next; {
		size := bytes.IndexAny(l.text[start:next], ",;|()<>[]\"'`")
		if size < 0 {
			size = next - start
		}
		r.addLoose(l, at, start, l.text[start:start+size])
		start += size + 1
	}
}

// isTemplate reports whether a word is part of a formula or a template.
func isTemplate(word []byte) bool {
	return bytes.ContainsAny(word, "{}^\\") && !isDrivePath(word) && !bytes.Contains(word, []byte("@{")) // stash@{1}
}

// isDrivePath reports whether a word is a path on a drive: C:\x\y.txt.
func isDrivePath(word []byte) bool {
	word = trimPunctuation(word)
	return len(word) > 3 && word[1] == ':' && word[2] == '\\'
}

// isFigure reports whether a word is an amount, a date, a time or the like, whatever
// separators are in it: 10,000; [10/Oct/2000:13:55:36.
func isFigure(word []byte) bool {
	word = trimPunctuation(word)
	word = bytes.TrimPrefix(bytes.TrimPrefix(word, []byte("GMT")), []byte("UTC")) // GMT+0000
	if bytes.IndexFunc(word, isNoFigure) < 0 {
		return !shape.IsDigits(word)
	}
	number := bytes.TrimLeft(word, "$€£¥+-")
	isNumber := len(number) > 0 && '0' <= number[0] && number[0] <= '9'
	return isNumber && (len(number) < len(word) || bytes.Count(word, []byte(":")) >= 2)
}

// isNoFigure reports whether a rune does not occur in amounts, dates and times.
func isNoFigure(c rune) bool { return !strings.ContainsRune("0123456789.,:%$€£+-/()x*~_", c) }

// addLoose yields a part of a word as a candidate if it may be an identifier.
func (r *reader) addLoose(l *line, at, start int, id []byte) {
	id = cutPosition(bytes.TrimRight(bytes.TrimLeft(id, "*_~!‘“„«"), ".:!?*=’”“»-"))
	if shape.IsEmail(id) && len(id) <= maxLoose {
		r.emit(Mention{ID: id, Type: vocabulary.EmailAddress, Label: r.looseLabel(l, at, start+len(id))})
		return
	}
	if len(id) == 0 || bytes.Count(id, []byte(":/")) > 1 { // PATH
		return
	}
	if i := bytes.IndexAny(id, "=:"); i > 0 && i+1 < len(id) && bytes.IndexByte(id[:i], '/') < 0 {
		_, isID := r.keyNoun(id[:i], l)
		if id[i] == '=' || isID && id[i+1] != '/' && id[i+1] != '\\' {
			r.readPair(l, start, id[:i], id[i+1:])
			return
		}
	}
	if isSystemPath(id) && !bytes.Equal(id, l.body) {
		return
	}
	named := l.key != "" && l.followsKey(at) && isNameOf(id) && l.ends(start+len(id))
	if !named && !isLoose(id) || shape.IsDigits(id) && l.counts(at, start+len(id)) {
		return
	}
	m := Mention{ID: bareNumber(id), Type: r.looseType(l, at, id), Label: r.looseLabel(l, at, start+len(id))}
	leads := at <= l.lead || l.keyEnd > 0 && at-l.keyEnd < 12 // modified:   go.mod
	if leads && vocabulary.FileNouns.Has(r.topic.Noun) && isPath(id) && l.ends(start+len(id)) {
		m.Label, m.Sure = nil, true
	}
	if len(m.Label) == 0 {
		m.Subject = l.subject
	}
	r.emit(m)
}

// isSystemPath reports whether a path belongs to the system: an interpreter, a device, a
// library.
func isSystemPath(path []byte) bool {
	isBelow := func(root string) bool { return bytes.HasPrefix(path, []byte(root)) }
	return path[0] == '/' && (isLibrary(path) || slices.ContainsFunc(vocabulary.SystemPaths, isBelow))
}

// counts reports whether a number is a figure, by the beginning of the line, "Bytes
// processed: 30380", or the next word: "100000 characters".
func (l *line) counts(at, end int) bool {
	if string(l.words[2]) == "=" {
		return true
	}
	if next := firstWord(l.ahead(end)); vocabulary.FigureWords.HasBytes(bytes.ToLower(trimPunctuation(next))) {
		return true
	}
	return l.followsKey(at) && slices.ContainsFunc(english.Words(string(l.text[l.lead:l.keyEnd])), vocabulary.FigureWords.Has)
}

// isNameOf reports whether a word after "Branch: " can be a name that a tool takes.
func isNameOf(id []byte) bool {
	return len(id) >= 2 && len(id) <= maxLoose && !vocabulary.StatusWords.Has(strings.ToLower(string(id))) &&
		(bytes.ContainsAny(id, "-_/.") || id[0] >= 'a' && id[0] <= 'z')
}

// lineAndColumn matches a line and a column after the name of a file.
var lineAndColumn = regexp.MustCompile(`(?::\d+){1,2}$`)

// cutPosition strips the line and column behind a path: src/main.go:42:7.
func cutPosition(id []byte) []byte {
	if at := lineAndColumn.FindIndex(id); at != nil && bytes.IndexByte(id[:at[0]], '.') >= 0 && !bytes.Contains(id, []byte("://")) {
		return id[:at[0]]
	}
	return id
}

// isLoose reports whether a word without announcement may be an identifier.
func isLoose(id []byte) bool {
	const longest = 80 // without a separator
	if len(id) < minLoose || len(id) > maxLoose || !utf8.Valid(id) {
		return false
	}
	s := shape.Of(id)
	switch {
	case s == shape.NotID || len(id) > longest && !bytes.ContainsAny(id, "/.:-_") || shape.IsNotation(id): // encoded data
		return false
	case s >= shape.LikelyID || isPath(id) || shape.IsGenerated(id):
		return true
	case !shape.HasDigit(id) || utf8.RuneCount(id) < len(id) || strings.IndexByte("@%&$", id[0]) >= 0:
		return false
	}
	return !isFact(id)
}

// isFact reports whether a word with a digit is rather a size, a kind, an ordinal or a
// version: 2nd, gp3, 3x, v1.2, 5-star, utf-8.
func isFact(id []byte) bool {
	if !shape.HasDigit(id) {
		return false
	}
	body := bytes.TrimLeft(id, "0123456789.,")
	switch digits := len(id) - len(body); {
	case digits > 0 && len(body) <= 3 && id[digits-1] != '.' && !bytes.ContainsAny(body, "-_/#"): // but 3690.HK
		return true
	case isVersion(id[bytes.LastIndexByte(id, '/')+1:]): // HTTP/1.1
		return true
	case digits > 0 && len(body) > 1 && body[0] == '-' && !shape.HasDigit(body):
		return true
	}
	return len(id) <= 5 && !bytes.ContainsAny(id, "-_/.:#@+&$%~*!=?")
}

// isVersion reports whether a word is a version: 1.1, v0.14.0.
func isVersion(word []byte) bool {
	word = bytes.TrimPrefix(word, []byte("v"))
	return bytes.IndexByte(word, '.') > 0 && len(bytes.Trim(word, "0123456789.")) == 0
}

// isPath reports whether a word is a path, a URI or the name of a file.
func isPath(id []byte) bool {
	if i := bytes.Index(id, []byte("://")); i > 0 {
		return len(id) > i+4
	}
	file := id[bytes.LastIndexAny(id, `/\`)+1:]
	if vocabulary.FileNames.HasBytes(file) {
		return true
	}
	dot := bytes.LastIndexByte(file, '.')
	isFile := dot >= 0 && vocabulary.FileExtensions.Has(strings.ToLower(string(file[dot+1:])))
	slashes := bytes.Count(id, []byte("/"))
	switch {
	case bytes.Contains(id, []byte("//")) || slashes == 0:
		return isFile && dot > 0
	case id[0] == '/':
		return len(id) > 3 && (slashes >= 2 || isFile)
	case bytes.HasPrefix(bytes.TrimLeft(id, ".~"), []byte("/")):
		return true
	}
	return isFile || slashes >= 2 && bytes.ContainsAny(id, "-_.")
}

// looseType guesses the type of a candidate from the words before it, its prefix, its
// form, or the subject of its line, list or tool.
func (r *reader) looseType(l *line, at int, id []byte) string {
	noun, i := r.compound(l.before(1), l.before(2)), bytes.IndexByte(id, '#')
	switch {
	case noun != "" && (vocabulary.FileNouns.Has(noun) || !isPath(id)):
		return noun
	case isLabel(l.before(2)):
		return cmp.Or(r.nounOf(l.before(1)), l.heading)
	case isPath(id):
		return r.pathType(id)
	case i > 0 && bytes.IndexByte(id[:i], '/') > 0 && shape.IsDigits(id[i+1:]):
		return "issue"
	case isHash(id) && l.heading == "":
		return "commit"
	}
	return cmp.Or(r.prefixNoun(id), l.key, l.heading)
}

// pathType returns the type of a path or of a URI.
func (r *reader) pathType(id []byte) string {
	isFile := vocabulary.FileNouns.Has(r.topic.Noun)
	switch {
	case bytes.HasPrefix(id, []byte("http")) && bytes.Contains(id, []byte("://")):
		return "url"
	case id[len(id)-1] == '/' && (!isFile || r.topic.Noun == "file"):
		return "directory"
	case isFile:
		return r.topic.Noun
	}
	return "file"
}

// looseLabel returns the label of a candidate in its line: the name before its
// parenthesis or colon, or the text after it at the beginning of a list item.
func (r *reader) looseLabel(l *line, at, end int) []byte {
	if l.text[at] == '(' || l.text[at] == '[' {
		if name := untilLastGap(l.itemName(at)); len(name) <= maxLabel {
			return name
		}
		return nil
	}
	head := bytes.TrimRight(l.behind(max(0, at-maxLabel), at), " \t*_`")
	if l.text[at] == '<' && bytes.IndexByte(l.text[at:end], '@') > 0 { // From: Ann Lee <ann@example.com>
		return nameText(trimBullet(head[bytes.LastIndexAny(head, ":,;(|")+1:]))
	}
	if colon, ok := bytes.CutSuffix(head, []byte(":")); ok {
		name := trimBullet(bytes.TrimLeft(colon[bytes.LastIndexAny(colon, ".;,|(")+1:], " \t"))
		last := strings.ToLower(string(lastField(name)))
		isAddress := vocabulary.AddressKeys.Has(last)
		switch {
		case vocabulary.Prepositions.Has(last):
			return nil
		case isAddress && len(r.name) == 0 && l.indented && r.pluralNoun(r.title) == "":
			return nameText(trimBullet(r.title))
		case isAddress || r.nounOf(last) != "" || isLabel(last) || l.isKeyed(at):
			return r.name
		}
		return nameText(bytes.Trim(name, "*_`\" "))
	}
	if at <= l.lead {
		if rest := bytes.TrimLeft(l.ahead(end), " \t"); len(rest) > 1 && (rest[0] == ':' || rest[0] == '-' || rest[0] == '|' || l.listed) {
			name := restName(rest)
			return name[:min(len(name), maxLabel)]
		}
	}
	return nil
}

// untilLastGap returns the part of a name behind its last sentence or clause.
func untilLastGap(name []byte) []byte {
	for _, gap := range [...]string{". ", ": ", "; ", ", "} {
		name = name[bytes.LastIndex(name, []byte(gap))+1:]
	}
	return bytes.TrimSpace(name)
}

// link is a link of Markdown that begins in a word.
var link = regexp.MustCompile(`^[^\s\[]*\[(.*?)\]\(([^)\s]+)\)`)

// readLink yields the target of a Markdown link, "[title](url)", that begins in a word,
// and returns the offset behind it; or 0.
func (r *reader) readLink(l *line, at, next int) (end int) {
	if bytes.IndexByte(l.text[at:next], '[') < 0 {
		return 0
	}
	found := link.FindSubmatch(l.text[at:min(len(l.text), at+window+maxID)])
	if found == nil {
		return 0
	}
	title, url := found[1], found[2]
	end = at + len(found[0])
	if id := bytes.TrimSpace(title); shape.IsCoded(id) && bytes.Contains(url, id) { // [WEB-4F2](https://example.com/issues/WEB-4F2)
		r.emit(Mention{ID: id, Type: r.looseType(l, at, id), Label: restName(l.ahead(end)), Sure: l.listed || l.text[0] == '#'})
		return end
	}
	if isPath(url) && len(url) <= maxLoose {
		typ := r.pathType(url)
		if url[0] == '/' && bytes.IndexByte(url, '.') < 0 { // a page of the same host
			folder := url[:bytes.LastIndexByte(url, '/')] // recipes of /recipes/812-lentil-soup
			typ = cmp.Or(r.pluralNoun(folder[bytes.LastIndexByte(folder, '/')+1:]), "url")
		}
		r.emit(Mention{ID: url, Type: typ, Label: nameText(title), Sure: l.listed && vocabulary.FileNouns.Has(r.topic.Noun)})
	}
	return end
}
