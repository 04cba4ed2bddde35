package prose

import (
	"bytes"
	"cmp"
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
	m := Mention{ID: value, Type: noun, Start: r.start(l, at, value)}
	switch {
	case len(value) == 0 || len(value) > maxID || vocabulary.FactKeys.Has(strings.ToLower(string(key))):
	case isPath(value) && !vocabulary.FileNouns.Has(noun):
		m.Type = r.linkType(value)
		r.emit(m)
	case isID && shape.IsCoded(value):
		m.Sure = true
		if l.text[at] == '(' { // Website (id=prj_77a1, owner=ann)
			m.Label = r.looseLabel(l, at, at+len(value))
		}
		if strings.EqualFold(string(m.Label), noun) {
			m.Label = nil
		}
		r.found++
		r.emit(m)
	case isID && at == l.lead && shape.IsDigits(value): // reqid=41 GET /berths
		m.Sure, m.Label = true, restName(l.ahead(at+len(key)+1+len(value)))
		r.found++
		r.emit(m)
	case isLoose(value), isID && len(value) >= 2 && shape.HasDigit(value) && shape.Of(value) != shape.NotID:
		if !isID {
			m.Type = r.looseType(l, at, value)
		}
		r.emit(m)
	}
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
		if len(ws) == 1 {
			return l.heading, last != "no" && last != "code"
		}
		return strings.Join(ws[:len(ws)-1], "_"), last != "code"
	}
	if stem, ok := strings.CutSuffix(last, "id"); ok && len(stem) > 2 {
		last = cmp.Or(vocabulary.LongForm(stem), stem)
	}
	noun = r.nounOf(last)
	return noun, noun != ""
}

// start returns the offset in the text of a part of the word at an offset of a line.
func (r *reader) start(l *line, at int, part []byte) int {
	return r.offset + at + max(0, bytes.Index(l.text[at:], part))
}

// readLoose yields the parts of a word that may be identifiers, as candidates.
func (r *reader) readLoose(l *line, at, next int) {
	word := l.text[at:next]
	if isFigure(word) || bytes.ContainsAny(word, "{}^\\") && !isDrivePath(word) || vocabulary.FactKeys.Has(l.before(2)) && !isCommitted(l, at, word) ||
		bytes.HasSuffix(l.behind(0, at), []byte("(was ")) { // Deleted branch x (was 4e1c9aa)
		return
	}
	if bytes.Contains(word, []byte("://")) {
		url, _, _ := bytes.Cut(trimPunctuation(word), []byte("|")) // <https://example.com|title>
		r.addLoose(l, at, at, url)
		return
	}
	if mention, ok := bytes.CutPrefix(word, []byte("<@")); ok { // <@U07ZZZ111>
		if id := bytes.Trim(trimPunctuation(mention), "!&"); shape.IsCoded(id) {
			r.emit(Mention{ID: id, Type: "user", Start: r.start(l, at, id)})
			return
		}
	}
	for start := 0; start < len(word); {
		end := start
		for end < len(word) && !isSeparator(word[end]) {
			end++
		}
		if end > start {
			r.addLoose(l, at, at+start, word[start:end])
		}
		start = end + 1
	}
}

// isCommitted reports whether a word is the hash of a commit that the line speaks of:
// "Changes committed with hash 9fceb02d…".
func isCommitted(l *line, at int, word []byte) bool {
	return isHash(trimPunctuation(word)) && bytes.Contains(l.behind(0, at), []byte("ommit"))
}

// isSeparator reports whether a byte separates identifiers within a word.
func isSeparator(c byte) bool { return strings.IndexByte(",;|()<>[]\"'`", c) >= 0 }

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
	switch {
	case len(word) == 0:
		return true
	case bytes.IndexFunc(word, isNoFigure) < 0:
		return !shape.IsDigits(word)
	}
	if len(word) == len("00:1A:2B:3C:4D:5E") && bytes.Count(word, []byte(":")) == 5 {
		return true
	}
	letters := len(word) - len(bytes.TrimLeft(word, "$€£¥+-"))
	if letters > 0 && len(word) > letters && word[letters] >= '0' && word[letters] <= '9' {
		return true
	}
	return word[0] >= '0' && word[0] <= '9' && bytes.Count(word, []byte(":")) >= 2 && shape.Of(word) < shape.LikelyID && !bytes.Contains(word, []byte("::"))
}

// isNoFigure reports whether a rune is in no amount, date or time.
func isNoFigure(c rune) bool { return !strings.ContainsRune("0123456789.,:%$€£+-/()x*~_", c) }

