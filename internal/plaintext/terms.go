package plaintext

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terms are what a text can be found by: its Words, its identifiers as they
// stand there, and, of scripts that put no spaces between words, each letter and
// each pair of neighbours. A term is valid until the next one.
func Terms(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		t := termReader{yield: yield}
		t.read(text)
	}
}

// Query are the Terms that a prompt looks for: not the words that only make a
// question of it, not a letter that is part of a pair, and of what hyphens join
// around digits, as in a UUID or a date, the whole and no part.
func Query(prompt string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		t := termReader{yield: yield, query: true}
		t.read(prompt)
	}
}

// termReader finds terms.
type termReader struct {
	yield func([]byte) bool
	query bool
	term  []byte
}

// read gives the terms of a text.
func (t *termReader) read(text string) {
	for text != "" {
		size := scriptRun(text)
		if ok := t.readRun(text[:size]); !ok {
			return
		}
		text = text[size:]
	}
}

// readRun gives the terms of a text in scripts with spaces between words, or in
// others, and false if no more are wanted.
func (t *termReader) readRun(run string) bool {
	if r, _ := utf8.DecodeRuneInString(run); isUnspaced(r) {
		return t.readPairs(run)
	}
	if t.query {
		return t.readQuery(run)
	}
	for id := range Identifiers(run) {
		if !t.give(id) {
			return false
		}
	}
	for word := range Words(run) {
		if !t.yield(word) {
			return false
		}
	}
	return true
}

func (t *termReader) readQuery(run string) bool {
	for token := range strings.FieldsFuncSeq(run, separatesIdentifiers) {
		id := strings.TrimRight(token, ".:!?")
		if ok := t.readToken(id, mayIdentify(id)); !ok {
			return false
		}
	}
	return true
}

func (t *termReader) readToken(token string, identifies bool) bool {
	if !identifies {
		for word := range Words(token) {
			if !stopWords[string(word)] && !t.yield(word) {
				return false
			}
		}
		return true
	}
	if !t.give(token) {
		return false
	}
	for joined := range strings.FieldsFuncSeq(token, separatesJoined) {
		if !t.readJoined(joined) {
			return false
		}
	}
	return true
}

// readJoined gives the last of some words, which is all of them where hyphens
// join them.
func (t *termReader) readJoined(words string) bool {
	t.term = t.term[:0]
	for word := range Words(words) {
		t.term = append(t.term[:0], word...)
	}
	return len(t.term) == 0 || stopWords[string(t.term)] || t.yield(t.term)
}

// readPairs gives the letters and pairs of letters of a script without spaces.
func (t *termReader) readPairs(run string) bool {
	before := -1 // where the letter before begins
	for i, r := range run {
		end := i + utf8.RuneLen(r)
		if (!t.query || end-i == len(run)) && !t.give(run[i:end]) {
			return false
		}
		if before >= 0 && !t.give(run[before:end]) {
			return false
		}
		before = i
	}
	return true
}

func (t *termReader) give(term string) bool {
	t.term = append(t.term[:0], term...)
	return t.yield(t.term)
}

// scriptRun returns the size of the first part of a text that is all of scripts
// with spaces between words, or all of others.
func scriptRun(text string) int {
	first, _ := utf8.DecodeRuneInString(text)
	unspaced := isUnspaced(first)
	for i, r := range text {
		if isUnspaced(r) != unspaced {
			return i
		}
	}
	return len(text)
}

// isUnspaced reports whether a rune is of a script that puts no spaces between
// words, or, as Korean, joins them to others.
func isUnspaced(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || unicode.In(r, unicode.Thai, unicode.Lao, unicode.Tibetan, unicode.Myanmar,
		unicode.Khmer, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Han))
}

func separatesJoined(r rune) bool {
	return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// stopWords are words, in the form that Words gives them, that make a question of
// a prompt and do not say what it is about.
var stopWords = map[string]bool{
	"about": true, "all": true, "also": true, "and": true, "any": true, "are": true, "been": true, "but": true,
	"can": true, "could": true, "did": true, "doe": true, "for": true, "from": true, "give": true, "had": true,
	"has": true, "have": true, "her": true, "here": true, "him": true, "his": true, "how": true, "into": true,
	"its": true, "just": true, "may": true, "not": true, "our": true, "out": true, "please": true, "shall": true,
	"she": true, "should": true, "show": true, "some": true, "tell": true, "than": true, "that": true, "the": true,
	"their": true, "them": true, "then": true, "there": true, "these": true, "they": true, "thi": true,
	"those": true, "was": true, "were": true, "what": true, "when": true, "where": true,
	"which": true, "who": true, "why": true, "will": true, "with": true, "would": true, "you": true, "your": true,
}
