package plaintext

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terms are what a text can be found by: its words without their endings (see
// Words), its identifiers as they stand there, and of scripts that put no spaces
// between words each letter and all short runs of neighbours. A term is valid
// until the next one.
func Terms(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		t := termReader{yield: yield}
		t.read(text)
	}
}

// Query are the Terms that a prompt looks for: not the words that only make a
// question of it, no letter that is part of a longer run, and of what hyphens
// join around digits, as in a UUID or a date, the whole and no part. A prompt of
// nothing but such words in scripts without spaces looks for these.
func Query(prompt string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		t := termReader{yield: yield, query: true}
		t.read(phrases.Replace(prompt))
		if !t.gave {
			t.loose = true
			t.read(prompt)
		}
	}
}

// termReader finds terms.
type termReader struct {
	yield func([]byte) bool
	query bool // only those of a Query
	loose bool // of a Query that gave none: also those that say little
	gave  bool // a term
	done  bool // no more terms are wanted
	word  wordReader
	buf   [maxWordBytes + utf8.UTFMax]byte
	term  []byte
}

// read gives the terms of a text.
func (t *termReader) read(text string) {
	t.word = wordReader{joined: t.buf[:0], marks: true, yield: t.giveWord}
	for text != "" && !t.done {
		r, size := utf8.DecodeRuneInString(text)
		if !separatesIdentifiers(r) {
			s := scriptOf(r)
			size = tokenSize(text, s)
			t.readToken(text[:size], s)
		}
		text = text[size:]
	}
}

// tokenSize returns the size of what a text begins with of one script, up to a
// space or a mark that no identifier has.
func tokenSize(text string, s script) int {
	for i, r := range text {
		if separatesIdentifiers(r) || scriptOf(r) != s {
			return i
		}
	}
	return len(text)
}

func (t *termReader) readToken(token string, s script) {
	if s != spaced {
		t.readUnspaced(token, s)
		return
	}
	id := strings.TrimRight(token, ".:!?")
	identifies := mayIdentify(id)
	if identifies {
		t.giveText(id)
	}
	if identifies && t.query {
		t.readJoined(id)
		return
	}
	t.readWords(token)
}

func (t *termReader) readWords(token string) {
	for _, r := range token {
		if r == 'ß' || r == 'ẞ' {
			t.word.read('s')
		}
		if t.word.read(fold(r)); t.done {
			return
		}
	}
	t.word.read(' ')
}

// readJoined gives the words of an identifier, and of those that hyphens join
// only the whole.
func (t *termReader) readJoined(id string) {
	give := t.word.yield
	t.word.yield = func(word []byte) bool {
		t.term = append(t.term[:0], word...)
		return true
	}
	for joined := range strings.FieldsFuncSeq(id, separatesJoined) {
		t.term = t.term[:0]
		t.readWords(joined)
		if len(t.term) > 0 && !give(t.term) {
			return
		}
	}
	t.word.yield = give
}

func (t *termReader) giveWord(word []byte) bool {
	if t.query && stopWords()[string(word)] {
		return true
	}
	return t.yieldTerm(stem(word))
}

func (t *termReader) giveText(term string) bool {
	t.term = append(t.term[:0], term...)
	return t.yieldTerm(t.term)
}

func (t *termReader) yieldTerm(term []byte) bool {
	if !t.done {
		t.gave = true
		t.done = !t.yield(term)
	}
	return !t.done
}

func separatesJoined(r rune) bool {
	return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// fold is the letter that another way to write it stands for: ß for a second s,
// е for ё, ASCII for the wide forms of it.
func fold(r rune) rune {
	switch {
	case r == 'ß' || r == 'ẞ':
		return 's'
	case r == 'ё' || r == 'Ё':
		return 'е'
	case '！' <= r && r <= '～':
		return r - '！' + '!'
	}
	return r
}