// addLoose yields a part of a word as a candidate if it may be an identifier.
func (r *reader) addLoose(l *line, at, start int, id []byte) {
	id = cutPosition(bytes.TrimRight(bytes.TrimLeft(id, "*_~!‘“„«"), ".:!?*…=’”“»"))
	if shape.IsEmail(id) && len(id) <= maxLoose {
		r.emit(Mention{ID: id, Type: vocabulary.EmailAddress, Label: r.looseLabel(l, at, start+len(id)), Start: r.start(l, start, id)})
		return
	}
	if i := bytes.IndexByte(id, '='); i > 0 && bytes.IndexByte(id[:i], '/') < 0 {
		r.readPair(l, start, id[:i], id[i+1:])
		return
	}
	if key, value, ok := bytes.Cut(id, []byte(":")); ok && len(value) > 0 && value[0] != '/' && value[0] != '\\' {
		if _, isID := r.keyNoun(key, l); isID {
			r.readPair(l, start, key, value)
			return
		}
	}
	named := l.key != "" && l.keyEnd > 0 && at-l.keyEnd < 4 && at >= l.keyEnd && isNameOf(id) && l.ends(start+len(id))
	if !named && !isLoose(id) || shape.IsShare(id) || shape.IsDigits(id) && l.counts(at, start+len(id)) {
		return
	}
	m := Mention{ID: bareNumber(id), Type: r.looseType(l, at, id), Label: r.looseLabel(l, at, start+len(id)), Start: r.start(l, start, id)}
	if vocabulary.FileNouns.Has(r.topic.Noun) && isPath(id) && l.ends(start+len(id)) && (at <= l.lead || at-l.keyEnd < 12 && l.keyEnd > 0) { // modified:   go.mod
		m.Label, m.Sure = nil, true
		r.found++
	}
	m.Start += len(id) - len(m.ID)
	if len(m.Label) == 0 {
		m.Subject = l.subject
	}
	r.emit(m)
}

// counts reports whether a number is a figure, by the beginning of the line, "Bytes
// processed: 30380", or the next word: "100000 characters".
func (l *line) counts(at, end int) bool {
	if next, _ := nextWord(l.ahead(end), 0); vocabulary.FigureWords.HasBytes(bytes.ToLower(trimPunctuation(next))) {
		return true
	}
	if at < l.keyEnd || at-l.keyEnd > 4 || l.lead >= l.keyEnd {
		return false
	}
	return slices.ContainsFunc(english.Words(string(l.text[l.lead:l.keyEnd])), vocabulary.FigureWords.Has)
}

// isNameOf reports whether a word behind "Branch: " can be what a tool takes.
func isNameOf(id []byte) bool {
	return len(id) >= 2 && len(id) <= maxLoose && !vocabulary.StatusWords.Has(strings.ToLower(string(id))) &&
		(bytes.ContainsAny(id, "-_/.") || id[0] >= 'a' && id[0] <= 'z') && shape.Of(id) == shape.MaybeID
}

// cutPosition strips the line and column behind a path: src/main.go:42:7.
func cutPosition(id []byte) []byte {
	for range 2 {
		i := bytes.LastIndexByte(id, ':')
		if i < 2 || !shape.IsDigits(id[i+1:]) || bytes.IndexByte(id[:i], '.') < 0 || shape.IsDigits(bytes.ReplaceAll(id[:i], []byte("."), nil)) || bytes.Contains(id, []byte("://")) {
			break
		}
		id = id[:i]
	}
	return id
}

// isLoose reports whether a word without announcement may be an identifier.
func isLoose(id []byte) bool {
	if len(id) < minLoose || len(id) > maxLoose || !utf8.Valid(id) {
		return false
	}
	s := shape.Of(id)
	switch {
	case s == shape.NotID || isBlob(id):
		return false
	case s >= shape.LikelyID:
		return !isYear(id)
	case isPath(id) || isGenerated(id):
		return true
	case bytes.IndexFunc(id, isForeign) >= 0:
		return false
	case !shape.HasDigit(id) || id[0] == '@' || id[0] == '%' || id[0] == '&' || id[0] == '$':
		return false
	case shape.IsDigits(id):
		return false
	}
	return !isFact(id)
}

// isForeign reports whether a rune is none of those that identifiers are written in.
func isForeign(c rune) bool { return c >= utf8.RuneSelf }

// isYear reports whether a value is a number that is a date without separators.
func isYear(id []byte) bool {
	return len(id) == 8 && shape.IsDigits(id) && (id[0] == '1' && id[1] == '9' || id[0] == '2' && id[1] == '0') && id[4] <= '1' && id[6] <= '3'
}

