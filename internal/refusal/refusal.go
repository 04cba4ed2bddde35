// Package refusal recognises the refusal of a model to do its task.
package refusal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxRefusalRunes is the maximum length of a refusal. Models refuse in a sentence or two.
const maxRefusalRunes = 400

// Is reports whether a text is a refusal to write a summary. It is a heuristic: the
// text is short and begins as refusals do.
//
// In English that is "I cannot", "I am unable to", "I won't", … followed by the task: help,
// provide, summarise. "I cannot log in" is not a refusal. In other languages it is an apology
// followed by an inability, or an inability to help. "As an AI model, I …" always is one.
func Is(text string) bool {
	if utf8.RuneCountInString(text) > maxRefusalRunes {
		return false
	}
	text = strings.NewReplacer("’", "'", "‘", "'", "*", "", "_", "", "#", "", "\"", "").Replace(strings.ToLower(text))
	text = strings.Join(strings.Fields(text), " ")
	for _, opening := range aiOpenings {
		if strings.HasPrefix(text, opening) {
			return true
		}
	}
	return refusesInEnglish(text) || refusesElsewhere(text)
}

func refusesInEnglish(text string) bool {
	text = afterAny(text, englishApologies)
	text = strings.TrimLeft(text, ",.:;!- ")
	text = strings.TrimLeft(afterAny(text, []string{"but", "however", "unfortunately"}), ", ")
	rest, found := cutAny(text, englishInabilities)
	if !found {
		return false
	}
	rest, _ = strings.CutPrefix(strings.TrimSpace(rest), "be able to ")
	_, found = cutAny(rest, englishTasks)
	return found
}

func refusesElsewhere(text string) bool {
	for _, r := range refusals {
		if rest, found := cutAny(text, r.openings); found && hasAny(rest, r.inabilities) {
			return true
		}
	}
	return false
}

// cutAny removes the first of the given beginnings that a text has. A beginning that ends
// with a letter of a script with spaces must be followed by the end of a word.
func cutAny(text string, beginnings []string) (rest string, found bool) {
	for _, b := range beginnings {
		rest, found = strings.CutPrefix(text, b)
		next, _ := utf8.DecodeRuneInString(rest)
		if found && (rest == "" || !unicode.IsLetter(next) || next >= 0x2e80) {
			return rest, true
		}
	}
	return text, false
}

func afterAny(text string, beginnings []string) string {
	rest, _ := cutAny(text, beginnings)
	return rest
}

func hasAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

var (
	aiOpenings = []string{
		"as an ai model", "as an ai language model", "as an ai assistant", "as a language model",
		"as an ai, i ", "[refusal]", "<refusal>",
	}
	englishApologies = []string{
		"i'm sorry", "i am sorry", "i'm really sorry", "i'm very sorry", "i apologize", "i apologise",
		"my apologies", "apologies", "sorry", "unfortunately", "i regret that",
	}
	englishInabilities = []string{
		"i can't", "i cannot", "i can not", "i'm unable to", "i am unable to", "i'm not able to", "i am not able to",
		"i won't", "i will not", "i must decline to", "i have to decline to", "i decline to", "i'm not comfortable",
		"i am not comfortable", "i could not", "i couldn't", "we cannot", "we can't",
	}
	englishTasks = []string{
		"assist", "help", "comply", "fulfill", "fulfil", "provide", "summarize", "summarise", "create", "generate",
		"produce", "continue", "complete", "process", "answer", "respond", "engage", "participate", "support that",
		"do that", "do this", "with that", "with this", "discuss", "writing", "write", "summarizing", "providing",
		"creating", "helping", "assisting", "carry on", "fulfilling",
	}
	// Refusals in other languages: an opening, followed anywhere by an inability.
	refusals = []struct{ openings, inabilities []string }{
		{[]string{"es tut mir leid", "tut mir leid", "entschuldigung", "leider"}, []string{"ich kann", "kann ich", "nicht möglich"}},
		{[]string{"ich kann"}, []string{"nicht helfen", "nicht dabei helfen", "nicht zusammenfassen", "keine zusammenfassung"}},
		{[]string{"je suis désolé", "désolé", "je m'excuse"}, []string{"je ne peux pas", "je ne suis pas en mesure", "je ne peux"}},
		{[]string{"je ne peux pas", "je ne suis pas en mesure"}, []string{"aider", "résum", "fournir"}},
		{[]string{"lo siento", "disculpa", "lamento"}, []string{"no puedo", "no soy capaz", "no me es posible"}},
		{[]string{"no puedo"}, []string{"ayudar", "resumir", "proporcionar"}},
		{[]string{"desculpe", "sinto muito", "lamento"}, []string{"não posso", "não consigo"}},
		{[]string{"mi dispiace", "spiacente", "scusa"}, []string{"non posso", "non sono in grado"}},
		{[]string{"извините", "простите", "к сожалению"}, []string{"не могу", "не в состоянии"}},
		{[]string{"抱歉", "很抱歉", "对不起", "對不起", "非常抱歉"}, []string{"无法", "不能", "無法"}},
		{[]string{"我无法", "我不能", "我無法"}, []string{"提供", "协助", "帮助", "總結", "总结", "協助"}},
		{[]string{"申し訳", "すみません", "ごめんなさい"}, []string{"できません", "できかねます", "致しかねます"}},
		{[]string{"죄송"}, []string{"수 없"}},
	}
)
