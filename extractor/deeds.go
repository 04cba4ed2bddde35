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

// deed is the effect of a command, a patch or a query on one thing.
type deed struct {
	memory.Ref
	did     act
	word    string // how the command names the thing; empty if only its output does
	program string // how the messages of the command begin: "rm: "
	// inResult is set for a rule that reads the identifier of what was made in the result.
	inResult bool
}

// act is what was done to a thing.
type act uint8

const (
	didRead act = iota
	didWrite
	didMake // by a rule: the result reports failures
	didRemove
	didMove // the next deed has the destination
)

// maxDeeds is the number of deeds of a call that are followed.
const maxDeeds = 32

// settleCommand adds the files that the call's commands read and write and the things that they make, and
// removes the things that they delete or move.
func (e *extraction) settleCommand(out *Extraction, rules []match, result any) {
	deeds, report := e.args.deeds, reading.HeadOf(result, maxOutcomeText*16)
	for i := range e.args.commands {
		c := &e.args.commands[i]
		e.useWords(out, c)
		if c.Background {
			e.addJob(out, c, report)
		}
		deeds = append(deeds, deedsOf(c, rules)...)
	}
	if deeds = deeds[:min(len(deeds), maxDeeds)]; len(deeds) == 0 {
		return
	}
	alone := len(e.args.commands) < 2
	succeeded := false
	for i := range deeds {
		d := &deeds[i]
		if i > 0 && deeds[i-1].did == didMove && !succeeded {
			continue
		}
		succeeded = !d.isDenied(report) && !(out.Failed && (alone || d.did >= didMake))
		if succeeded {
			e.carryOut(out, d)
		}
	}
}

// carryOut applies a deed to an extraction.
func (e *extraction) carryOut(out *Extraction, d *deed) {
	switch d.did {
	case didRead:
		e.readFile(out, d)
	case didMake:
		isIt := func(found memory.Entity) bool {
			return found.Type == d.Type && (found.ID == d.ID || d.inResult && found.Role == memory.RoleRecord)
		}
		own := slices.IndexFunc(out.Entities, isIt)
		if own >= 0 {
			found := &out.Entities[own]
			if found.Made = true; found.Name == "" || found.Name == found.ID {
				found.Name = d.ID
			}
		}
		if own >= 0 || d.word == "" { // beyond the limits, a thing in the output is not kept
			return
		}
		fallthrough
	case didWrite:
		e.add(out, d.Ref, d.ID)
		out.Entities[0].Aliases = d.aliases()
	default:
		gone := []memory.Ref{d.Ref}
		for _, alias := range d.aliases() {
			gone = append(gone, memory.Ref{ID: alias})
		}
		if d.Type == "" && d.word != d.program { // a folder too
			gone = append(gone, below(d.ID))
		}
		if word := d.word; d.Type == "" && strings.Contains(word, "/") && word[0] != '/' && word[0] != '.' { // as find . shows it
			gone = append(gone, memory.Ref{ID: "./" + word})
		}
		out.remove(gone, naming.Tool{})
	}
}

// readFile adds a file that a command read, unless the result has it.
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

// aliases returns the relative path of a file, if it includes a folder.
func (d *deed) aliases() []string {
	if word := strings.TrimPrefix(d.word, "./"); word != d.ID && strings.Contains(word, "/") && !strings.HasPrefix(word, "..") {
		return []string{strings.Clone(word)}
	}
	return nil
}

// isDenied reports whether an error message names the thing: "cat: a.py: No such file".
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

// addJob adds the process of a command in the background, named by the command. Its number is printed by
// the shell, "[1] 48213", or by the line itself with $!.
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

// useWords adds the words of a command to the used ids, unless they may be secrets.
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

