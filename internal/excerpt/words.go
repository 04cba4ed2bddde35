package excerpt

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

const (
	maxWords     = 32 // of a query; further ones are ignored
	maxWordBytes = 96 // of a word; the rest of a longer one is ignored
)

// word is a word of a query: any of its forms is searched for.
type word struct {
	forms  [][]byte
	inside bool // also within a run of letters, in scripts without spaces
	whole  bool // not only the beginning of a word: numbers, identifiers, short words
}

// parseWords returns the different words of a query, without those that carry no meaning
// if there are others.
func parseWords(query string) (words []word) {
	var strong, weak []word
	seen := map[string]bool{}
	add := func(to []word, w word) []word {
		if seen[string(w.forms[0])] {
			return to
		}
		seen[string(w.forms[0])] = true
		return append(to, w)
	}
	for text := range strings.FieldsFuncSeq(query, separates) {
		text = strings.Trim(text, "-_.@/")
		if text = string(cutRunes(fold(nil, []byte(text)), maxWordBytes)); text == "" || len(strong) >= maxWords {
			continue
		}
		terms := 0
		for term := range plaintext.Query(text) {
			terms++
			if isUnspaced(text) {
				strong = add(strong, word{forms: [][]byte{bytes.Clone(cutRunes(term, maxWordBytes))}, inside: true})
			}
		}
		switch {
		case terms > 0 && !isUnspaced(text), strings.ContainsAny(text, "0123456789"):
			strong = add(strong, newWord(text))
		case terms == 0:
			weak = add(weak, newWord(text))
		}
	}
	if len(strong) == 0 {
		strong = weak
	}
	return strong[:min(len(strong), maxWords)]
}

// newWord returns a word with its singular and plural.
func newWord(text string) word {
	w := word{forms: [][]byte{[]byte(text)}, whole: utf8.RuneCountInString(text) <= 3 || strings.ContainsAny(text, "0123456789")}
	if w.whole {
		return w
	}
	for _, form := range []string{english.Singular(text), english.Plural(text)} {
		if form != "" && !strings.HasPrefix(form, text) {
			w.forms = append(w.forms, []byte(form))
		}
	}
	return w
}

func separates(r rune) bool {
	return !isWordRune(r) && !strings.ContainsRune("-_.@/", r)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// isUnspaced reports whether a text has letters of a script without spaces.
func isUnspaced(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= 0x0e00 && unicode.In(r, unscripts...) })
}

var unscripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Tibetan, unicode.Myanmar, unicode.Khmer,
}

// fold appends a text in lower case. Invalid UTF-8 becomes U+FFFD.
func fold(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
		i += size
	}
	return dst
}

// matcher finds words in a text that is written to it piece by piece.
type matcher struct {
	words []word
	found uint64 // a bit for each word
	after int    // bytes from the last hit to the end of what was written
	buf   []byte // folded: what was written, and before it the end of the pieces before
	more  bool   // buf is not from the beginning of the text
}

// reset begins another text.
func (m *matcher) reset() { m.found, m.buf, m.more = 0, m.buf[:0], false }

// write searches a piece, which ends with a whole rune.
func (m *matcher) write(piece []byte) {
	if len(piece) == 0 {
		return
	}
	if len(m.buf) > 2*maxWordBytes {
		n := len(m.buf) - maxWordBytes - utf8.UTFMax
		for !utf8.RuneStart(m.buf[n]) {
			n++
		}
		m.buf, m.more = append(m.buf[:0], m.buf[n:]...), true
	}
	m.buf = fold(m.buf, piece)
	m.search(false)
}

// end searches for words at the end of a text.
func (m *matcher) end() { m.search(true) }

func (m *matcher) search(ended bool) {
	for i := range m.words {
		w := &m.words[i]
		if m.found&(1<<i) != 0 || ended && !w.whole { // write finds the beginning of a word
			continue
		}
		for _, form := range w.forms {
			if at := m.find(w, form, ended); at >= 0 {
				m.found |= 1 << i
				m.after = len(m.buf) - at
				break
			}
		}
	}
}

// find returns where a form of a word is, -1 if nowhere.
func (m *matcher) find(w *word, form []byte, ended bool) int {
	for from := 0; ; {
		i := bytes.Index(m.buf[from:], form)
		if i < 0 {
			return -1
		}
		at := from + i
		end := at + len(form)
		switch {
		case w.inside:
			return at
		case !m.startsWord(at):
			for from = at; from < len(m.buf); { // no word begins before the next sign
				r, size := utf8.DecodeRune(m.buf[from:])
				if from += size; !isWordRune(r) {
					break
				}
			}
		case !w.whole || m.endsWord(end, ended):
			return at
		default:
			from = end
		}
	}
}

func (m *matcher) startsWord(at int) bool {
	if at == 0 {
		return !m.more
	}
	r, _ := utf8.DecodeLastRune(m.buf[:at])
	return !isWordRune(r)
}

func (m *matcher) endsWord(end int, ended bool) bool {
	if end == len(m.buf) {
		return ended
	}
	r, _ := utf8.DecodeRune(m.buf[end:])
	return !isWordRune(r)
}
