package evaluation

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
	// genericWords of a tool's name do not name its result.
	genericWords = setOf("get", "list", "find", "search", "create", "update", "delete", "status", "detail", "info", "all", "by", "the", "data")
	// naturalWords make a key an identifier of its record, also combined with other
	// words.
	naturalWords = setOf("name", "slug", "path", "sku", "sha", "symbol", "ticker", "login", "file", "filename", "isbn", "upc", "username")
	// ownWords make a key the record's own identifier.
	ownWords = setOf("name", "slug", "path", "sku", "sha", "symbol", "ticker", "login", "file", "filename", "isbn", "upc", "username",
		"id", "uuid", "key", "arn", "number", "_id", "guid", "ref", "reference", "url", "uri", "link", "href", "code")
	// wrapperWords are keys that do not name their values.
	wrapperWords = setOf("result", "item", "data", "entry", "value", "row", "record", "response", "output", "content", "hit", "match", "list", "object")
	// nameWords are arguments that may name an object of a stated kind.
	nameWords = setOf("name", "id", "resourcename")
	// kindWords are arguments that state the kind of the call's object.
	kindWords = setOf("kind", "type", "resource", "resourcetype")
	// kindKeys are keys under which a record states its kind.
	kindKeys = [...]string{"object", "type", "kind", "__typename", "resourceType", "resource_type", "_type"}
	// gridKeys are arguments that hold lists of grid cells.
	gridKeys = setOf("data", "values", "rows", "cells")
	// irregular maps irregular plurals to singulars.
	irregular = map[string]string{"people": "person", "children": "child", "indices": "index", "vertices": "vertex", "matrices": "matrix", "analyses": "analysis", "media": "medium"}

	idSuffix  = regexp.MustCompile(`(?i)^(.*?)[_\- ]?(?:ids?|identifiers?|uuids?|guids?|numbers?|nos?|codes?|refs?|references?|keys?|skus?|arns?|names?|tokens?|handles?|urls?)$`)
	camelCase = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	acronym   = regexp.MustCompile(`([A-Z]+)([A-Z][a-z])`)
	esPlural  = regexp.MustCompile(`(?:s|x|z|ch|sh)es$`)
	sixDigits = regexp.MustCompile(`\d{6}`)
	textToken = regexp.MustCompile(`[#A-Za-z0-9][\p{L}\p{N}_#./:@+-]*`)

	// notIdentifier matches dates, times, telephone numbers, network addresses, cell
	// ranges, colours, encodings and plain numbers.
	notIdentifier = regexp.MustCompile(`(?i)^(?:` + strings.Join([]string{
		`\d{4}(-\d\d(-\d\d([T ].*)?)?|-?Q[1-4])`, `\d{4}/\d\d?/\d\d?`, `\d\d?[/.]\d\d?[/.]\d{2,4}`, `\d\d?:\d\d(:\d\d)?([ap]m)?`,
		`\(?\d{3}\)?[-.]\d{3}[-.]\d{4}`, `\d{1,3}(\.\d{1,3}){3}(/\d{1,2})?(:\d+)?`,
		`(\w+!)?\$?[A-Z]{1,3}\$?\d{1,5}:\$?[A-Z]{1,3}\$?\d{1,5}`, `#[0-9a-f]{3,8}`, `(utf|iso|cp|latin|windows)-?\d+(-\d+)?`,
		`\d{1,4}`, `[-+]?\d+\.\d+`, `\+[\d\-]+`,
	}, "|") + `)$`)

	// Arguments that hold secrets, except page tokens, and arguments that hold
	// amounts.
	secretKey = regexp.MustCompile(`(?i)(^|[_-])(access|auth|session|validation|bearer|csrf|id|refresh)?[_-]?token$|passw|secret|api[_-]?key|^pin$`)
	cursorKey = regexp.MustCompile(`(?i)page|next|cursor|sync`)
	amountKey = regexp.MustCompile(`(?i)(quantity|qty|amount|salary|price|count|total|grant|budget|cost|volume|size|score|hours|balance|weight|rate|limit|timeout|length|width|height|duration)s?(_[a-z]+)?$`)
	digits    = regexp.MustCompile(`^\d+$`)
	cell      = regexp.MustCompile(`^\$?[A-Z]{1,3}\$?\d{1,5}$`)
	cellKey   = regexp.MustCompile(`(?i)cell|range|data|value|sheet`)
)

// isIdentifier reports whether a text could be an identifier that an agent must
// repeat verbatim.
func isIdentifier(s string) bool {
	if n := utf8.RuneCountInString(s); n < 3 || n > 200 || strings.IndexFunc(s, unicode.IsDigit) < 0 {
		return false
	}
	if strings.IndexFunc(s, unicode.IsSpace) >= 0 || strings.Contains(s, "@") || notIdentifier.MatchString(s) {
		return false
	}
	return !strings.Contains(s, "://") || sixDigits.MatchString(s)
}

// isCopied reports whether an agent copies the argument as an identifier: it is no
// secret, amount or grid cell.
func (s *scalar) isCopied() bool {
	switch key := s.at.key(); {
	case secretKey.MatchString(key) && !cursorKey.MatchString(key), digits.MatchString(s.text) && amountKey.MatchString(key):
		return false
	case s.lists > 1, s.lists > 0 && setOf(key).within(gridKeys):
		return false
	default:
		return !cell.MatchString(s.text) || !cellKey.MatchString(key)
	}
}

// singulars returns the possible singulars of a word: case and cas for cases.
func singulars(word string) []string {
	n := len(word)
	switch {
	case irregular[word] != "":
		return []string{irregular[word]}
	case strings.HasSuffix(word, "ies") && n > 4:
		return []string{word[:n-3] + "y", word[:n-1]}
	case esPlural.MatchString(word):
		return []string{word[:n-2], word[:n-1]}
	case (strings.HasSuffix(word, "us") || strings.HasSuffix(word, "is")) && n > 3:
		return []string{word, word[:n-1]}
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss"):
		return []string{word[:n-1]}
	}
	return []string{word}
}

// wordsOf returns the singular lower-case words of a name in any case style, and all
// of them run together.
func wordsOf(text string) wordSet {
	text = acronym.ReplaceAllString(camelCase.ReplaceAllString(text, "${1}_${2}"), "${1}_${2}")
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(parts) == 0 {
		return nil
	}
	set := make(wordSet, len(parts)+1)
	for _, w := range parts {
		set.add(setOf(singulars(w)...))
	}
	before := strings.Join(parts[:len(parts)-1], "")
	for _, end := range singulars(parts[len(parts)-1]) {
		set[before+end] = struct{}{}
	}
	return set
}

// stemWords returns the words of a key without those that mark an identifier.
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

// lexicon caches the words of the names in one episode.
type lexicon struct{ whole, stems map[string]wordSet }

func newLexicon() lexicon { return lexicon{map[string]wordSet{}, map[string]wordSet{}} }

func (l lexicon) words(name string) wordSet { return remembered(l.whole, name, wordsOf) }
func (l lexicon) stem(name string) wordSet  { return remembered(l.stems, name, stemWords) }

func remembered(memo map[string]wordSet, name string, make func(string) wordSet) wordSet {
	set, ok := memo[name]
	if !ok {
		set = make(name)
		memo[name] = set
	}
	return set
}

// noun returns the words of a tool's name that may name its result.
func (l lexicon) noun(tool string) wordSet {
	noun := make(wordSet)
	for w := range l.words(tool) {
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

// firstRunes returns the first n runes of a text.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
