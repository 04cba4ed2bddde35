package extractor

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// toolName describes the calls of a tool by its name.
type toolName struct {
	action Action
	// noun is the type of the tool's subject; empty if the name has none.
	noun string
	// words are the words of the name in the singular, without verbs and fillers.
	words []string
	// plural is set if the name is plural: list_users.
	plural bool
	// counts is set for tools that return a figure instead of an entity.
	counts bool
}

// maxTools is the number of tool names an extractor remembers.
const maxTools = 1024

// toolName returns the description of a tool's name.
func (x *EntityExtractor) toolName(name string) toolName {
	if t, ok := x.tools.get(name); ok {
		return t
	}
	name = strings.Clone(name[:min(len(name), maxToolName)])
	t := parseToolName(name)
	x.tools.put(name, t, maxTools)
	return t
}

// maxToolName is how many bytes of a tool's name are read.
const maxToolName = 256

// parseToolName reads a tool's name in any style: cms_getPage, get_user_details,
// github-create-issue, listPullRequests, mcp__github__get_issue, search.documents,
// aws.ec2.RunInstances, stripe.customers.list.
//
// The first verb divides the name. The words before it are a domain prefix, those
// after it, up to a preposition, the noun. If no word follows the verb, the words
// before it are the noun.
func parseToolName(name string) toolName {
	all := english.Words(lastSegments(name))
	t := toolName{action: ActionRead}
	at := verbIndex(all)
	before, after := all, []string(nil)
	if at >= 0 {
		before, after = all[:at], all[at+1:]
		t.action = actionOf(all[at])
		t.counts = figureVerbs.has(all[at])
		// get_or_create, createOrUpdate, find_and_delete
		for len(after) > 1 && (after[0] == "or" || after[0] == "and") && isVerb(after[1]) {
			t.action = strongerAction(t.action, actionOf(after[1]))
			after = after[2:]
		}
	}
	for _, w := range all {
		if !isVerb(w) && !prepositions.has(w) && !modifiers.has(w) {
			t.words = append(t.words, english.Singular(w))
			t.plural = t.plural || english.Singular(w) != w
		}
	}
	t.noun = nounPhrase(after)
	if t.noun == "" && at != 0 {
		t.noun = nounBefore(before)
	}
	return t
}

// verbIndex returns the index of the verb. A word that can also be a noun (book,
// order, schedule) is the verb only if no plainer one follows: book.get, but
// book_flight.
func verbIndex(ws []string) int {
	plain := func(w string) bool { return isVerb(w) && (!entityNouns.has(w) || commonVerbs.has(w)) }
	if i := slices.IndexFunc(ws, plain); i >= 0 {
		return i
	}
	return slices.IndexFunc(ws, isVerb)
}

// commonVerbs are verbs in tool names even where they are nouns elsewhere.
var commonVerbs = wordSet{list: `list search query view update show copy test check`}

// lastSegments removes the server part of an MCP name (mcp__server__tool) and the
// scheme-like part of a URL-like name.
func lastSegments(name string) string {
	if strings.HasPrefix(name, "mcp__") {
		if i := strings.LastIndex(name, "__"); i > len("mcp_") {
			return name[i+2:]
		}
	}
	return name
}

// nounPhrase returns the noun at the start of the words after a verb.
func nounPhrase(ws []string) string {
	for len(ws) > 0 && (modifiers.has(ws[0]) || isVersion(ws[0]) || ws[0] == "api") {
		ws = ws[1:]
	}
	if i := slices.IndexFunc(ws, prepositions.has); i >= 0 {
		ws = ws[:i]
	}
	for len(ws) > 0 && isTail(ws[len(ws)-1]) && !compoundNouns.has(singularNoun(ws[max(0, len(ws)-2):])) {
		if single := english.Singular(ws[0]); len(ws) == 1 && (single == "record" || single == "index" || single == "registry") {
			break
		}
		ws = ws[:len(ws)-1]
	}
	return headNoun(ws)
}

// isVersion reports whether a word is the version of an API: v1, v2.
func isVersion(w string) bool {
	return len(w) >= 2 && len(w) <= 3 && w[0] == 'v' && isDigits([]byte(w[1:]))
}

// isTail reports whether the last word of a noun phrase only qualifies the noun: the
// status of order_status, the complete of mark_task_complete.
func isTail(w string) bool {
	single := english.Singular(w)
	return attributeTails.has(w) || attributeTails.has(single) || isVerb(w) && !entityNouns.has(single)
}