// isFact reports whether a word with a digit is rather a size, a kind, an ordinal or a
// version: 2nd, gp3, 3x, v1.2, 5-star, utf-8.
func isFact(id []byte) bool {
	body := bytes.TrimLeft(id, "0123456789.,")
	switch digits := len(id) - len(body); {
	case digits > 0 && len(body) <= 3 && id[digits-1] != '.' && !bytes.ContainsAny(body, "-_/#"): // but 3690.HK
		return true
	case isVersion(id[bytes.LastIndexByte(id, '/')+1:]): // HTTP/1.1
		return true
	case bytes.HasPrefix(id, []byte("GMT")), bytes.HasPrefix(id, []byte("UTC")): // GMT+0000
		return len(bytes.Trim(id[3:], "+-:0123456789")) == 0
	case len(id) > 2 && id[len(id)-2] == '/' && bytes.IndexByte(id, '_') > 0 && !shape.HasDigit(id[:len(id)-2]): // list_all/0
		return true
	case digits > 0 && len(body) > 1 && body[0] == '-' && shape.Of(id) < shape.LikelyID && !shape.HasDigit(body):
		return true
	}
	for _, c := range id {
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9') {
			return false
		}
	}
	return len(id) <= 5
}

// isVersion reports whether a word is a version: 1.1, v0.14.0.
func isVersion(word []byte) bool {
	word = bytes.TrimPrefix(word, []byte("v"))
	return bytes.IndexByte(word, '.') > 0 && len(bytes.Trim(word, "0123456789.")) == 0
}

// isBlob reports whether a word is encoded data: long, of mixed case, and without the
// separators of identifiers.
func isBlob(id []byte) bool {
	const longest = 80
	if len(id) <= longest {
		return bytes.HasSuffix(id, []byte("==")) || bytes.HasPrefix(id, []byte("sha512-")) || bytes.HasPrefix(id, []byte("data:"))
	}
	return !bytes.ContainsAny(id, "/.:-_") || bytes.HasPrefix(id, []byte("data:"))
}

