package naming

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/secret"
)

// ReadsSecrets reports whether commands print secrets, and returns the names of those that they ask for:
// shop/db of "vault kv get -field=password shop/db". The output of echo holds that of a substitution.
func ReadsSecrets(commands []Command) (names []string, reads bool) {
	const most = 16 // words of a program that runs another one
	for i := range commands {
		c := &commands[i]
		if c.Captured && (i+1 == len(commands) || !vocabulary.VariablePrograms.Has(commands[i+1].Program)) {
			continue
		}
		words := append([]string{c.Program}, c.Words...)
		carried := 1
		if vocabulary.CarrierPrograms.Has(c.Program) {
			carried = min(len(words), most)
		}
		for from := range carried {
			if name, ok := printsSecret(words[from:]); ok {
				reads = true
				if name != "" {
					names = append(names, name)
				}
				break
			}
		}
	}
	return names, reads
}

// SelectsSecrets reports whether commands select the values of secrets, so that their output has
// no names: kubectl get secret db -o json | jq .data.
func SelectsSecrets(commands []Command) bool {
	selects := func(word string) bool {
		return slices.ContainsFunc(vocabulary.SecretSelectors[:], func(part string) bool { return strings.Contains(word, part) })
	}
	return slices.ContainsFunc(commands, func(c Command) bool { return slices.ContainsFunc(c.Words, selects) })
}

// printsSecret reports whether a simple command prints a secret, and returns its name if the command
// gives it.
func printsSecret(words []string) (name string, ok bool) {
	program, rest := words[0], words[1:]
	operands, at := operandsOf(rest)
	const most = 3 // words before the one that says what the command does
	for i, word := range operands[:min(len(operands), most)] {
		if vocabulary.SecretStores.Has(program + "/" + word) {
			return namedSecret(rest, operands[i+1:]), true
		}
	}
	switch {
	case vocabulary.SecretPrograms.Has(program):
		return "", true
	case slices.ContainsFunc(rest, func(word string) bool {
		return vocabulary.SecretCommands.Has(program+"/"+word) && (word[0] == '-' || slices.Contains(operands[:min(len(operands), most)], word))
	}):
		return "", true
	case len(operands) > 0 && vocabulary.ListingWords.Has(operands[0]), len(operands) > 1 && vocabulary.ListingWords.Has(operands[1]):
		return "", false
	case vocabulary.SecretStores.Has(program+"/*") && len(operands) > 0:
		return namedSecret(rest, operands), true
	case vocabulary.VariablePrograms.Has(program):
		return "", slices.ContainsFunc(rest, func(word string) bool {
			_, variable, marked := strings.Cut(word, "$")
			if program == "printenv" {
				variable, marked = word, true
			}
			return marked && secret.IsKey(english.Words(variable))
		})
	case vocabulary.ContentPrograms.Has(program):
		return "", slices.ContainsFunc(rest, IsSecretFile)
	}
	verb, noun := false, -1
	for i, word := range operands[:min(at+1, len(operands))] {
		if kind, of, _ := strings.Cut(word, "/"); i == at && strings.Contains(of, ".") { // a file
			break
		} else if i == at {
			word = kind // secret/db
		}
		first, _, _ := strings.Cut(word, "-") // get-secret-value
		verb = verb || vocabulary.SecretVerbs.Has(first)
		if noun < 0 && secret.IsKey(english.Words(word)) {
			noun = i
		}
	}
	if !verb || noun < 0 {
		return "", false
	}
	if _, of, ok := strings.Cut(operands[noun], "/"); ok {
		return of, true
	}
	return namedSecret(rest, operands[noun+1:]), true
}

// operandsOf returns the words of a command that are neither flags nor their values, and how many of
// them may be its subcommands.
func operandsOf(words []string) (operands []string, subcommands int) {
	const most = 5
	for i, word := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		isValue := len(before) == 2 && before[0] == '-' || strings.HasPrefix(before, "--") && len(before) > 2 && !strings.Contains(before, "=")
		if word == "" || word[0] == '-' || isValue && !vocabulary.SecretCommands.Has("base64/"+before) {
			continue
		}
		if len(operands) == subcommands && subcommands < most && isSubcommand(word) {
			subcommands++
		}
		operands = append(operands, word)
	}
	return operands, subcommands
}

// namedSecret returns the name of the secret that a command asks for: the value of a flag for it, or
// the first operand that is no word for what the command does.
func namedSecret(words, operands []string) string {
	for i, word := range words {
		flag, value, ok := strings.Cut(word, "=")
		if !ok && i+1 < len(words) {
			value = words[i+1]
		}
		if vocabulary.SecretFlags.Has(flag) && value != "" {
			return value
		}
	}
	for _, word := range operands {
		if !vocabulary.SecretVerbs.Has(word) && !vocabulary.SecretFillers.Has(word) && !strings.ContainsAny(word, "${}*") {
			return word
		}
	}
	return ""
}

// IsSecretFile reports whether a path is that of a file that holds secrets: .env, ~/.kube/config,
// secrets.yaml.
func IsSecretFile(path string) bool {
	parts := strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return strings.ContainsRune(`/\<=`, r) })
	if len(parts) == 0 {
		return false
	}
	last, around := parts[len(parts)-1], ""
	if len(parts) > 1 {
		around = parts[len(parts)-2]
	}
	stem, extension, _ := strings.Cut(last, ".")
	switch {
	case vocabulary.SecretFiles.Has(last), vocabulary.SecretFiles.Has(around + "/" + last), strings.HasPrefix(last, ".env."), vocabulary.SecretExtensions.Has(extension):
		return true
	case extension == "": // /run/secrets/db, ~/.aws/credentials, but not src/token
		return strings.Trim(path[:1], "/~") == "" && path[len(path)-1] != '/' && len(parts) > 1 && (around == "secrets" || secret.IsKey(english.Words(stem)))
	}
	return vocabulary.SettingFiles.Has(extension) && secret.IsKey(english.Words(stem))
}
