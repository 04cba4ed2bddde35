package extractor

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/reading"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

// deed is what a command, a patch or a query does to a thing.
type deed struct {
	memory.Ref
	did     act
	word    string // how the command names the thing
	program string // how the messages of the command begin: "rm: "
}

// act is what was done to a thing.
type act uint8

const (
	didRead act = iota
	didWrite
	didRemove
	didMove // the next deed tells where to
)

// maxDeeds is the number of deeds of a call that are followed.
const maxDeeds = 32

// settleCommand adds the files that the call's commands read and write, and removes what they delete
// and move.
func (e *extraction) settleCommand(out *Extraction, result any) {
	deeds, report := e.args.deeds, reading.HeadOf(result, maxOutcomeText*16)
	for i := range e.args.commands {
		c := &e.args.commands[i]
		e.useWords(out, c)
		if c.Background {
			e.addJob(out, c, report)
		}
		deeds = append(deeds, deedsOf(c)...)
	}
	if deeds = deeds[:min(len(deeds), maxDeeds)]; len(deeds) == 0 {
		return
	}
	var gone, programs []string
	for _, d := range deeds {
		if d.did >= didRemove {
			gone, programs = append(gone, d.ID), append(programs, d.program)
		}
	}
	var o *outcome
	if gone != nil {
		o = e.outcomeOf(result, out.Failed, gone, programs)
	}
	alone := len(e.args.commands) < 2
	moved := false
	for i, d := range deeds {
		switch {
		case d.did >= didRemove:
			moved = o.succeeded(d.ID, len(gone) > 1)
			if moved {
				e.leave(out, &d)
			}
		case i > 0 && deeds[i-1].did == didMove && !moved:
		case out.Failed && alone || d.isDenied(report):
		case d.did == didWrite:
			e.add(out, d.Ref, d.ID)
			out.Entities[0].Aliases = d.aliases()
		default:
			e.readFile(out, &d)
		}
	}
}

// leave removes a thing, with what is below it if it may be a folder.
func (e *extraction) leave(out *Extraction, d *deed) {
	gone := []memory.Ref{d.Ref}
	for _, alias := range d.aliases() {
		gone = append(gone, memory.Ref{ID: alias})
	}
	if d.Type == "" && d.did == didRemove && d.word != d.program {
		gone = append(gone, below(d.ID))
	}
	out.remove(gone, naming.Tool{})
}

// readFile adds a file that a command read, unless the result tells of it.
func (e *extraction) readFile(out *Extraction, d *deed) {
	known := func(found memory.Entity) bool { return isNamed(&found, []memory.Ref{d.Ref}) }
	if i := slices.IndexFunc(out.Entities, known); i >= 0 {
		out.Entities[i].Held = true
		return
	}
	file := e.given(d.Ref, d.ID, "")
	file.Aliases = d.aliases()
	out.Entities = append(out.Entities, file)
}

// aliases returns the relative path of a file, if its folder tells it from others.
func (d *deed) aliases() []string {
	if word := strings.TrimPrefix(d.word, "./"); word != d.ID && strings.Contains(word, "/") && !strings.HasPrefix(word, "..") {
		return []string{strings.Clone(word)}
	}
	return nil
}

// isDenied reports whether an error message names the file or the thing: "cat: a.py: No such file".
func (d *deed) isDenied(report []byte) bool {
	if d.program == "" && len(report) <= maxOutcomeText && containsWord(report, d.word) && saysUndone(report) {
		return true // no such table: boats
	}
	for line := range bytes.Lines(report) {
		own := d.program != "" && bytes.Contains(line, []byte(d.program))
		if (own || bytes.Contains(line, []byte(d.word+": "))) && saysUndone(line) &&
			(bytes.Contains(line, []byte(d.word)) || bytes.Contains(line, []byte("not found"))) {
			return true
		}
	}
	return false
}

// addJob adds the process that a command in the background became, with the command as its name: the
// shell prints its number, "[1] 48213", or the line does by $!.
func (e *extraction) addJob(out *Extraction, c *naming.Command, report []byte) {
	words := bytes.Fields(report)
	if len(words) == 0 || len(words) > 16 {
		return
	}
	isAsked := func(other naming.Command) bool {
		return slices.ContainsFunc(other.Words, func(w string) bool { return strings.Contains(w, "$!") })
	}
	if words[0][0] != '[' && !slices.ContainsFunc(e.args.commands, isAsked) {
		return
	}
	isPID := func(word []byte) bool { return shape.IsDigits(word) && len(word) > 1 && len(word) < 8 }
	if i := slices.IndexFunc(words, isPID); i >= 0 {
		e.add(out, memory.Ref{Type: "process", ID: string(words[i])}, strings.Join(append([]string{c.Program}, c.Words...), " "))
	}
}

