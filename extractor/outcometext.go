package extractor

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// text reads running text, sentence by sentence.
func (o *outcome) text(text []byte) {
	text = text[:min(len(text), maxOutcomeText*16)]
	if beginsAsJSON(text) {
		return
	}
	if head := text[:min(len(text), maxOutcomeText)]; saysUndone(head) || isErrorStatus(head) || o.deletes && isZero(head) {
		o.undone = true
	}
	if len(o.ids) < 2 {
		return
	}
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		for part := range bytes.SplitSeq(line, []byte(". ")) {
			v := done
			if saysUndone(part) {
				v = failed
			}
			for i := range o.ids {
				if containsWord(part, o.ids[i]) {
					o.judge(i, v)
				}
			}
		}
	}
}

// isZero reports whether a text is only a count of zero: 0, DELETE 0, (integer) 0.
func isZero(text []byte) bool {
	words := bytes.Fields(text)
	return (len(words) == 1 || len(words) == 2) && string(words[len(words)-1]) == "0"
}

// isErrorStatus reports whether a text begins as an HTTP error response: HTTP/2 403.
func isErrorStatus(text []byte) bool {
	version, rest, _ := bytes.Cut(bytes.TrimSpace(text), []byte(" "))
	return bytes.HasPrefix(version, []byte("HTTP/")) && shape.IsErrorStatus(rest[:min(len(rest), len("403"))])
}

// containsWord reports whether a text contains an id that is not part of a longer word.
func containsWord(text []byte, id string) bool {
	for end := 0; id != ""; {
		i := bytes.Index(text[end:], []byte(id))
		if i < 0 {
			return false
		}
		i += end
		end = i + len(id)
		if (i == 0 || !isWordByte(text[i-1])) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
	}
	return false
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// saysUndone reports whether a text says that nothing was done, or asks for confirmation.
func saysUndone(text []byte) bool {
	lower := vocabulary.WithoutWarnings(strings.ToLower(string(text)))
	if strings.HasSuffix(strings.TrimSpace(lower), "?") {
		return true
	}
	isIn := func(phrase string) bool { return strings.Contains(lower, phrase) }
	return slices.ContainsFunc(vocabulary.UndonePhrases[:], isIn) || slices.ContainsFunc(strings.Split(lower, ". "), countsNone)
}

// countsNone reports whether a sentence in lower case says that none was done, "deleted 0", or that
// some failed, "1 deleted, 2 failed".
func countsNone(lower string) bool {
	words := strings.FieldsFunc(lower, func(r rune) bool { return strings.ContainsRune(" \n,.:;()", r) })
	for i, word := range words {
		before, behind := words[max(i-1, 0):i], words[i+1:min(i+4, len(words))]
		next := behind[:min(len(behind), 1)]
		has := func(words []string, set *vocabulary.Set) bool { return slices.ContainsFunc(words, set.Has) }
		done, failure, none := &vocabulary.DoneWords, &vocabulary.FailedWords, &vocabulary.NoneWords
		doneNone := word == "0" && !has(next, failure) && (has(before, done) || has(behind, done)) // not 0 errors, 1 deleted
		if doneNone || failure.Has(word) && !has(before, none) && !has(next, none) {
			return true
		}
	}
	return false
}
