package extractor

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/memory"
)

// readsSecrets reports whether a call prints secrets: by its command, by the noun of a tool that reads
// one thing, get_secret, or by the name of the file that it reads. It returns the names of the secrets that
// the command asks for.
func (r *argumentReader) readsSecrets(tool naming.Tool) (names []string, reads bool) {
	if r.line != "" {
		names, reads = naming.ReadsSecrets(naming.Commands(r.line))
	}
	if !reads {
		names, reads = naming.ReadsSecrets(r.commands)
	}
	if reads {
		return names, true
	}
	if vocabulary.SecretVerbs.Has(tool.Verb) && (slices.ContainsFunc(tool.Words, vocabulary.SecretNouns.Has) || tool.Noun == "secret") {
		return nil, true
	}
	return nil, vocabulary.OpeningVerbs.Has(tool.Verb) && slices.ContainsFunc(slices.Collect(r.args.under(&vocabulary.PathKeys)), naming.IsSecretFile)
}

// nameSecrets adds the names of the secrets that a command has read.
func (e *extraction) nameSecrets(out *Extraction, names []string) {
	for _, name := range names {
		known := func(found memory.Entity) bool { return found.ID == name || found.Name == name }
		if !out.Failed && !slices.ContainsFunc(out.Entities, known) {
			out.Entities = append(out.Entities, e.given(memory.Ref{Type: "secret", ID: name}, name, ""))
		}
	}
}
