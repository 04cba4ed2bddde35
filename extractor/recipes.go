package extractor

import (
	"cmp"
	"embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shell"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/memory"
)

// recipeFiles holds the rules for common programs, in a file for each program or for several similar ones.
// The first line of a file names its programs: "programs: [docker, podman]".
//
//go:embed recipes/*.yaml
var recipeFiles embed.FS

// builtin maps each program to a function that returns its embedded rules. A file is parsed when it is first
// needed.
var builtin = sync.OnceValue(func() map[string]func() []compiledRule {
	books := map[string]func() []compiledRule{}
	entries, _ := recipeFiles.ReadDir("recipes")
	for _, entry := range entries {
		text := func() string {
			text, _ := recipeFiles.ReadFile("recipes/" + entry.Name())
			return string(text)
		}
		read := sync.OnceValue(func() []compiledRule {
			_, rules, _ := parseRules(entry.Name(), text()) // tests read every file
			return rules
		})
		programs, _, _ := strings.Cut(strings.TrimPrefix(text(), "programs: ["), "]")
		for program := range strings.SplitSeq(programs, ", ") {
			books[program] = read
		}
	}
	return books
})

// match is a rule for a call.
type match struct {
	*compiledRule
	// command is the matching command, and operands are its operands after the words of the rule.
	command  *naming.Command
	operands []string
	// typ is the rule's type, with "$1" replaced.
	typ string
}

// rule returns the first rule for a tool, or an empty one.
func (x *EntityExtractor) rule(tool string) compiledRule {
	for _, rule := range x.rules {
		if ok, _ := path.Match(rule.Tool, tool); ok && rule.Tool != "" {
			return rule
		}
	}
	return compiledRule{}
}

// String returns the name of the rule.
func (r *Rule) String() string {
	return strings.TrimPrefix(r.Source+": "+cmp.Or(r.Tool, r.Command), ": ")
}

// matches returns the rules for the commands of a call. Without commands, the words of the tool's name are
// taken as one: git_log.
func (x *EntityExtractor) matches(commands []naming.Command, words []string) (all []match) {
	for i := range commands {
		all = append(all, x.rulesFor(&commands[i], 1)...)
	}
	if len(commands) > 0 {
		return all
	}
	for i := 0; i+1 < len(words) && all == nil; i++ {
		all = x.rulesFor(&naming.Command{Command: shell.Command{Program: words[i], Words: words[i+1:]}}, 2) // find_user is not the command find
	}
	return all
}

// rulesFor returns the rules that match a command with the most words, and with at least so many. Built-in
// rules are used only if no other rule matches.
func (x *EntityExtractor) rulesFor(c *naming.Command, least int) []match {
	found, read := mostWords(c, x.rules, least), builtin()[c.Program]
	if len(found) > 0 || x.plain || read == nil {
		return found
	}
	return mostWords(c, read(), least)
}

// mostWords returns the rules that match a command with the most words, and with at least so many.
func mostWords(c *naming.Command, rules []compiledRule, least int) (found []match) {
	most := least
	var values, operands []string
	for i := range rules {
		r := &rules[i]
		if i == 0 || !slices.Equal(values, r.Values) { // the rules of a file share theirs
			values = r.Values
			operands = c.Operands(func(flag string) bool { return slices.Contains(values, flag) })
		}
		for _, words := range r.commands {
			m := match{compiledRule: r, command: c, operands: operands, typ: r.Type}
			n := m.match(words)
			if ofTool := least > 1; ofTool && m.typ != r.Type && !vocabulary.EntityNouns.Has(m.typ) {
				if vocabulary.DataFiles.Has(m.typ) { // kubectl_get_yaml
					continue
				}
				m.typ = "" // kubectl_get_by_kind
			}
			switch {
			case n == 0 || n < most:
				continue
			case n > most:
				most, found = n, found[:0]
			}
			found = append(found, m)
			break
		}
	}
	return found
}

