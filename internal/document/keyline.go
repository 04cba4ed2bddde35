package document

import (
	"bytes"
	"iter"
	"regexp"
	"unicode"
)

// keyLine is a line "key: value".
type keyLine struct {
	key, value []byte
	paragraph  bool // the first line after a blank line or a rule
	item       bool // an item of a list over several lines
	below      bool // the first line below "- Ann Lee", indented
	section    bool // a heading of Markdown that names a record: "## Deploy 7"
}

// keyLines yields the key lines of a text. The heading of a record, "Order #W1",
// counts as "Order: #W1", and the only line above those of a paragraph, or of an item of a
// list, as its "heading". A list over several lines, "ids = [", yields its key with each item.
// It ends when interrupted reports true after so many more bytes.
func keyLines(text []byte, interrupted func(bytes int) bool) iter.Seq[keyLine] {
	return func(yield func(keyLine) bool) {
		var heading []byte
		n := 0           // lines of the paragraph
		below := false   // whether the heading is one of Markdown, which paragraphs may be between
		section := false // of the last line with text
		for line, pairs := range linesOfPairs(text, interrupted) {
			if n++; len(line) == 0 {
				n = 0
			}
			if len(pairs) == 0 {
				if title := trimHashes(line); !below || len(title) < len(line) {
					heading, below = line, bytes.HasPrefix(line, []byte("##")) && len(title) > 0
				}
				if title, bold := unwrap(line, "**"); bold && section && !yield(keyLine{key: []byte("title"), value: title}) {
					return
				}
				section = section && len(line) == 0
				continue
			}
			section = pairs[0].section
			if (below && pairs[0].paragraph && !section || n == 2 || pairs[0].below) && isHeading(heading) {
				if !yield(headingPair(heading, pairs[0].paragraph || pairs[0].below)) {
					return
				}
				pairs[0].paragraph = false
			}
			below = false
			heading = nil
			for _, pair := range pairs {
				if !yield(pair) {
					return
				}
			}
		}
	}
}

// headingPair returns the pair of a record's heading. A code is the identifier, "## WEB-4F2", and
// a number in front of a heading of Markdown begins a section: "### 2. Tide tables".
func headingPair(line []byte, paragraph bool) keyLine {
	numbered := trimHashes(line)
	title := unmark(trimBullet(numbered))
	pair := keyLine{key: []byte("heading"), value: title, paragraph: paragraph, section: line[0] == '#' && len(title) < len(numbered)}
	if line[0] == '#' && code.Match(title) && bytes.ContainsAny(title, "0123456789") {
		pair.key = []byte("id")
	}
	return pair
}

// code matches the code of a record: WEB-4F2.
var code = regexp.MustCompile(`^[A-Z0-9_]+-[A-Z0-9_-]*$`)

// isHeading reports whether a line without a key can be the name of the record below: "### Ann
// Lee", "2. **A clock that grows**", but no section of settings and no comment.
func isHeading(line []byte) bool {
	const longest = 120
	return 0 < len(line) && len(line) <= longest && line[0] != '[' && !bytes.HasPrefix(line, []byte("# ")) &&
		bytes.IndexByte([]byte(".:;,!?"), line[len(line)-1]) < 0
}

func trimHashes(line []byte) []byte { return bytes.TrimLeft(line, "# ") }

// Unkeyed yields the lines of a text that [KeyValue] ignores, without white space around
// them, each with the key above it that has no value, or nil.
func Unkeyed(text []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(heading, line []byte) bool) {
		var heading []byte
		for line, pairs := range linesOfPairs(text, never) {
			if n := len(pairs); n == 0 {
				if len(line) > 0 && !yield(heading, line) {
					return
				}
			} else if heading = nil; len(pairs[n-1].value) == 0 {
				heading = pairs[n-1].key
			}
		}
	}
}

// linesOfPairs yields the lines of a text with their keys and values, and nil for lines between
// paragraphs.
func linesOfPairs(text []byte, interrupted func(bytes int) bool) iter.Seq2[[]byte, []keyLine] {
	return func(yield func([]byte, []keyLine) bool) {
		paragraph := false
		barred := false // whether databases drew the records
		item := -1      // the indentation of the line above, if it is an item of a list without a key
		var list []byte
		var single [1]keyLine
		for line := range bytes.Lines(text) {
			if interrupted(len(line)) {
				return
			}
			indent := len(line) - len(bytes.TrimLeft(line, " \t"))
			line = bytes.TrimSpace(line)
			if isRecord := isRecordRule(line); isRecord || len(line) == 0 || isRule(line) || barred && isSeparator(line) {
				barred = barred || isRecord
				item = -1
				if paragraph = true; !yield(nil, nil) {
					return
				}
				continue
			}
			pairs := single[:0]
			if len(list) > 0 {
				value := bytes.TrimSuffix(line, []byte(","))
				if len(value) == 0 || value[0] == ']' || value[0] == '{' {
					list = nil
					continue
				}
				pairs = append(pairs, keyLine{key: list, value: value, item: true})
			} else if pair, ok := cutBar(line); ok && barred {
				pairs = append(pairs, pair)
			} else if pairs = linePairs(pairs, line); len(pairs) == 1 && string(pairs[0].value) == "[" {
				list = pairs[0].key
				continue
			}
			if len(pairs) > 0 {
				pairs[0].paragraph, paragraph = paragraph, false
				pairs[0].below = 0 <= item && item < indent
			}
			if item = -1; len(pairs) == 0 && len(trimBullet(line)) < len(line) {
				item = indent
			}
			if !yield(line, pairs) {
				return
			}
		}
	}
}

