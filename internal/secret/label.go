package secret

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

const (
	// maxLabel is how much of a name is read on each side of the word that is a label.
	maxLabel = 32
	// maxGap is the longest text between a label and its value: "the password for the account
	// of Ann is …".
	maxGap = 64
)

// findLabelled returns the value of the label that the word text[i:j] is a part of.
func findLabelled(text []byte, i, j int) (start, end int, ok bool) {
	if equalFold(text[i:j], "bearer") || equalFold(text[i:j], "basic") {
		return schemeValue(text, i, j)
	}
	from, to := nameAround(text, i, j)
	words := english.Words(string(text[from:to]))
	if !IsKey(words) {
		from = phraseStart(text, from)
		if words = english.Words(string(text[from:to])); !IsKey(words) {
			return 0, 0, false
		}
	}
	label := words[len(words)-1]
	v := valueAfter(text, from, to)
	if !v.isSecret(label) && v.link != sign {
		if start, end, ok := valueBefore(text, from); ok {
			return start, end, true
		}
		v = valueBehindGap(text, to)
	}
	line := label == "authorization" || label == "cookie"
	if line {
		v.extendToEnd(text, maxJudged)
	} else {
		v.extendOverGroups(text)
	}
	switch {
	case !v.isSecret(label):
		return 0, 0, false
	case line:
		v.extendToEnd(text, maxValue)
	case len(v.text) >= maxJudged && !v.quoted:
		v.end = valueEnd(text, v.start, maxValue)
	}
	return v.start, v.end, true
}

// isLabelAt reports whether the word text[i:j] is the label of e, and has one of the words that
// it needs before it.
func (e *entry) isLabelAt(text []byte, i, j int) bool {
	if !equalFold(trimDigits(text[i:j]), e.keyword) {
		return false
	}
	end := i
	if end > 0 && !isWordByte(text[end-1]) {
		end--
	}
	for _, word := range e.before {
		if len(word) <= end && equalFold(text[end-len(word):end], word) {
			return true
		}
	}
	return len(e.before) == 0
}

// nameAround extends a word to the name that it is part of: db_password, apiKey.
func nameAround(text []byte, i, j int) (from, to int) {
	for from = i; from > 0 && i-from < maxLabel && isNameByte(text[from-1]); from-- {
	}
	for to = j; to < len(text) && to-j < maxLabel && isNameByte(text[to]); to++ {
	}
	for to > j && !isWordByte(text[to-1]) {
		to--
	}
	return from, to
}

func isNameByte(c byte) bool { return isWordByte(c) || c == '_' || c == '-' || c == '.' }

// phraseStart returns the offset of the second word before a name: one-time code, social
// security number.
func phraseStart(text []byte, from int) int {
	for range 2 {
		if from < 2 || text[from-1] != ' ' {
			break
		}
		i := from - 1
		for ; i > 0 && from-i < maxLabel && (isWordByte(text[i-1]) || text[i-1] == '-'); i-- {
		}
		from = i
	}
	return from
}

// valueAfter returns the value behind the name text[from:to].
func valueAfter(text []byte, from, to int) value {
	at := skip(text, to, "\"'`*)]\\ \t")
	if rest := skip(text, at, `,"'\ `); bytes.HasPrefix(text[rest:], []byte("value")) { // <add key="password" value="…">
		at = skip(text, rest+len("value"), "\"'\\ \t")
	}
	rest := text[at:]
	switch {
	case len(rest) == 0:
		return value{}
	case rest[0] == ':' && len(rest) > 1 && rest[1] != '=':
		if v := readValue(text, at+1, sign); v.spaced || v.quoted || !isPart(text, from) {
			return v
		}
		return value{link: sign}
	case rest[0] == ':', rest[0] == '=', rest[0] == '>':
		return readValue(text, skip(text, at, ":=>"), equals)
	case rest[0] == '|':
		return readValue(text, at+1, verb)
	}
	if n := verbLen(rest); n > 0 {
		return readValue(text, at+n, verb)
	}
	v := readValue(text, at, adjacent)
	v.spaced = at > to
	return v
}

// isPart reports whether a name at an offset is a part of an id: arn:aws:…:secret:db-1.
func isPart(text []byte, from int) bool {
	return from > 0 && (text[from-1] == ':' || text[from-1] == '/')
}

// verbLen returns the length of the verb that a text begins with: "is ", "are ", "was ".
func verbLen(text []byte) int {
	for _, verb := range [...]string{"is ", "are ", "was "} {
		if bytes.HasPrefix(text, []byte(verb)) {
			return len(verb)
		}
	}
	return 0
}

// valueBehindGap returns the value of a label with more words before the value.
func valueBehindGap(text []byte, at int) value {
	gap := text[at:min(len(text), at+maxGap)]
	if i := bytes.IndexAny(gap, ".;\n\"="); i >= 0 {
		gap = gap[:i]
	}
	for _, preposition := range [...]string{" for ", " of ", " to ", " on ", " in "} {
		if !bytes.HasPrefix(gap, []byte(preposition)) {
			continue
		}
		for _, mark := range [...]string{": ", " is "} {
			if i := bytes.Index(gap, []byte(mark)); i >= 0 {
				return readValue(text, at+i+len(mark), verb)
			}
		}
	}
	return value{}
}

// valueBefore returns the value before a label: "493817 is your verification code".
func valueBefore(text []byte, label int) (start, end int, ok bool) {
	head := text[max(0, label-maxGap):label]
	i := max(bytes.LastIndex(head, []byte(" is ")), bytes.LastIndex(head, []byte(" as ")))
	if i < 0 || bytes.ContainsAny(head[i:], ".:;,\n") {
		return 0, 0, false
	}
	const marks = "\"'`*()"
	start = bytes.LastIndexAny(head[:i], " \t\n") + 1
	word := bytes.TrimRight(head[start:i], marks)
	end = start + len(word)
	word = bytes.TrimLeft(word, marks)
	before := label - len(head)
	return before + end - len(word), before + end, len(word) >= minCode && hasDigit(word)
}

// schemeValue returns the credentials behind the name of a scheme of HTTP: "Bearer …".
func schemeValue(text []byte, i, j int) (start, end int, ok bool) {
	const shortest, long = 8, 16
	start = skip(text, j, " \t:")
	for end = start; end < len(text) && (isWordByte(text[end]) || bytes.IndexByte([]byte("-._~+/="), text[end]) >= 0); end++ {
	}
	token := bytes.TrimRight(text[start:end], ".")
	return start, start + len(token), start > j && len(token) >= shortest &&
		(changes(token) >= minChanges || equalFold(text[i:j], "bearer") && (hasDigit(token) || len(token) >= long))
}