// useWords adds the words of a command to what the call used, unless they may be secrets.
func (e *extraction) useWords(out *Extraction, c *naming.Command) {
	namesSecret := func(word string) bool { return word == "login" || secret.IsKey(english.Words(word)) }
	if vocabulary.SecretPrograms.Has(c.Program) || vocabulary.VariablePrograms.Has(c.Program) || slices.ContainsFunc(c.Words, namesSecret) {
		return
	}
	for _, word := range c.Words[:min(len(c.Words), maxArguments)] {
		if _, value, assigned := strings.Cut(word, "="); assigned {
			word = value
		}
		if word == "" || word[0] == '-' || len(word) > shape.MaxID || strings.ContainsAny(word, " \n") || len(out.Used) >= 2*maxArguments {
			continue
		}
		out.Used = append(out.Used, memory.Ref{ID: word})
		if at := c.Path(word); at != word {
			out.Used = append(out.Used, memory.Ref{ID: at})
		}
	}
}

// deedsOf returns what a command does to its operands and to the files of its redirections.
func deedsOf(c *naming.Command) (deeds []deed) {
	if c.Trial || c.Conditional {
		return nil
	}
	add := func(did act, typ, word string) {
		id := word
		if typ == "" || typ == "file" {
			id = c.Path(strings.TrimPrefix(word, "./"))
		}
		deeds = append(deeds, deed{Ref: memory.Ref{Type: typ, ID: id}, did: did, word: word, program: c.Program + ": "})
	}
	each := func(did act, words []string) {
		for _, word := range words {
			if isFileName(word) {
				add(did, "file", word)
			}
		}
	}
	things := slices.DeleteFunc(slices.Clone(c.Things), func(s string) bool {
		return s == "" || s == "/" || s == "/*" || strings.ContainsAny(strings.TrimSuffix(s, "/*"), "*?$<>`")
	})
	last := len(things) - 1
	switch {
	case c.Verb == "mv" && last > 0:
		for _, from := range things[:last] {
			add(didMove, "", from)
			add(didWrite, "file", target(from, things[last], last > 1))
		}
	case vocabulary.DeletingVerbs.Has(c.Verb) && c.NamesFiles():
		for _, file := range things {
			if file = strings.TrimSuffix(file, "/*"); !isAround(file) && !isAround(c.Path(file)) {
				add(didRemove, "", file)
			}
		}
	case vocabulary.DeletingVerbs.Has(c.Verb):
		for _, thing := range things {
			deeds = append(deeds, deed{Ref: memory.Ref{Type: c.Noun, ID: thing}, did: didRemove, word: c.Program + ": ", program: c.Program + ": "})
		}
	case vocabulary.CopyingPrograms.Has(c.Program) && last > 0:
		each(didRead, things[:last])
		to := things[last]
		if last > 1 || strings.HasSuffix(to, "/") || to == "." || path.Ext(things[0]) != "" && path.Ext(to) == "" {
			to = path.Join(to, path.Base(things[0]))
		}
		each(didWrite, []string{to})
	case vocabulary.WritingPrograms.Has(c.Program):
		each(didWrite, things)
	case vocabulary.ReadingPrograms.Has(strings.ToLower(c.Program)):
		files, changes := filesOf(c)
		if changes {
			each(didWrite, files)
		} else {
			each(didRead, files)
		}
	}
	if vocabulary.QueryPrograms.Has(c.Program) {
		for _, text := range append(slices.Clone(c.Words), c.Input) {
			deeds = append(deeds, deedsOfQuery(text)...)
		}
	}
	each(didRead, c.Reads)
	each(didWrite, c.Writes)
	if output, ok := c.Flag(vocabulary.OutputFlags...); ok {
		each(didWrite, []string{output})
	}
	return appendPatched(deeds, c.Dir, []byte(c.Input))
}

// filesOf returns the operands of a program that reads files, without its script, and reports whether it
// changes them in place.
func filesOf(c *naming.Command) (files []string, changes bool) {
	letter := vocabulary.InPlaceFlag(c.Program)
	scripted := !vocabulary.ScriptedPrograms.Has(c.Program)
	files = c.Operands(func(flag string) bool {
		short := len(flag) < 5 && flag[1] != '-'
		isScript := flag == "--expression" || flag == "-f" || short && strings.HasSuffix(flag, "e") && c.Program != "jq"
		scripted = scripted || isScript
		return isScript && vocabulary.ScriptedPrograms.Has(c.Program)
	})
	for _, word := range c.Words {
		if len(word) > 1 && word[0] == '-' && letter != "" {
			changes = changes || word == "--in-place" || word[1] != '-' && strings.Contains(word[:min(len(word), 4)], letter)
		}
	}
	if !scripted && len(files) > 0 {
		files = files[1:]
	}
	return files, changes
}

