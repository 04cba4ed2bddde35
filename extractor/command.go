package extractor

import (
	"cmp"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// subjectOf returns the description of a call whose arguments describe it: the tool
// that a proxy calls, the command of a shell, the table of a query. A tool with a subject
// of its own keeps it.
func subjectOf(tool naming.Tool, args *argumentReader) naming.Tool {
	if tool.Noun != "" && !vocabulary.GenericNouns.Has(tool.Noun) && !vocabulary.RunnerNouns.Has(naming.LastWord(tool.Noun)) {
		return tool
	}
	for i := range args.args {
		if a := &args.args[i]; a.key != nil && a.kind == document.String && vocabulary.CalledKeys.Has(a.key.Snake) && !strings.Contains(a.id, " ") {
			if called := naming.ParseTool(a.id); called.Noun != "" {
				return called
			}
		}
	}
	if args.command.key == nil {
		return tool
	}
	noun := naming.TableNoun(args.command.id)
	if vocabulary.CommandKeys.Has(args.command.key.Snake) {
		noun = cmp.Or(naming.CommandNoun(args.command.id), noun)
	}
	if noun == "" {
		return tool
	}
	return withSubject(tool, noun)
}

func withSubject(tool naming.Tool, noun string) naming.Tool {
	tool.Noun, tool.Plural, tool.Lists = noun, true, true
	tool.Words = append(strings.Split(noun, "_"), tool.Words...)
	return tool
}