// match returns the number of words if all of them match the command, else 0.
func (m *match) match(words []string) int {
	if !isOneOf(m.command.Program, words[0]) {
		return 0
	}
	for _, word := range words[1:] {
		if word[0] == '-' {
			if _, ok := m.command.Flag(strings.Split(word, ",")...); !ok {
				return 0
			}
			continue
		}
		if len(m.operands) == 0 || !isOneOf(m.operands[0], word) {
			return 0
		}
		if strings.Contains(word, "*") && m.typ == "$1" {
			m.typ = kindOf(m.operands[0])
		}
		m.operands = m.operands[1:]
	}
	return len(words)
}

// kindOf returns the type for a word that "$1" or the group "type" matched: pod for pods,svc and
// deployment for deployments.apps/web.
func kindOf(kind string) string {
	end := strings.IndexAny(kind+"/", "/,.")
	return naming.KindNoun(strings.ToLower(kind[:end]))
}

// isOneOf reports whether a word matches one of several globs, separated by commas.
func isOneOf(word, globs string) bool {
	for glob := range strings.SplitSeq(globs, ",") {
		if ok, _ := path.Match(glob, word); ok || glob == "*" {
			return true
		}
	}
	return false
}

// readsOutput reports whether the output of the rule's command is in the result unchanged, line by line.
func (m *match) readsOutput(commands []naming.Command) bool {
	piped := false // to a command that may change the lines
	for i := range commands {
		c := &commands[i]
		if piped && !vocabulary.FilterCommands.Has(c.Program) {
			return false
		}
		piped = c.Piped && (piped || c == m.command)
	}
	return true
}

// typeOf returns the type of the things that a call lists, by its rules, or "".
func typeOf(rules []match) (typ string) {
	for i := range rules {
		if m := &rules[i]; !m.Candidate && m.Effect == "" && (m.Only || len(m.lines) == 0) {
			typ = cmp.Or(typ, m.typ)
		}
	}
	return typ
}

// listedDirectory returns the directory that a call lists, by its rule, or "": /srv/src for
// "cd /srv && ls src".
func listedDirectory(rules []match, commands []naming.Command) string {
	if len(rules) != 1 || !rules[0].Below || len(rules[0].operands) > 1 || !coversAll(rules, commands) {
		return ""
	}
	directory := rules[0].command.Path(strings.Join(rules[0].operands, ""))
	if strings.ContainsAny(directory, "*?{[$`") {
		return ""
	}
	return directory
}

// deeds returns the effects of the rule's command on the things that its words name.
func (m *match) deeds() (deeds []deed) {
	named := m.operands
	switch n := len(named); {
	case m.Effect == "" || m.Of == "found":
		return nil
	case strings.HasPrefix(m.Of, "-"):
		value, _ := m.command.Flag(strings.Split(m.Of, ",")...)
		named = []string{value}
	case m.Of == "first" && n > 0:
		named = named[:1]
	case m.Of == "last" && n > 0:
		named = named[n-1:]
	}
	named = slices.DeleteFunc(slices.Clone(named), func(id string) bool { return id == "" || strings.ContainsAny(id, "*?$<>`") })
	add := func(did act, word string) {
		id := word
		if m.typ == "file" {
			id = m.command.Path(word)
		}
		ref, program := memory.Ref{Type: m.typ, ID: id}, m.command.Program+": "
		deeds = append(deeds, deed{Ref: ref, did: did, word: word, program: program, inResult: len(m.lines) > 0})
	}
	last := len(named) - 1
	for i, word := range named {
		if m.Effect != EffectMoved {
			add(m.act(), word)
		} else if i < last {
			add(didMove, word)
			add(didMake, named[last])
		}
	}
	return deeds
}

// act returns the act for any Effect but EffectMoved.
func (m *match) act() act {
	if m.Effect == EffectGone {
		return didRemove
	}
	return didMake
}