// deedsOf returns the effects of a command on its operands, by rules or by its name, and on the files of its
// redirections.
func deedsOf(c *naming.Command, rules []match) (deeds []deed) {
	if c.Trial || c.Conditional {
		return nil
	}
	for i := range rules {
		if rules[i].command == c {
			deeds = append(deeds, rules[i].deeds()...)
		}
	}
	program := c.Program + ": "
	add := func(did act, typ, word string) {
		id := c.Path(strings.TrimPrefix(word, "./"))
		deeds = append(deeds, deed{Ref: memory.Ref{Type: typ, ID: id}, did: did, word: word, program: program})
	}
	each := func(did act, words ...string) {
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
	moves, copies := c.Verb == "mv", vocabulary.CopyingPrograms.Has(c.Program)
	switch {
	case len(deeds) > 0:
	case (moves || copies) && last > 0:
		for _, from := range things[:last] {
			to := target(from, things[last], last > 1)
			if moves {
				add(didMove, "", from)
				add(didWrite, "file", to)
			} else {
				each(didRead, from)
				each(didWrite, to)
			}
		}
	case vocabulary.DeletingVerbs.Has(c.Verb) && c.NamesFiles():
		for _, file := range things {
			if file = strings.TrimSuffix(file, "/*"); !isAround(file) && !isAround(c.Path(file)) {
				add(didRemove, "", file)
			}
		}
	case vocabulary.DeletingVerbs.Has(c.Verb):
		for _, thing := range things {
			deeds = append(deeds, deed{Ref: memory.Ref{Type: c.Noun, ID: thing}, did: didRemove, word: program, program: program})
		}
	case vocabulary.WritingPrograms.Has(c.Program):
		each(didWrite, things...)
	case vocabulary.ReadingPrograms.Has(strings.ToLower(c.Program)):
		did, files := didRead, filesOf(c)
		if changesInPlace(c) {
			did = didWrite
		}
		each(did, files...)
	}
	if vocabulary.QueryPrograms.Has(c.Program) {
		for _, text := range append(slices.Clone(c.Words), c.Input) {
			deeds = append(deeds, deedsOfQuery(text)...)
		}
	}
	each(didRead, c.Reads...)
	each(didWrite, c.Writes...)
	if output, ok := c.Flag(vocabulary.OutputFlags...); ok {
		each(didWrite, output)
	}
	if strings.Contains(c.Program, "patch") { // others only pass it on: cat > notes.md <<EOF
		for _, text := range append(slices.Clone(c.Words), c.Input) {
			deeds = appendPatched(deeds, c.Dir, []byte(text))
		}
	}
	return deeds
}

// filesOf returns the files among the operands of a program that reads files.
func filesOf(c *naming.Command) []string {
	isOperand := vocabulary.ScriptedPrograms.Has(c.Program) // the script
	files := c.Operands(func(flag string) bool {
		isScript := vocabulary.ScriptedPrograms.Has(c.Program) && (flag == "-f" || flag == "--expression" || flag == "-e" && c.Program != "jq")
		isOperand = isOperand && !isScript
		return isScript
	})
	if isOperand && len(files) > 0 {
		return files[1:]
	}
	return files
}

// changesInPlace reports whether a program changes its files in place: sed -i, perl -pi.
func changesInPlace(c *naming.Command) bool {
	letter := vocabulary.InPlaceFlag(c.Program)
	return letter != "" && slices.ContainsFunc(c.Words, func(word string) bool {
		return word == "--in-place" || len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.Contains(word[:min(len(word), 4)], letter)
	})
}

// isFileName reports whether a word of a command is the name of one file or folder.
func isFileName(word string) bool {
	base := path.Base(word)
	isHidden := len(base) > 1 && base[0] == '.' && shape.IsLetter(base[1])
	return len(word) <= shape.MaxID && (isHidden || shape.IsPath([]byte(strings.TrimPrefix(word, "./")))) && !isAround(word) &&
		!strings.Contains(word, "://") && !strings.ContainsAny(word, "*?$<>|;`\"'{}()[]=,\n\t") && !strings.HasPrefix(word, "/dev/")
}

// appendPatched adds the effects of a patch on files: "*** Update File: a.py".
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

// deedsOfQuery returns the effects of the statements of a query, which read, create, drop and rename things.
func deedsOfQuery(query string) (deeds []deed) {
	for statement := range strings.SplitSeq(query[:min(len(query), maxCommandBytes)], ";") {
		add := func(did act, noun string, words ...string) {
			for _, word := range words {
				deeds = append(deeds, deed{Ref: memory.Ref{Type: noun, ID: word}, did: did, word: word})
			}
		}
		add(didRead, "table", naming.Tables(statement)...)
		words := strings.FieldsFunc(statement, func(r rune) bool { return strings.ContainsRune(" \t\r\n,\"'`[](", r) })
		is := func(i int, set *vocabulary.Set) bool { return i < len(words) && set.Has(strings.ToLower(words[i])) }
		if !is(0, &vocabulary.SchemaVerbs) {
			continue
		}
		at := 1
		for at < 5 && !is(at, &vocabulary.SchemaNouns) {
			at++
		}
		name := at + 1
		for is(name, &vocabulary.TableModifiers) {
			name++
		}
		if at == 5 || name >= len(words) {
			continue
		}
		verb, noun, names := strings.ToLower(words[0]), english.Singular(strings.ToLower(words[at])), words[name:]
		to := slices.IndexFunc(names, func(word string) bool { return strings.EqualFold(word, "to") })
		switch renames := verb == "rename" || len(names) > 2 && strings.EqualFold(names[1], "rename"); {
		case renames && (to == 1 || to == 2) && to+1 < len(names):
			add(didMove, noun, names[0])
			add(didWrite, noun, names[to+1])
		case verb == "create":
			add(didWrite, noun, names[0])
		case verb == "drop":
			for i, word := range names {
				if !is(name+i, &vocabulary.SchemaModifiers) {
					add(didRemove, noun, word)
				}
			}
		}
	}
	return deeds
}

// readsSource reports whether a call prints the source code of programs and nothing else. The call names
// their files.
func (r *argumentReader) readsSource(tool naming.Tool) bool {
	isOther := func(file string) bool { return !vocabulary.SourceFiles.Has(strings.TrimPrefix(path.Ext(file), ".")) }
	var files []string
	for i := range r.commands {
		c := &r.commands[i]
		switch {
		case vocabulary.PrintingPrograms.Has(c.Program) && len(c.Things) > 0:
			files = append(files, filesOf(c)...)
		case !vocabulary.SilentCommands.Has(c.Program) && !vocabulary.FilterCommands.Has(c.Program):
			return false
		}
	}
	if r.commands == nil && vocabulary.OpeningVerbs.Has(tool.Verb) {
		files = slices.Collect(r.args.under(&vocabulary.PathKeys))
	}
	return len(files) > 0 && !slices.ContainsFunc(files, isOther)
}
