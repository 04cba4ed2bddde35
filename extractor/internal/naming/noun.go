package naming

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// nounPhrase returns the noun at the start of the words after a verb.
func nounPhrase(ws []string) string {
	for len(ws) > 0 && (vocabulary.Modifiers.Has(ws[0]) || isVersion(ws[0]) || ws[0] == "api") {
		ws = ws[1:]
	}
	if i := slices.IndexFunc(ws, vocabulary.Prepositions.Has); i >= 0 {
		ws = ws[:i]
	}
	for len(ws) > 0 && isTail(ws[len(ws)-1]) && !vocabulary.CompoundNouns.Has(singularNoun(ws[max(0, len(ws)-2):])) {
		if len(ws) == 1 && slices.Contains([]string{"record", "index", "property", "registry", "table"}, english.Singular(ws[0])) {
			break
		}
		ws = ws[:len(ws)-1]
	}
	return headNoun(ws)
}

// isVersion reports whether a word is the version of an API: v1, v2.
func isVersion(w string) bool {
	return len(w) >= 2 && len(w) <= 3 && w[0] == 'v' && shape.IsDigits([]byte(w[1:]))
}

// isTail reports whether the last word of a noun phrase only qualifies the noun: the
// status of order_status, the complete of mark_task_complete.
func isTail(w string) bool {
	single := english.Singular(w)
	return vocabulary.AttributeTails.Has(w) || vocabulary.AttributeTails.Has(single) || IsVerb(w) && !vocabulary.EntityNouns.Has(single)
}

// PluralNoun returns the last word of a name in the singular, score of latest_scores. It is
// empty if that word is not a plural.
func PluralNoun(name string) string {
	ws := english.Words(name)
	if len(ws) == 0 || english.Singular(ws[len(ws)-1]) == ws[len(ws)-1] {
		return ""
	}
	return english.Singular(ws[len(ws)-1])
}

// nounBefore returns the noun of a name that ends in its verb: customers.list,
// slack_users_get. Only its last word counts; earlier ones are domain prefixes.
func nounBefore(ws []string) string {
	for len(ws) > 0 && vocabulary.AttributeTails.Has(ws[len(ws)-1]) {
		ws = ws[:len(ws)-1]
	}
	if len(ws) == 0 {
		return ""
	}
	if pair := singularNoun(ws[max(0, len(ws)-2):]); len(ws) > 1 && vocabulary.EntityNouns.Has(pair) {
		return pair
	}
	last := ws[len(ws)-1]
	noun := english.Singular(last)
	if !vocabulary.EntityNouns.Has(noun) && (noun == last || len(last) < 4) {
		return "" // es_search, zoho_get: a service, not a subject
	}
	return specific(specific(noun, &vocabulary.VagueNouns), &vocabulary.ServiceNouns)
}

// headNoun returns the type of a noun phrase: in the singular, without adjectives and
// without a leading container.
func headNoun(ws []string) string {
	ws = slices.DeleteFunc(slices.Clone(ws), func(w string) bool { return isParticiple(w) && len(ws) > 1 })
	isContainer := func() bool {
		return vocabulary.ContainerNouns.Has(english.Singular(ws[0])) && !vocabulary.CompoundNouns.Has(singularNoun(ws))
	}
	for len(ws) > 1 && (vocabulary.Modifiers.Has(ws[0]) || isContainer()) {
		ws = ws[1:]
	}
	return specific(singularNoun(ws), &vocabulary.VagueNouns)
}

// specific returns a noun, or "" if it is vague.
func specific(noun string, vague *vocabulary.Set) string {
	if vague.Has(noun) {
		return ""
	}
	return noun
}

// isParticiple reports whether a word is a participle used as an adjective:
// delivered, archived.
func isParticiple(w string) bool {
	return len(w) > 5 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed") && w != "embed"
}

// PlausibleType converts the value of a type field into a type: a short noun that is
// not a status. Namespaces are removed: AWS::EC2::Instance is an instance,
// youtube#video a video.
func PlausibleType(text []byte) string {
	if len(text) > 64 || bytes.ContainsAny(text, "\n\t\"'<>{}()=,;") || bytes.Count(text, []byte(" ")) > 2 {
		return ""
	}
	if i := bytes.LastIndexAny(text, "#:/."); i >= 0 {
		text = text[i+1:]
	}
	ws := english.Words(string(text))
	if len(ws) == 0 || len(ws) > 4 || bytes.ContainsAny(text, "0123456789") && len(ws) == 1 && len(text) < 3 {
		return ""
	}
	for len(ws) > 1 && vocabulary.TypeTails.Has(ws[len(ws)-1]) {
		ws = ws[:len(ws)-1]
	}
	typ := singularNoun(ws)
	if _, err := strconv.ParseFloat(typ, 64); err == nil || vocabulary.StatusWords.Has(typ) || vocabulary.StatusWords.Has(ws[0]) && len(ws) == 1 || vocabulary.GenericNouns.Has(typ) {
		return ""
	}
	return typ
}

// singularNoun joins words into a type: the last word in the singular, joined by "_".
func singularNoun(words []string) string {
	noun := slices.Clone(words)
	if last := len(noun) - 1; last >= 0 {
		noun[last] = english.Singular(noun[last])
	}
	return strings.Join(noun, "_")
}

// LastWord returns the head of a noun: request of pull_request.
func LastWord(noun string) string {
	return noun[strings.LastIndexByte(noun, '_')+1:]
}

// HasWord reports whether a word of a name is in a set: the total of total_papers.
func HasWord(snake string, words *vocabulary.Set) bool {
	for word := range strings.SplitSeq(snake, "_") {
		if words.Has(word) {
			return true
		}
	}
	return false
}

// Limits of types, which are headers in a prompt.
const maxTypeBytes, maxTypeWords = 40, 4

// IsType reports whether a type from a result may be a header in a prompt:
// letters, digits and "_", a letter first, at most 40 bytes and four words, and a noun. Not allowed
// are sentences, such as delete_all_pages, and letters that look like others: of two
// scripts, or in full width.
func IsType(typ string) bool {
	if typ == "" || len(typ) > maxTypeBytes || strings.Count(typ, "_") >= maxTypeWords {
		return false
	}
	ascii, other := false, false
	for i, r := range typ {
		letter := unicode.IsLetter(r)
		if !letter && (i == 0 || r != '_' && !unicode.IsDigit(r)) || 0xFF00 <= r && r <= 0xFFEF {
			return false
		}
		ascii, other = ascii || letter && r < utf8.RuneSelf, other || letter && !unicode.Is(unicode.Latin, r)
	}
	first, _, _ := strings.Cut(typ, "_")
	orders := vocabulary.DeletingVerbs.Has(first) && !vocabulary.EntityNouns.Has(first)
	return !(ascii && other) && !orders && !HasWord(typ, &vocabulary.SentenceWords)
}