// linePairs returns the keys and values of a line; a single pair is appended to dst.
func linePairs(dst []keyLine, line []byte) []keyLine {
	if pairs := cutTitle(line); pairs != nil {
		pairs[0].section = line[0] == '#'
		return pairs
	}
	pair, ok := cutKey(line)
	if !ok {
		return nil
	}
	if pairs := cutInline(pair); pairs != nil {
		return pairs
	}
	if pairs := cutNamed(pair); pairs != nil {
		return pairs
	}
	return append(dst, pair)
}

// The titles of records.
var (
	// A name and an identifier: "Standup (ID: ev_91)".
	namedID = regexp.MustCompile(`^([^:]*[^:\s])\s+\(([\w ]*[iI][dD]) *[:=] *(\S+)\)$`)
	// A code and a name: "**OPS** - Operations".
	coded = regexp.MustCompile(`^\*\*([A-Z0-9_-]{2,})\*\* +[-–—] +(.+)$`)
)

// cutHeading splits the heading of a record, a word and an identifier: "Order #W1", "commit 1a2b3c",
// "Order #W1 (pending):". A heading of Markdown may have a title: "## Issue 12: Login", but not
// "## Release 1.4 in acme".
func cutHeading(line []byte) []keyLine {
	word, rest, _ := bytes.Cut(trimHashes(line), []byte(" "))
	id, title, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
	id, hasColon := bytes.CutSuffix(id, []byte(":"))
	isNoLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	if bytes.ContainsFunc(word, isNoLetter) || !bytes.ContainsAny(id, "0123456789") || !isKey(append([]byte("x"), id...)) {
		return nil
	}
	pairs := []keyLine{{key: word, value: id}}
	isMarkdown := line[0] == '#'
	switch title = bytes.TrimSpace(title); {
	case len(title) == 0, title[0] == '(', isMarkdown && bytes.HasPrefix(title, []byte("in ")):
		return pairs
	case isMarkdown && hasColon:
		return append(pairs, keyLine{key: []byte("title"), value: unmark(title)})
	}
	return nil
}

// cutTitle returns the keys and values of a line that begins a record, or nil for other lines. If the title
// is a link whose address contains its text, the text is a code:
// "## [WEB-4F2](https://example.com/issues/WEB-4F2)".
func cutTitle(line []byte) []keyLine {
	if pairs := cutHeading(line); pairs != nil {
		return pairs
	}
	title := trimBullet(trimHashes(line))
	if bytes.HasPrefix(title, []byte("**")) {
		if m := coded.FindSubmatch(title); m != nil {
			return []keyLine{{key: []byte("key"), value: m[1]}, {key: []byte("name"), value: unmark(m[2])}}
		}
	}
	if title = unmark(title); !bytes.HasSuffix(title, []byte(")")) {
		return nil
	}
	if m := namedID.FindSubmatch(title); m != nil {
		return []keyLine{{key: []byte("name"), value: unmark(m[1])}, {key: m[2], value: unmark(m[3])}}
	}
	name, url, ok := splitLink(title)
	if !ok || !bytes.Contains(url, []byte("://")) {
		return nil
	}
	key := "name"
	if bytes.ContainsAny(name, "0123456789") && bytes.IndexByte(name, ' ') < 0 && bytes.Contains(url, name) {
		key = "id"
	}
	return []keyLine{{key: []byte(key), value: name}, {key: []byte("url"), value: url}}
}

// cutNamed splits an identifier and the name after it: "ID: 1AbCdEfG Budget 2026".
func cutNamed(pair keyLine) []keyLine {
	const shortest = 6
	id, name, ok := bytes.Cut(pair.value, []byte(" "))
	isID := len(id) >= shortest && bytes.ContainsAny(id, "0123456789") && bytes.IndexByte(id, ',') < 0
	if !ok || !isID || !bytes.HasSuffix(bytes.ToLower(pair.key), []byte("id")) {
		return nil
	}
	return []keyLine{{key: pair.key, value: id}, {key: []byte("name"), value: bytes.TrimLeft(name, " -–|")}}
}

// cutInline splits a line with several pairs: "id: 1, name: a", "id: 1 | name: a",
// "id=1 name=a". All parts must be pairs, and not more than a table has columns.
func cutInline(pair keyLine) []keyLine {
	for _, between := range []string{", ", " | ", "; ", " "} {
		first, rest, ok := bytes.Cut(pair.value, []byte(between))
		if !ok {
			continue
		}
		pairs := []keyLine{{key: pair.key, value: unmark(bytes.TrimSpace(first))}}
		for part := range bytes.SplitSeq(rest, []byte(between)) {
			next, ok := cutKey(part)
			if !ok || len(pairs) == maxColumns || between == " " && len(next.value) == 0 {
				pairs = nil
				break
			}
			pairs = append(pairs, next)
		}
		if pairs != nil {
			return pairs
		}
	}
	return nil
}

