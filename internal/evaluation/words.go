package evaluation

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/evaluation/pydata"
)

// wordSet is a set of words.
type wordSet map[string]struct{}

func (s wordSet) add(more wordSet) {
	for w := range more {
		s[w] = struct{}{}
	}
}

func (s wordSet) meets(other wordSet) bool {
	for w := range s {
		if _, ok := other[w]; ok {
			return true
		}
	}
	return false
}

func (s wordSet) within(other wordSet) bool {
	for w := range s {
		if _, ok := other[w]; !ok {
			return false
		}
	}
	return true
}

func (s wordSet) sorted() []string { return slices.Sorted(maps.Keys(s)) }

func setOf(words ...string) wordSet {
	s := make(wordSet, len(words))
	for _, w := range words {
		s[w] = struct{}{}
	}
	return s
}

var (
	// genericWords of a tool's name do not name what it returns.
	genericWords = setOf("get", "list", "find", "search", "create", "update", "delete", "status", "detail", "info", "all", "by", "the", "data")
	// ownWords make a key the record's own identifier, not another's.
	ownWords = setOf("id", "uuid", "key", "arn", "number", "_id", "guid", "ref", "reference")

	idSuffix    = regexp.MustCompile(`(?i)^(.*?)[_\- ]?(?:ids?|identifiers?|uuids?|guids?|numbers?|nos?|codes?|refs?|references?|keys?|skus?|arns?|names?|tokens?|handles?|urls?)\n?$`)
	camelCase   = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	acronym     = regexp.MustCompile(`([A-Z]+)([A-Z][a-z])`)
	esPlural    = regexp.MustCompile(`(?:s|x|z|ch|sh)es$`)
	datePrefix  = regexp.MustCompile(`^\p{Nd}{4}-\p{Nd}\p{Nd}-\p{Nd}\p{Nd}(?:T|$)`)
	plainNumber = regexp.MustCompile(`^(?:\p{Nd}{1,4}|[-+]?\p{Nd}+\.\p{Nd}+|\+[\p{Nd}\-]+)$`)
	sixDigits   = regexp.MustCompile(`\p{Nd}{6}`)
	textToken   = regexp.MustCompile(`[#A-Za-z0-9][\p{L}\p{N}_#./:@+-]*`)
)

// isIdentifier reports whether a text could be an identifier that an agent has
// to repeat verbatim.
func isIdentifier(s string) bool {
	if n := utf8.RuneCountInString(s); n < 3 || n > 200 || strings.IndexFunc(s, unicode.IsDigit) < 0 {
		return false
	}
	if strings.IndexFunc(s, pydata.IsSpace) >= 0 || strings.Contains(s, "@") || datePrefix.MatchString(s) || plainNumber.MatchString(s) {
		return false
	}
	return !strings.Contains(s, "://") || sixDigits.MatchString(s)
}

// isReference reports whether a scalar could be an identifier.
func isReference(v *pydata.Value) bool {
	return (v.Kind == pydata.String || v.Kind == pydata.Int) && isIdentifier(v.Text)
}

func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case esPlural.MatchString(word):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:len(word)-1]
	}
	return word
}

// wordsOf are the singular lower-case words of a name in any case style, and
// all of them run together.
func wordsOf(text string) wordSet {
	text = acronym.ReplaceAllString(camelCase.ReplaceAllString(text, "${1}_${2}"), "${1}_${2}")
	text = strings.ToLower(strings.ReplaceAll(text, "İ", "i\u0307"))
	parts := strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(parts) == 0 {
		return nil
	}
	set := make(wordSet, len(parts)+1)
	for i, w := range parts {
		parts[i] = singular(w)
		set[parts[i]] = struct{}{}
	}
	set[strings.Join(parts, "")] = struct{}{}
	return set
}

// stemWords are the words of a key without what says that it is an identifier.
func stemWords(key string) wordSet {
	stem := key
	if m := idSuffix.FindStringSubmatch(key); m != nil && m[1] != "" {
		stem = m[1]
	}
	if words := wordsOf(stem); words != nil {
		return words
	}
	return wordsOf(key)
}

// lexicon remembers the words of the names of one episode.
type lexicon struct{ words, stems map[string]wordSet }

func newLexicon() lexicon { return lexicon{map[string]wordSet{}, map[string]wordSet{}} }

func (l lexicon) of(name string) wordSet   { return remembered(l.words, name, wordsOf) }
func (l lexicon) stem(name string) wordSet { return remembered(l.stems, name, stemWords) }

func remembered(memo map[string]wordSet, name string, make func(string) wordSet) wordSet {
	set, ok := memo[name]
	if !ok {
		set = make(name)
		memo[name] = set
	}
	return set
}

// noun are the words of a tool's name that may name what it returns.
func (l lexicon) noun(tool string) wordSet {
	noun := make(wordSet)
	for w := range l.of(tool) {
		if _, ok := genericWords[w]; !ok {
			noun[w] = struct{}{}
		}
	}
	return noun
}

// textIDs yields the identifier-like words of plain text, each with the label
// before the colon of its line.
func textIDs(text string, yield func(label, id string)) {
	for line := range strings.SplitSeq(text, "\n") {
		label, _, ok := strings.Cut(line, ":")
		if !ok {
			label = ""
		}
		for _, token := range textToken.FindAllString(line, -1) {
			if token = strings.TrimRight(token, ".:,"); isIdentifier(token) {
				yield(firstRunes(label, 60), token)
			}
		}
	}
}

// firstRunes is the beginning of a text, of at most n runes.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
