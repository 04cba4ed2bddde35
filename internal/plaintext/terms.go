package plaintext

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Terms returns the terms that a text is indexed by: its words without endings (see
// Words), its identifiers unchanged, and, in scripts without spaces, each letter and
// all short runs of letters. A term is valid until the next one.
func Terms(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		t := termReader{yield: yield}
		t.read(text)
	}
}

// Query returns the Terms that a prompt searches for. It leaves out stop words,
// letters that are part of a longer run, and the parts of a hyphenated identifier
// such as a UUID or a date. A prompt in a script without spaces that has only stop
// words searches for these.
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
	query bool // only terms of a Query
	loose bool // of a Query that yielded nothing: stop words too
	gave  bool // a term was yielded
	done  bool // the caller wants no more
	word  wordReader
	buf   [maxWordBytes + utf8.UTFMax]byte
	term  []byte
}

// read yields the terms of a text.
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

// tokenSize returns the size of the run of one script at the start of a text, up to a
// space or a mark that no identifier contains.
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

// readJoined yields the words of an identifier. Of hyphenated ones it yields only the
// whole.
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

// fold maps variants of a letter to one: ß to s, ё to е, wide forms to ASCII.
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