// splitLink splits a text that is a link of Markdown, "[Login fails](/issues/7)". The sign in
// front of a number that the address ends in goes: "[!7](/merge_requests/7)".
func splitLink(text []byte) (name, url []byte, ok bool) {
	name, url, ok = bytes.Cut(text, []byte("]("))
	if !ok || len(name) < 2 || name[0] != '[' || len(url) < 2 || bytes.IndexAny(url, " ()") != len(url)-1 || url[len(url)-1] != ')' {
		return nil, nil, false
	}
	name, url = name[1:], url[:len(url)-1]
	if number := bytes.TrimLeft(name, "#!"); bytes.HasSuffix(url, number) && len(bytes.Trim(number, "0123456789")) == 0 {
		name = number
	}
	return name, url, true
}

// isRule reports whether a line is a horizontal rule: ---, ***, ====.
func isRule(line []byte) bool {
	return len(line) >= 3 && startsWith(line, "-=*_#~+") && len(bytes.Trim(line, string(line[:1]))) == 0
}

// isRecordRule reports whether a line is drawn above a record by a database that prints a column on
// each line: "-[ RECORD 1 ]---", "*** 1. row ***", "@ Row 1".
func isRecordRule(line []byte) bool {
	return startsWith(line, "-*@") && recordNumber.Match(bytes.Trim(line, "-*@+[] "))
}

var recordNumber = regexp.MustCompile(`(?i)^(?:(?:record|row) +\d+|\d+\.? +(?:record|row))$`)

// cutBar splits a line "column | value" of such a record.
func cutBar(line []byte) (pair keyLine, ok bool) {
	key, value, ok := bytes.Cut(line, []byte("|"))
	key = bytes.TrimSpace(key)
	return keyLine{key: key, value: bytes.TrimSpace(value)}, ok && isKey(key)
}

// cutKey splits a line "key: value" in the notations of people and tools.
func cutKey(line []byte) (pair keyLine, ok bool) {
	line = trimBullet(bytes.TrimSpace(line))
	if bold, ok := bytes.CutPrefix(line, []byte("**")); ok {
		for _, end := range []string{":**", "**:"} {
			key, value, ok := bytes.Cut(bold, []byte(end))
			if key = bytes.TrimSpace(key); ok && isKey(key) {
				return keyLine{key: key, value: unmark(bytes.TrimSpace(value))}, true
			}
		}
	}
	i := bytes.IndexAny(line, ":=")
	if i <= 0 || startsWith(line[i+1:], ":=>~") {
		return pair, false
	}
	key, value := bytes.TrimSpace(line[:i]), bytes.TrimSpace(line[i+1:])
	isSpaced := i+1 == len(line) || startsWith(line[i+1:], " \t")
	return keyLine{key: key, value: unmark(value)}, isKey(key) && (isSpaced || isTight(key, value))
}

// isTight reports whether a pair may lack a space after the colon, unlike
// https://host, 12:30 and C:\path.
func isTight(key, value []byte) bool {
	isTime := isDigit(key[len(key)-1]) && len(value) > 1 && isDigit(value[0]) && isDigit(value[1])
	return len(key) > 1 && !bytes.ContainsAny(key, " ./#()&'$@") && !isTime && value[0] != '/' && value[0] != '\\'
}

// trimBullet strips "- ", "* ", "• " or "12. ".
func trimBullet(line []byte) []byte {
	digits := digitsEnd(line, 0)
	sign, rest, ok := bytes.Cut(line[digits:], []byte(" "))
	isNumber := 0 < digits && digits <= 4 && (string(sign) == "." || string(sign) == ")")
	isMark := digits == 0 && (string(sign) == "-" || string(sign) == "*" || string(sign) == "•")
	if !ok || !isNumber && !isMark {
		return line
	}
	return bytes.TrimLeft(rest, " ")
}

// unmark strips Markdown's emphasis from a value.
func unmark(value []byte) []byte {
	value, _ = unwrap(value, "**")
	return value
}

// isKey reports whether text may be a key: at most 40 bytes and four words, with a
// letter, without sentence punctuation or an open parenthesis.
func isKey(text []byte) bool {
	const longest, words = 40, 4
	if len(text) == 0 || len(text) > longest || !isWord(text[0]) && !startsWith(text, "$@#") {
		return false
	}
	hasLetter := false
	for _, c := range text {
		if !isWord(c) && bytes.IndexByte([]byte(" -./#()&'$@"), c) < 0 {
			return false
		}
		hasLetter = hasLetter || isLetter(c)
	}
	return hasLetter && len(bytes.Fields(text)) <= words && bytes.Count(text, []byte("(")) == bytes.Count(text, []byte(")"))
}
