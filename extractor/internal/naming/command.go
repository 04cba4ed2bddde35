package naming

import (
	"cmp"
	"iter"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/scanner"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shell"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// CommandNoun returns the noun of the first command that lists anything: pod of kubectl get pods.
func CommandNoun(commands []Command) string {
	for i := range commands {
		c := &commands[i]
		if noun := nounOfCommand(c.words); noun != "" {
			return noun
		}
		if vocabulary.DocumentPrograms.Has(c.Program) {
			if m := collection().FindStringSubmatch(strings.Join(c.Words, " ") + c.Input); m != nil {
				return keyNoun(english.Words(m[1]))
			}
		}
	}
	return ""
}

// collection matches the collection of documents in a script of MongoDB: db.notes.find().
var collection = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bdb\.(?:getCollection\(["'])?(\w+)["')]*\.`)
})

// Command is a simple command of a shell, with its verb and objects.
type Command struct {
	shell.Command
	// Verb is what the command does: rm, or terminate of aws ec2 terminate-instances.
	Verb string
	// Things are the operands after the verb, and Noun is their type, if known.
	Things []string
	Noun   string
	// Trial is set for a dry run.
	Trial bool
	words []string
}

// NamesFiles reports whether the operands are paths.
func (c *Command) NamesFiles() bool {
	return (c.Program == c.Verb || c.Program == "git") && vocabulary.FileVerbs.Has(c.Verb)
}

// Addressed returns the type and the id of the thing at a URL or the path of one, by
// its last segments: webhook and wh_31aa of /v2/webhooks/wh_31aa. The id is empty if the URL is not
// that of a single thing.
func Addressed(address string) (noun, id string) {
	u, err := url.Parse(address)
	if err != nil {
		return "", ""
	}
	collection, id := path.Split(strings.TrimSuffix(u.EscapedPath(), "/")) // a%2Fb is one segment
	noun = PluralNoun(path.Base(collection))
	if whole := path.Dir(path.Clean(collection)); vocabulary.PartNouns.Has(noun) && !isVersion(path.Base(whole)) && PluralNoun(path.Base(path.Dir(whole))) != "" {
		return "", "" // a member that leaves a group still exists
	}
	if collection == "" || isVersion(id) || noun == "" && (shape.Of([]byte(id)) < shape.MaybeID || !shape.HasDigit([]byte(id))) {
		return "", ""
	}
	return noun, id
}

// maxVerbAt is the position of the last word of a command that is its verb.
const maxVerbAt = 4

// Commands returns the simple commands of a command line.
func Commands(line string) []Command { return described(shell.Parse(line)) }

// CommandsOf returns the simple commands of a command given as a list of words.
func CommandsOf(words []string) []Command { return described(shell.ParseWords(words)) }

// maxCommandWords is the number of words of a command that are searched for a noun.
const maxCommandWords = 16

// described returns commands with their verbs and objects.
func described(parsed []shell.Command) (commands []Command) {
	for i := range parsed {
		commands = append(commands, describe(&parsed[i]))
	}
	return commands
}

func describe(parsed *shell.Command) Command {
	words := append([]string{parsed.Program}, parsed.Operands(vocabulary.ScopeFlags.Has)...)
	c := Command{Command: *parsed, Verb: words[0], Things: words[1:], words: words[:min(len(words), maxCommandWords)]}
	c.Trial = slices.ContainsFunc(c.Words, func(word string) bool { return strings.HasPrefix(word, "--dry-run") })
	for i := 1; i < min(len(words), maxVerbAt) && !vocabulary.DeletingVerbs.Has(c.Verb) && c.Verb != "mv" && isSubcommand(words[i]); i++ {
		if verb, _, _ := strings.Cut(words[i], "-"); vocabulary.DeletingVerbs.Has(verb) || verb == "mv" {
			c.Verb, c.Things = verb, words[i+1:]
		}
	}
	if method, _ := c.Flag("-X", "--request"); c.Program == "curl" && method == "DELETE" {
		addresses := slices.DeleteFunc(slices.Clone(c.Words), func(word string) bool { return !strings.Contains(word, "://") })
		if len(addresses) == 1 { // further ones may be in headers
			noun, id := Addressed(addresses[0])
			c.Verb, c.Noun, c.Things = "delete", noun, []string{id}
		}
	}
	return c
}

// nounOfCommand returns the noun of a simple command, by its words, or "".
func nounOfCommand(words []string) string {
	program := strings.TrimSuffix(words[0], ".sh")
	if vocabulary.QueryPrograms.Has(program) {
		return TableNoun(strings.Join(words, " "))
	}
	if noun := nounOfWords(words[1:]); noun != "" {
		return noun
	}
	if _, last, joined := strings.Cut(program, "-"); joined && isPluralThing(last) { // kafka-topics
		return english.Singular(last)
	}
	return ""
}

// isPluralThing reports whether a word names several entities.
func isPluralThing(word string) bool {
	noun := english.Singular(word)
	return noun != word && vocabulary.EntityNouns.Has(noun)
}

// nounOfWords returns the noun among the words after a program. It comes before the verb,
// issue of issue list, or after it, cluster of get cluster and subnet of
// describe-subnets.
func nounOfWords(words []string) string {
	for i, word := range words {
		switch before, after, joined := strings.Cut(strings.ReplaceAll(word, "_", "-"), "-"); {
		case !isSubcommand(word):
			return ""
		case joined && (i > 0 || before == "list" || before == "show") && IsVerb(before): // describe-subnets, list_queues
			return cmp.Or(ParseTool(word).Noun, english.Singular(after))
		case i == len(words)-1 && i < 2 && isPluralThing(word): // consul members
			return english.Singular(word)
		case i > 0 && vocabulary.CommandVerbs.Has(word):
			return nounOfWord(words[i-1])
		case i == 0 && vocabulary.CommandVerbs.Has(word) && len(words) > 1 && isSubcommand(words[1]):
			if noun := nounOfWord(words[1]); vocabulary.EntityNouns.Has(noun) {
				return noun
			}
		}
	}
	return ""
}

// isSubcommand reports whether a word of a command is in lower case and joined by
// hyphens, as subcommands are.
func isSubcommand(word string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-_") == "" && len(word) < 48
}

// nounOfWord returns the type that a subcommand names.
func nounOfWord(word string) string {
	noun := english.Singular(strings.ReplaceAll(word, "-", "_"))
	return cmp.Or(vocabulary.LongForm(noun), noun)
}

// KindNoun returns the type for a kind of Kubernetes, which may be in its short form: svc
// is a service.
func KindNoun(kind string) string {
	noun := english.Singular(kind)
	return cmp.Or(vocabulary.KubernetesKind(kind), vocabulary.KubernetesKind(noun), noun)
}

// TableNoun returns the noun of the table that a query reads or changes: SELECT … FROM users.
func TableNoun(query string) string {
	words := strings.FieldsFunc(query, func(r rune) bool { return strings.ContainsRune(" \t\r\n(),;\"'`", r) })
	for i, word := range words[:min(len(words), 256)] {
		switch strings.ToLower(word) {
		case "show": // show tables
			if i+1 < len(words) && isPluralThing(strings.ToLower(words[i+1])) {
				return english.Singular(strings.ToLower(words[i+1]))
			}
		case "from", "into", "update", "table":
			for _, table := range words[i+1:] {
				if !vocabulary.TableModifiers.Has(strings.ToLower(table)) {
					return keyNoun(english.Words(table[strings.LastIndexByte(table, '.')+1:]))
				}
			}
		}
	}
	return ""
}

// Tables returns the tables that a query reads and changes: orders and users of "SELECT … FROM orders
// JOIN shop.users …". It is nil for other texts.
func Tables(query string) (tables []string) {
	verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	behind := vocabulary.QueryWord(strings.ToLower(verb))
	if behind == "" || !strings.Contains(strings.ToLower(query), behind) {
		return nil
	}
	const most = 16
	var calls []bool // open parentheses; FROM in those of a function does not precede a table
	var own []string // names of the query's own parts: WITH recent AS (
	last, beforeLast, awaited := "", "", false
	s := new(scanner.Scanner).Init(strings.NewReader(query))
	s.Error = func(*scanner.Scanner, string) {} // errors do not matter
	for token := s.Scan(); token != scanner.EOF && len(tables) < most; token = s.Scan() {
		text := strings.Trim(s.TokenText(), "\"`")
		word := ""
		if token == scanner.Ident || token == scanner.String || token == scanner.RawString {
			word = strings.ToLower(text)
		}
		inCall := len(calls) > 0 && calls[len(calls)-1]
		switch {
		case token == '(':
			if last == "as" {
				own = append(own, beforeLast)
			}
			calls = append(calls, last != "" && !awaited)
		case token == ')' && len(calls) > 0:
			calls = calls[:len(calls)-1]
		case token == '.' && len(tables) > 0 && last == strings.ToLower(tables[len(tables)-1]): // shop.users
			tables, awaited = tables[:len(tables)-1], !vocabulary.SystemSchemas.Has(last)
			continue
		case word == "select" && inCall:
			calls[len(calls)-1] = false
		case awaited && (token == '[' || vocabulary.TableModifiers.Has(word)):
			continue
		case awaited && word != "" && !slices.Contains(own, word) && !slices.Contains(tables, text) && !strings.HasPrefix(word, "pg_") && !strings.HasPrefix(word, "sqlite_"):
			tables = append(tables, text)
		}
		awaited = vocabulary.TableWords.Has(word) && !inCall
		last, beforeLast = word, last
	}
	return tables
}

// mutation matches a GraphQL mutation up to the field that it calls, which may have an alias, and literal
// matches the names and the values that a query writes out.
var (
	mutation = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*mutation\b[^{]*\{\s*(?:\w+\s*:\s*)?(\w+)`) })
	literal  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(\\w+)[\"'`]?\\s*[:=]\\s*(?:\"([^\"]*)\"|'([^']*)'|([\\w.]+))")
	})
)

// ParseQuery describes a query that is a call: productCreate of "mutation ($p: Product!) { productCreate(product: $p)
// { id } }", or the deletion of "DELETE FROM boats WHERE id = 'b1'". Other queries have no Verb.
func ParseQuery(query string) Tool {
	if called := mutation().FindStringSubmatch(query); called != nil {
		return ParseTool(called[1])
	}
	if words := strings.Fields(strings.ToLower(query)); len(words) > 2 && words[0] == "delete" && words[1] == "from" {
		return Tool{Verb: "delete", Effect: EffectDeleted, Noun: TableNoun(query), Plural: true}
	}
	return Tool{}
}

// Literals iterates over the names and the values that a query writes out: id and b1 of id: "b1" and id = 'b1'.
func Literals(query string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, found := range literal().FindAllStringSubmatch(query, -1) {
			if !yield(found[1], cmp.Or(found[2:]...)) {
				return
			}
		}
	}
}
