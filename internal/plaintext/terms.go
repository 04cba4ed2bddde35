package plaintext

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// Terms returns the terms that a text is indexed by: its words without endings in the language
// that most of its stop words belong to, its identifiers unchanged, and, in scripts without spaces,
// each letter and all short runs of letters. Words have at least two runes or are numbers;
// hyphenated ones are returned in parts and once more as a whole. A term is valid until the next
// one.
func Terms(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		in, _ := languageOf(text)
		t := termReader{yield: yield, stems: in}
		t.read(text)
	}
}

// Query returns the Terms that a prompt searches for. It leaves out stop words,
// letters that are part of a longer run, and the parts of a hyphenated identifier
// such as a UUID or a date. Words are returned without their endings both in the language of
// the prompt and in English, once for each form that differs. Words that begin with a capital letter
// may be names and occur in texts of any language, and so may all words if no stop word tells the
// language: of these, the form in each language is returned. A prompt in a script without spaces
// that has only stop words searches for these.
func Query(prompt string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		t := termReader{yield: yield}
		t.readQuery(prompt)
	}
}

// QueryWords returns the terms of a Query by word: the forms of a word are alternatives. No word is
// returned twice.
func QueryWords(prompt string) [][]string {
	var words [][]string
	seen := map[string]bool{}
	t := termReader{}
	last, repeated := 0, false
	t.yield = func(term []byte) bool {
		if t.words != last {
			last, repeated = t.words, seen[string(term)]
			seen[string(term)] = true
			if !repeated {
				words = append(words, nil)
			}
		}
		if !repeated {
			words[len(words)-1] = append(words[len(words)-1], string(term))
		}
		return true
	}
	t.readQuery(prompt)
	return words
}

// termReader finds terms.
type termReader struct {
	yield func([]byte) bool
	query bool // only terms of a Query
	loose bool // of a Query that yielded nothing: stop words too
	gave  bool // a term was yielded
	words int  // number of words that terms were yielded of
	done  bool // the caller wants no more
	// stems are the languages whose endings are removed, stops those whose stop words are left out.
	stems, stops languageSet
	env          *snowballstem.Env
	word         wordReader
	buf          [maxWordBytes + utf8.UTFMax]byte
	term         []byte
}

// readQuery yields the terms of a Query.
func (t *termReader) readQuery(prompt string) {
	in, told := languageOf(prompt)
	t.query, t.stems, t.stops = true, in|inEnglish, in|inEnglish|inAny&^inLatin
	if told == 0 {
		t.stems = inLatin
	}
	t.read(phrases.Replace(prompt))
	if !t.gave {
		t.loose = true
		t.read(prompt)
	}
}

// read yields the terms of a text.
func (t *termReader) read(text string) {
	t.word = wordReader{joined: t.buf[:0], yield: t.giveWord}
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

// giveWord yields the forms of a word.
func (t *termReader) giveWord(word []byte) bool {
	if t.stops != 0 && words().stops[string(word)]&t.stops != 0 {
		return true
	}
	t.words++
	var given [bitsOfLanguages]string
	n := 0
	stems := t.stems
	if t.query && t.word.named {
		stems = inLatin
	}
	for set := stemsIn(word, stems); set != 0; set &= set - 1 {
		stem := t.stem(word, set&-set)
		if slices.Contains(given[:n], stem) {
			continue
		}
		given[n] = stem
		n++
		t.term = append(t.term[:0], stem...)
		if !t.yieldTerm(t.term) {
			return false
		}
	}
	return true
}

// giveText yields a term that is not a word.
func (t *termReader) giveText(term string) bool {
	t.words++
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