// isFileName reports whether a word of a command is the name of one file or folder.
func isFileName(word string) bool {
	base := path.Base(word)
	isHidden := len(base) > 1 && base[0] == '.' && shape.IsLetter(base[1])
	return len(word) <= shape.MaxID && (isHidden || shape.IsPath([]byte(strings.TrimPrefix(word, "./")))) && !isAround(word) &&
		!strings.Contains(word, "://") && !strings.ContainsAny(word, "*?$<>|;`\"'{}()[]=,\n\t") && !strings.HasPrefix(word, "/dev/")
}

// appendPatched adds what a patch does to files: "*** Update File: a.py".
func appendPatched(deeds []deed, dir string, text []byte) []deed {
	if !bytes.Contains(text, []byte("*** Begin Patch")) {
		return deeds
	}
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(line, []byte("*** "))
		if !ok || len(deeds) >= maxDeeds {
			continue
		}
		what, file, _ := strings.Cut(strings.TrimSpace(string(rest)), ": ")
		did, last := didWrite, len(deeds)-1
		switch {
		case file == "" || !strings.HasSuffix(what, " File") && what != "Move to":
			continue
		case what == "Delete File":
			did = didRemove
		case what == "Move to" && last >= 0:
			deeds[last].did = didMove
		}
		deeds = append(deeds, deed{Ref: memory.Ref{Type: "file", ID: path.Join(dir, file)}, did: did, word: file})
	}
	return deeds
}

// deedsOfQuery returns what the statements of a query read, create, drop and rename.
func deedsOfQuery(query string) (deeds []deed) {
	for statement := range strings.SplitSeq(query[:min(len(query), maxCommandBytes)], ";") {
		for _, table := range naming.Tables(statement) {
			deeds = append(deeds, deed{Ref: memory.Ref{Type: "table", ID: table}, word: table})
		}
		words := strings.FieldsFunc(statement, func(r rune) bool { return strings.ContainsRune(" \t\r\n,\"'`[](", r) })
		if len(words) < 3 || !vocabulary.SchemaVerbs.Has(strings.ToLower(words[0])) {
			continue
		}
		verb := strings.ToLower(words[0])
		at := slices.IndexFunc(words[1:min(len(words), 5)], func(word string) bool { return vocabulary.SchemaNouns.Has(strings.ToLower(word)) }) + 1
		if at == 0 {
			continue
		}
		noun := english.Singular(strings.ToLower(words[at]))
		words = words[at+1:]
		for len(words) > 0 && (vocabulary.TableModifiers.Has(strings.ToLower(words[0])) || strings.EqualFold(words[0], "concurrently")) {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		of := func(word string, did act) {
			deeds = append(deeds, deed{Ref: memory.Ref{Type: noun, ID: word}, did: did, word: word})
		}
		to := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, "to") })
		switch renames := verb == "rename" || len(words) > 2 && strings.EqualFold(words[1], "rename"); {
		case renames && (to == 1 || to == 2) && to+1 < len(words):
			of(words[0], didMove)
			of(words[to+1], didWrite)
		case verb == "create":
			of(words[0], didWrite)
		case verb == "drop":
			for _, word := range words {
				if !vocabulary.SchemaModifiers.Has(strings.ToLower(word)) {
					of(word, didRemove)
				}
			}
		}
	}
	return deeds
}

// readsSource reports whether a call prints the source code of programs, and nothing else: their files are
// known from the call.
func (r *argumentReader) readsSource(tool naming.Tool) bool {
	isOther := func(file string) bool { return !vocabulary.SourceFiles.Has(strings.TrimPrefix(path.Ext(file), ".")) }
	var files []string
	for i := range r.commands {
		c := &r.commands[i]
		switch {
		case vocabulary.PrintingPrograms.Has(c.Program) && len(c.Things) > 0:
			read, _ := filesOf(c)
			files = append(files, read...)
		case !vocabulary.SilentCommands.Has(c.Program) && !vocabulary.FilterCommands.Has(c.Program):
			return false
		}
	}
	if r.commands == nil && vocabulary.OpeningVerbs.Has(tool.Verb) {
		files = slices.Collect(r.args.under(&vocabulary.PathKeys))
	}
	return len(files) > 0 && !slices.ContainsFunc(files, isOther)
}