// nounBefore returns the noun of a name that ends in its verb: customers.list,
// slack_users_get. Only its last word counts; earlier ones are domain prefixes.
func nounBefore(ws []string) string {
	for len(ws) > 0 && attributeTails.has(ws[len(ws)-1]) {
		ws = ws[:len(ws)-1]
	}
	if len(ws) == 0 {
		return ""
	}
	if n := len(ws); n >= 2 {
		if pair := singularNoun(ws[n-2:]); entityNouns.has(pair) {
			return pair
		}
	}
	last := ws[len(ws)-1]
	noun := english.Singular(last)
	if !entityNouns.has(noun) && (noun == last || len(last) < 4) {
		return "" // es_search, zoho_get: a service, not a subject
	}
	return specific(specific(noun, &vagueNouns), &serviceNouns)
}

// serviceNouns are words before a verb that name how a tool works, not its subject:
// sql_query, web_search.
var serviceNouns = wordSet{list: `sql db web api graphql rest http https mcp tool server client internet browser`}

// headNoun returns the type of a noun phrase: in the singular, without adjectives and
// without a leading container.
func headNoun(ws []string) string {
	ws = slices.DeleteFunc(slices.Clone(ws), func(w string) bool { return isParticiple(w) && len(ws) > 1 })
	for len(ws) > 1 {
		noun := singularNoun(ws)
		first := english.Singular(ws[0])
		if !modifiers.has(ws[0]) && (!containerNouns.has(first) || compoundNouns.has(noun)) {
			break
		}
		ws = ws[1:]
	}
	return specific(typeName(singularNoun(ws)), &vagueNouns)
}

// typeName splits run-together nouns.
func typeName(noun string) string {
	if strings.Count(noun, "_") == 0 {
		if cut, ok := cutContainer(noun); ok {
			noun = cut
		}
	}
	return noun
}

// specific returns a noun, or "" if it is vague.
func specific(noun string, vague *wordSet) string {
	if vague.has(noun) {
		return ""
	}
	return noun
}

// cutContainer turns pagesection into section.
func cutContainer(noun string) (string, bool) {
	for i := 3; i <= len(noun)-4; i++ {
		if containerNouns.has(noun[:i]) && runTogether.has(noun[i:]) {
			return noun[i:], true
		}
	}
	return "", false
}

// runTogether are the nouns that cutContainer finds after a container. They are few
// because "workshop" and "storefront" are words of their own.
var runTogether = wordSet{list: `section entry comment member message issue field template attachment`}

// isParticiple reports whether a word is a participle used as an adjective:
// delivered, archived.
func isParticiple(w string) bool {
	return len(w) > 5 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed") && w != "embed"
}

func isVerb(w string) bool { return actionOf(w) != "" }

// actionOf returns the effect of tools named by a verb, or "" for other words.
func actionOf(w string) Action {
	switch {
	case readVerbs.has(w):
		return ActionRead
	case creatingVerbs.has(w):
		return ActionCreated
	case updatingVerbs.has(w):
		return ActionUpdated
	case deletingVerbs.has(w):
		return ActionDeleted
	}
	return ""
}

func strongerAction(a, b Action) Action {
	if rank := func(a Action) int { return slices.Index(actionsByStrength[:], a) }; rank(b) > rank(a) {
		return b
	}
	return a
}

var actionsByStrength = [...]Action{ActionRead, ActionUpdated, ActionCreated, ActionDeleted}

// figureVerbs are verbs of tools that return a figure.
var figureVerbs = wordSet{list: `calculate compute count sum evaluate eval measure estimate average convert`}

// The verbs of tool names, by their effect.
var (
	readVerbs = wordSet{list: `get fetch read find search list query lookup look retrieve show view describe load check
		browse select scan count inspect peek resolve discover locate download export preview summarize
		calculate compute evaluate eval measure estimate average convert validate verify test compare
		track watch monitor ask explain analyze analyse obtain collect enumerate head stat ls cat
		recall remember think transfer ping wait help login logout authenticate authorize`}
	creatingVerbs = wordSet{list: `create add insert new make post register book open submit send start launch run publish
		upload generate clone copy duplicate fork import schedule invite place purchase buy
		reserve enroll subscribe build provision allocate append push draft compose reply
		mint spawn init initialize`}
	updatingVerbs = wordSet{list: `update edit modify change set rename move patch put save store write replace assign
		unassign attach detach enable disable activate deactivate close reopen complete cancel
		approve reject accept decline confirm apply merge exchange return refund restore reset toggle
		increment adjust extend renew upgrade downgrade link unlink tag label mark pin unpin lock unlock
		upsert sync configure transition promote demote share grant revoke invoke execute call trigger stop
		restart pause resume reorder sort swap pay charge redeem ship process handle `}
	deletingVerbs = wordSet{list: `delete remove archive destroy purge trash drop erase del rm discard wipe terminate`}
)