// isPath reports whether a word is a path, a URI or the name of a file.
func isPath(id []byte) bool {
	if i := bytes.Index(id, []byte("://")); i > 0 {
		return len(id) > i+4
	}
	file := id[bytes.LastIndexAny(id, `/\`)+1:]
	dot := bytes.LastIndexByte(file, '.')
	isFile := dot >= 0 && len(file) > 1 && vocabulary.FileExtensions.Has(strings.ToLower(string(file[dot+1:])))
	slashes := bytes.Count(id, []byte("/"))
	switch {
	case isDrivePath(id):
		return true
	case bytes.Contains(id, []byte("//")) || slashes == 0:
		return isFile && dot > 0
	case id[0] == '/':
		return len(id) > 3 && (slashes >= 2 || shape.HasDigit(id) || isFile)
	case bytes.HasPrefix(id, []byte("./")), bytes.HasPrefix(id, []byte("../")), bytes.HasPrefix(id, []byte("~/")):
		return true
	}
	return isFile || slashes >= 2 && slashes <= 20 && bytes.ContainsAny(id, "-_.")
}

// isGenerated reports whether a word without digits has a prefix and a long part of
// mixed case, as generated identifiers have: cus_NeZwdNtLEOXuvB.
func isGenerated(id []byte) bool {
	i := bytes.IndexByte(id, '_')
	if i < 1 || len(id)-i <= 10 || bytes.IndexByte(id[i+1:], '_') >= 0 {
		return false
	}
	upper, lower := 0, 0
	for _, c := range id[i+1:] {
		switch {
		case 'A' <= c && c <= 'Z':
			upper++
		case 'a' <= c && c <= 'z':
			lower++
		}
	}
	return upper >= 3 && lower >= 3
}

// looseType guesses the type of a candidate: what the words before it or its prefix
// name, what its form says, or the subject of its line, list or tool.
func (r *reader) looseType(l *line, at int, id []byte) string {
	if l.text[at] == '(' && r.isAside(id, l) {
		return "issue"
	}
	if noun := r.compound(l.before(1), l.before(2)); noun != "" && (vocabulary.FileNouns.Has(noun) || !isPath(id)) {
		return noun
	}
	if isLabel(l.before(2)) {
		if noun := r.nounOf(l.before(1)); noun != "" {
			return noun
		}
		return l.heading
	}
	if bytes.Contains(id, []byte("://")) {
		return address(id)
	}
	if isPath(id) {
		return r.pathType(id)
	}
	if noun := r.prefixNoun(id); noun != "" {
		return noun
	}
	if i := bytes.IndexByte(id, '#'); i > 0 && bytes.IndexByte(id[:i], '/') > 0 && shape.IsDigits(id[i+1:]) {
		return "issue"
	}
	if l.key != "" {
		return l.key
	}
	return l.heading
}

// address returns the type of a URI: a page of the web, or a file elsewhere.
func address(id []byte) string {
	if bytes.HasPrefix(id, []byte("http")) {
		return "url"
	}
	return "file"
}

// pathType returns the type of a path.
func (r *reader) pathType(id []byte) string {
	switch {
	case vocabulary.FileNouns.Has(r.topic.Noun):
		return r.topic.Noun
	case id[len(id)-1] == '/':
		return "directory"
	}
	return "file"
}

// looseLabel returns what names a candidate on its line: the name before its
// parenthesis or colon, or what follows it at the beginning of a list item.
func (r *reader) looseLabel(l *line, at, end int) []byte {
	if l.text[at] == '(' || l.text[at] == '[' {
		name := untilLastGap(l.itemName(at, end))
		if len(name) > maxLabel {
			return nil
		}
		return name
	}
	head := bytes.TrimRight(l.behind(max(0, at-maxLabel), at), " \t*_`")
	if l.text[at] == '<' && bytes.IndexByte(l.text[at:end], '@') > 0 { // From: Ann Lee <ann@example.com>
		return nameText(trimBullet(head[bytes.LastIndexAny(head, ":,;(|")+1:]))
	}
	if colon, ok := bytes.CutSuffix(head, []byte(":")); ok && at >= l.keyEnd {
		name := trimBullet(bytes.TrimLeft(colon[bytes.LastIndexAny(colon, ".;,|(")+1:], " \t"))
		last := strings.ToLower(string(lastField(name)))
		if vocabulary.Prepositions.Has(last) || vocabulary.MailKeys.Has(last) {
			return nil
		}
		if r.nounOf(last) != "" || isLabel(last) || vocabulary.AddressKeys.Has(last) || l.isKeyed(at) {
			if len(r.name) == 0 && len(l.title) > 0 && vocabulary.AddressKeys.Has(last) && r.pluralNoun(l.title) == "" {
				return nameText(trimBullet(l.title))
			}
			return r.name
		}
		if len(name) > maxLabel {
			return nil
		}
		return nameText(bytes.Trim(name, "*_`\" "))
	}
	if at <= l.lead && l.lead < len(l.text) {
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
		if i := bytes.LastIndex(name, []byte(gap)); i >= 0 {
			name = name[i+len(gap):]
		}
	}
	return bytes.TrimSpace(name)
}

// readLink yields the target of a Markdown link, "[title](url)", that begins in a word,
// and returns the offset behind it; or 0.
func (r *reader) readLink(l *line, at, next int) (end int) {
	open := bytes.IndexByte(l.text[at:next], '[')
	if open < 0 {
		return 0
	}
	open += at
	title, _, ok := bytes.Cut(l.ahead(open+1), []byte("]("))
	if !ok || bytes.IndexByte(title, '[') >= 0 {
		return 0
	}
	from := open + 1 + len(title) + 2
	size := bytes.IndexAny(l.text[from:min(len(l.text), from+maxID)], ") \t\r\n")
	if size <= 0 || l.text[from+size] != ')' {
		return 0
	}
	url := l.text[from : from+size]
	if id := bytes.TrimSpace(title); shape.IsCoded(id) && bytes.Contains(url, id) { // [WEB-4F2](https://example.com/issues/WEB-4F2)
		r.emit(Mention{ID: id, Type: r.looseType(l, at, id), Label: restName(l.ahead(from + size + 1)), Sure: l.listed || l.text[0] == '#', Start: r.start(l, open, id)})
		return from + size + 1
	}
	if isPath(url) && len(url) <= maxLoose {
		image := open > 0 && l.text[open-1] == '!'
		sure := l.listed && !image && len(bytes.TrimSpace(title)) > 0
		typ := r.linkType(url)
		if url[0] == '/' && bytes.IndexByte(url, '.') < 0 { // a page of the same host
			typ = cmp.Or(r.folderNoun(url), "url")
		}
		r.emit(Mention{ID: url, Type: typ, Label: nameText(title), Sure: sure && vocabulary.FileNouns.Has(r.topic.Noun), Start: r.offset + from})
	}
	return from + size + 1
}

// folderNoun returns the type that the part before the last of a path names: recipe of
// /recipes/812-lentil-soup.
func (r *reader) folderNoun(path []byte) string {
	folder := path[:max(0, bytes.LastIndexByte(path, '/'))]
	word := string(folder[bytes.LastIndexByte(folder, '/')+1:])
	if noun := r.nounOf(word); noun != word {
		return noun
	}
	return ""
}

// linkType returns the type of a link's target.
func (r *reader) linkType(url []byte) string {
	if bytes.Contains(url, []byte("://")) {
		return address(url)
	}
	return r.pathType(url)
}
