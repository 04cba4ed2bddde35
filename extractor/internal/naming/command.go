package naming

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
)

// CommandNoun returns what a command of a shell lists: kubectl get pods → pod.
func CommandNoun(command string) string {
	for part := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune("|;&\n", r) }) {
		if noun := nounOfCommand(wordsOfCommand(part)); noun != "" {
			return noun
		}
	}
	return ""
}

// wordsOfCommand returns the words of a simple command without variables, sudo and flags.
func wordsOfCommand(command string) (words []string) {
	const most = 8
	for word := range strings.FieldsSeq(command) {
		switch {
		case len(words) == 0 && (strings.Contains(word, "=") || vocabulary.WrapperCommands.Has(word)):
		case strings.HasPrefix(word, "-"):
		case len(words) == most:
			return words
		default:
			words = append(words, strings.Trim(word, `"'`))
		}
	}
	if len(words) > 0 {
		words[0] = words[0][strings.LastIndexByte(words[0], '/')+1:]
	}
	return words
}

// nounOfCommand returns what a simple command lists, by its words, or "".
func nounOfCommand(words []string) string {
	if len(words) == 0 {
		return ""
	}
	for n := min(len(words), 3); n > 0; n-- {
		if noun, ok := commandSubjects()[strings.Join(words[:n], " ")]; ok {
			return noun
		}
	}
	switch program := words[0]; {
	case program == "kubectl", program == "oc", program == "k":
		return kubernetesNoun(words[1:])
	case vocabulary.GroupedCommands.Has(program):
		return nounOfWords(words[1:])
	case program == "aws" && len(words) > 2 && words[1] == "s3":
		if slices.ContainsFunc(words[2:], func(w string) bool { return strings.HasPrefix(w, "s3://") }) {
			return "object"
		}
		return "bucket"
	case program == "aws" && len(words) > 2:
		return ParseTool(words[2]).Noun
	}
	switch words[0] {
	case "psql", "mysql", "sqlite3", "duckdb", "clickhouse-client":
		return TableNoun(strings.Join(words, " "))
	}
	return ""
}

// nounOfWords returns the noun before the verb of a command: issue of issue list.
func nounOfWords(words []string) string {
	for i, word := range words {
		if i > 0 && (isVerb(word) || word == "ls") {
			switch noun := english.Singular(strings.ReplaceAll(words[i-1], "-", "_")); noun {
			case "pr":
				return "pull_request"
			case "repo":
				return "repository"
			default:
				return noun
			}
		}
	}
	return ""
}

// kubernetesNoun returns the kind that a command of kubectl is about.
func kubernetesNoun(words []string) string {
	if len(words) < 2 || words[0] == "exec" || words[0] == "config" {
		return ""
	}
	if words[0] == "logs" {
		return "pod"
	}
	if vocabulary.Prepositions.Has(words[1]) { // kubectl_get_by_kind
		return ""
	}
	kind, _, _ := strings.Cut(strings.ToLower(words[1]), "/")
	kind, _, _ = strings.Cut(kind, ",")
	kind, _, _ = strings.Cut(kind, ".")
	return KindNoun(kind)
}

// KindNoun returns the type that a kind of Kubernetes gives, also in its short form: svc
// is a service.
func KindNoun(kind string) string {
	if full, ok := commandSubjects()["kubectl "+kind]; ok {
		return full
	}
	return english.Singular(kind)
}

// TableNoun returns the noun of the table that a query reads or changes: SELECT … FROM users.
func TableNoun(query string) string {
	words := strings.FieldsFunc(query, func(r rune) bool { return strings.ContainsRune(" \t\r\n(),;\"'`", r) })
	for i, word := range words[:min(len(words), 256)] {
		switch strings.ToLower(word) {
		case "from", "into", "update", "table":
			if i+1 < len(words) {
				table := words[i+1]
				if next := strings.ToLower(table); (next == "if" || next == "only") && i+2 < len(words) {
					table = words[i+2]
				}
				return keyNoun(english.Words(table[strings.LastIndexByte(table, '.')+1:]))
			}
		}
	}
	return ""
}
