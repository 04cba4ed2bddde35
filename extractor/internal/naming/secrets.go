package naming

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shell"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/secret"
)

// ReadsSecrets reports whether commands print secrets, and returns the names of the secrets that they ask for:
// shop/db of "vault kv get -field=password shop/db". The output of echo contains that of a substitution.
func ReadsSecrets(commands []Command) (names []string, reads bool) {
	const most = 16 // words of a program that runs another one
	for i := range commands {
		c := &commands[i]
		if c.Captured && (i+1 == len(commands) || !vocabulary.VariablePrograms.Has(commands[i+1].Program)) {
			continue
		}
		name, ok := printsSecret(&c.Command)
		for from := 0; !ok && from < min(len(c.Words), most) && vocabulary.CarrierPrograms.Has(c.Program); from++ {
			name, ok = printsSecret(&shell.Command{Program: c.Words[from], Words: c.Words[from+1:]})
		}
		if reads = reads || ok; name != "" {
			names = append(names, name)
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
func printsSecret(c *shell.Command) (name string, ok bool) {
	const most, mostSubcommands = 3, 5 // words before the verb
	program := c.Program
	operands := c.Operands(func(flag string) bool {
		return (len(flag) == 2 || flag[1] == '-') && !strings.Contains(flag, "=") && !vocabulary.SecretCommands.Has("base64/"+flag)
	})
	leading := operands[:min(len(operands), most)]
	for i, word := range leading {
		if vocabulary.SecretStores.Has(program + "/" + word) {
			return namedSecret(c, operands[i+1:]), true
		}
	}
	isCommand := func(word string) bool { return vocabulary.SecretCommands.Has(program + "/" + word) }
	isFlag := func(word string) bool { return strings.HasPrefix(word, "-") && isCommand(word) }
	switch {
	case vocabulary.SecretPrograms.Has(program), slices.ContainsFunc(leading, isCommand), slices.ContainsFunc(c.Words, isFlag):
		return "", true
	case slices.ContainsFunc(operands[:min(len(operands), 2)], vocabulary.ListingWords.Has):
		return "", false
	case vocabulary.SecretStores.Has(program+"/*") && len(operands) > 0:
		return namedSecret(c, operands), true
	case program == "printenv":
		return "", slices.ContainsFunc(c.Words, func(word string) bool { return secret.IsKey(english.Words(word)) })
	case vocabulary.VariablePrograms.Has(program):
		return "", slices.ContainsFunc(c.Words, func(word string) bool {
			_, variable, marked := strings.Cut(word, "$")
			return marked && secret.IsKey(english.Words(variable)) || strings.Contains(word, secret.Mark) // of a variable that the line sets
		})
	case vocabulary.ContentPrograms.Has(program):
		return "", slices.ContainsFunc(c.Words, IsSecretFile)
	}
	verb, noun := false, -1
	for i, word := range operands[:min(len(operands), mostSubcommands+1)] {
		kind, of, _ := strings.Cut(word, "/") // secret/db
		if strings.Contains(of, ".") {        // a file
			break
		}
		first, _, _ := strings.Cut(kind, "-") // get-secret-value
		verb = verb || vocabulary.SecretVerbs.Has(first)
		if noun < 0 && secret.IsKey(english.Words(kind)) {
			noun = i
		}
		if !isSubcommand(word) {
			break
		}
	}
	if !verb || noun < 0 {
		return "", false
	}
	if _, of, ok := strings.Cut(operands[noun], "/"); ok {
		return of, true
	}
	return namedSecret(c, operands[noun+1:]), true
}

// namedSecret returns the name of the secret that a command asks for: the value of a flag for it, or
// the first operand that is not a verb or a kind.
func namedSecret(c *shell.Command, operands []string) string {
	if name, _ := c.Flag(vocabulary.SecretFlags...); name != "" {
		return name
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
