package naming

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// Effect is the effect of a tool's calls. Stronger effects are greater.
type Effect uint8

const (
	// EffectNone is for words that are not verbs.
	EffectNone Effect = iota
	// EffectRead changes nothing.
	EffectRead
	// EffectUpdated changes an entity.
	EffectUpdated
	// EffectCreated creates an entity.
	EffectCreated
	// EffectDeleted deletes an entity.
	EffectDeleted
)

// Tool describes the calls of a tool by its name.
type Tool struct {
	// Effect is what the name's verbs do; EffectRead if it has none.
	Effect Effect
	// Verb is the verb that gives the Effect; empty if the name has none.
	Verb string
	// Detaches is set if the calls may take a part out of a whole, and Within if the name
	// mentions the whole: remove_label_from_issue.
	Detaches, Within bool
	// Noun is the type of the tool's subject; empty if the name has none.
	Noun string
	// Words are the words of the name in the singular, without verbs and fillers.
	Words []string
	// All are all words of the name.
	All []string
	// Plural is set if the name is plural: list_users.
	Plural bool
	// Lists is set for a command that lists things, one on each line.
	Lists bool
	// Source is the MCP server in the name, else the domain before the verb and the noun;
	// it may be empty.
	Source string
	// Counts is set for tools that return a figure instead of an entity.
	Counts bool
}

// maxTools is the number of tool names that a table remembers.
const maxTools = 1024

// Tools describes tools by their names and remembers the descriptions. The zero value
// is empty and ready to use. It is safe for concurrent use.
type Tools struct{ known memo[Tool] }

// Tool returns the description of a tool's name.
func (t *Tools) Tool(name string) Tool {
	if tool, ok := t.known.get(name); ok {
		return tool
	}
	name = strings.Clone(name[:min(len(name), maxToolName)])
	tool := ParseTool(name)
	t.known.put(name, tool, maxTools)
	return tool
}

// maxToolName is the number of bytes of a tool's name that are read.
const maxToolName = 256

// ParseTool reads a tool's name in any style: cms_getPage, get_user_details,
// github-create-issue, listPullRequests, mcp__github__get_issue, search.documents,
// aws.ec2.RunInstances, stripe.customers.list.
//
// The first verb divides the name. The words before it are a domain prefix, those
// after it, up to a preposition, the noun. If no word follows the verb, the words
// before it are the noun.
func ParseTool(name string) Tool {
	server := ""
	rest, isMCP := strings.CutPrefix(name, "mcp__")
	if i := strings.LastIndex(rest, "__"); isMCP && i > 0 {
		server, name = strings.ToLower(rest[:i]), rest[i+2:]
	}
	all := ToolWords(name)
	t := Tool{Effect: EffectRead, All: all}
	at := verbIndex(all)
	before, after := all, []string(nil)
	if at >= 0 {
		before, after = all[:at], all[at+1:]
		t.Verb = all[at]
		t.Counts = vocabulary.FigureVerbs.Has(all[at])
		// get_or_create, createOrUpdate, find_and_delete
		for len(after) > 1 && (after[0] == "or" || after[0] == "and") && IsVerb(after[1]) {
			if effectOf(after[1]) > effectOf(t.Verb) {
				t.Verb = after[1]
			}
			after = after[2:]
		}
		if trashes(after) {
			t.Verb = "trash"
		}
		t.Effect = effectOf(t.Verb)
		t.Detaches, t.Within = vocabulary.DetachingVerbs.Has(t.Verb), slices.Contains(after, "from") || slices.Contains(after, "of")
	}
	for _, w := range all {
		if !IsVerb(w) && !vocabulary.Prepositions.Has(w) && !vocabulary.Modifiers.Has(w) {
			t.Words = append(t.Words, english.Singular(w))
			t.Plural = t.Plural || english.Singular(w) != w
		}
	}
	behind := nounPhrase(after)
	if t.Noun = behind; behind == "" && at != 0 {
		t.Noun = nounBefore(before)
	}
	if at > 0 && (behind != "" || t.Noun == "" || len(before) > strings.Count(t.Noun, "_")+1) {
		t.Source = before[0]
	}
	if t.Noun == "" && at > 1 && vocabulary.CommandVerbs.Has(all[at]) { // docker_config_ls
		t.Noun = specific(english.Singular(all[at-1]), &vocabulary.VagueNouns)
	}
	t.Lists = t.Verb == "list" && t.Plural && vocabulary.NamedNouns.Has(LastWord(t.Noun)) // list_tables
	if t.Verb == "resolve" && vocabulary.ResolvableNouns.Has(LastWord(t.Noun)) {
		t.Effect = EffectUpdated
	}
	t.Source = cmp.Or(server, t.Source)
	return t
}

// ToolWords returns the words of a tool's name, with verbs of other languages in English.
func ToolWords(name string) []string {
	words := english.Words(name)
	if slices.ContainsFunc(words, IsVerb) {
		return words
	}
	for i, word := range words {
		words[i] = cmp.Or(vocabulary.EnglishVerb(word), word)
	}
	return words
}

// SendsRequests reports whether a tool sends any HTTP request, by its name.
func (t *Tool) SendsRequests() bool {
	other := func(word string) bool { return word != "" && !vocabulary.RequestNouns.Has(word) }
	return len(t.Words) > 0 && !slices.ContainsFunc(t.Words, other) && !slices.ContainsFunc(strings.Split(t.Noun, "_"), other) // merge_request
}

// trashes reports whether the words after a verb name the trash as the destination:
// move_to_trash.
func trashes(after []string) bool {
	i := max(slices.Index(after, "trash"), slices.Index(after, "bin"))
	return i > 0 && slices.Contains([]string{"to", "into", "in"}, after[i-1])
}

// verbIndex returns the index of the verb. A word that can also be a noun (book,
// order, schedule) is the verb only if no plainer one follows: book.get, but
// book_flight.
func verbIndex(ws []string) int {
	plain := func(w string) bool {
		return IsVerb(w) && (!vocabulary.EntityNouns.Has(w) || vocabulary.CommonVerbs.Has(w))
	}
	if i := slices.IndexFunc(ws, plain); i >= 0 {
		return i
	}
	return slices.IndexFunc(ws, IsVerb)
}

// IsVerb reports whether a word is a verb of tool names.
func IsVerb(w string) bool { return effectOf(w) != EffectNone }

// effectOf returns the effect of tools named by a verb, or EffectNone for other words.
func effectOf(w string) Effect {
	switch {
	case vocabulary.ReadVerbs.Has(w):
		return EffectRead
	case vocabulary.CreatingVerbs.Has(w):
		return EffectCreated
	case vocabulary.UpdatingVerbs.Has(w):
		return EffectUpdated
	case vocabulary.DeletingVerbs.Has(w):
		return EffectDeleted
	}
	return EffectNone
}
