package extractor

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/reading"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// argumentsPath is the path of entities taken from a call's arguments.
const argumentsPath = "(arguments)"

// made marks the entities that the call created or changed: the subject that its arguments name, and the
// record of the tool's noun in the result, or all such records if the noun is plural. It marks
// nothing if the result says that the call did nothing, or if the call ran a command or a query,
// because then the tool's name does not tell the effect.
func (e *extraction) made(out *Extraction, in Input, o *outcome) {
	if out.Failed || out.Action != ActionCreated && out.Action != ActionUpdated {
		return
	}
	if out.Action == ActionUpdated {
		changed, ok := o.keepDone(e.ended())
		if !ok {
			return
		}
		out.Changed = changed
	}
	noun := e.call.Tool.Noun
	files := e.givenFiles()
	if len(files) > 0 && (noun == "" || vocabulary.ContentNouns.Has(naming.LastWord(noun))) { // the answer is a sentence, or nothing
		e.add(out, files[0], files[0].ID)
	}
	e.written(out, in, o)
	isOwn := func(found memory.Entity) bool {
		return found.Authority == memory.AuthorityOwn && found.Role == memory.RoleRecord
	}
	if i := slices.IndexFunc(out.Entities, isOwn); i >= 0 && !e.call.Tool.Plural && slices.ContainsFunc(out.Entities[i+1:], isOwn) {
		return
	}
	for i := range out.Entities {
		if isOwn(out.Entities[i]) {
			out.Entities[i].Made = true
		}
	}
}

// readFiles adds the files that the arguments name, if the call read them. Their contents do not
// tell their paths.
func (e *extraction) readFiles(out *Extraction, result any) {
	tool := &e.call.Tool
	if tool.Effect != naming.EffectRead || !vocabulary.OpeningVerbs.Has(tool.Verb) || tool.Noun != "" && !slices.ContainsFunc(tool.Words, vocabulary.ContentNouns.Has) {
		return
	}
	files, report := e.givenFiles(), reading.HeadOf(result, maxOutcomeText*16)
	if len(files) < 2 && out.Failed {
		return
	}
	for _, ref := range files {
		d := deed{Ref: ref, word: ref.ID, program: ref.ID + ": "}
		if len(files) < 2 || !d.isDenied(report) {
			e.readFile(out, &d)
			continue
		}
		isIt := func(found memory.Entity) bool { return isNamed(&found, []memory.Ref{ref}) } // there may be none
		out.Entities = slices.DeleteFunc(out.Entities, isIt)
	}
}

// givenFiles returns the files that the arguments name by their paths.
func (e *extraction) givenFiles() (files []memory.Ref) {
	for _, a := range e.args.args {
		key := english.Singular(a.key.Snake)
		if (!a.deep || key != a.key.Snake) && vocabulary.PathKeys.Has(key) && shape.IsPath([]byte(a.id)) && !strings.Contains(a.id, "://") {
			files = append(files, memory.Ref{Type: "file", ID: a.id})
		}
	}
	return files
}

// spacedPaths returns the paths among arguments that have spaces.
func spacedPaths(args arguments) (paths [][]byte) {
	for _, a := range args {
		if strings.Contains(a.id, " ") && shape.IsPath([]byte(a.id)) {
			paths = append(paths, []byte(a.id))
		}
	}
	return paths
}

// directoryOf returns the path among the arguments of a call that may list what is below it, or "".
func directoryOf(args arguments, tool naming.Tool) string {
	for directory := range args.under(&vocabulary.DirectoryKeys) {
		if tool.Verb != "read" {
			return directory
		}
	}
	return ""
}

// written copies the name and the facts in the arguments to the entity that the call created or
// edited. They are newer than anything known about it, and often missing from the answer:
// {"ok": true}, an id alone, a sentence. Values in the answer's own record take precedence, because
// a tool may have changed its input.
func (e *extraction) written(out *Extraction, in Input, o *outcome) {
	creates, edits := out.Action == ActionCreated, out.Action == ActionUpdated
	isEdit := vocabulary.EditingVerbs.Has
	edits = edits && (isEdit(e.call.Tool.Verb) || slices.ContainsFunc(naming.ToolWords(e.call.Name), isEdit))
	if !creates && !edits {
		return
	}
	at, ref := -1, memory.Ref{}
	if !creates {
		if refs, _ := e.subjects(); len(refs) == 1 {
			ref = refs[0]
		}
		ref = cmp.Or(e.call.Own, ref)
		at = slices.IndexFunc(out.Entities, func(f memory.Entity) bool { return ref.ID != "" && isNamed(&f, []memory.Ref{ref}) })
	}
	if at < 0 && ref.ID == "" {
		founds := vocabulary.FoundingVerbs.Has(e.call.Tool.Verb)
		if at = e.onlyRecord(out.Entities, founds); at < 0 {
			if founds {
				e.wroteNamed(out, o)
			}
			return
		}
		out.Entities[at].Made = creates || out.Entities[at].Made
		ref = memory.Ref{Type: out.Entities[at].Type, ID: out.Entities[at].ID}
	}
	wrote, ok := e.readWritten(in.Arguments, ref)
	if !ok || wrote.Name == ref.ID || wrote.Name == "" && wrote.Description == "" {
		return
	}
	isJob := func(a argument) bool { return a.key.Snake == "title" && a.id == wrote.Name } // the title that people have at work
	if wrote.Name != "" && vocabulary.PersonNouns.Has(naming.LastWord(ref.Type)) && slices.ContainsFunc(e.args.args, isJob) {
		wrote.Name, wrote.Description = "", strings.TrimSuffix(wrote.Name+", "+wrote.Description, ", ")
	}
	says := func(noun string) bool {
		words := english.Words(wrote.Name + " " + wrote.Description)
		return slices.ContainsFunc(words, func(w string) bool { return english.SameNoun(english.Singular(w), noun) })
	}
	if noun := e.call.Tool.Noun; creates && noun != "" && at >= 0 && out.Entities[at].Place == memory.PlaceText && says(ref.Type) {
		out.Entities[at].Type = noun // "Task created: Buy birch logs (ID: 7)" is not a log
	}
	known := memory.Entity{Type: ref.Type, ID: ref.ID, Tool: e.call.Name, Source: e.call.Tool.Source, Path: argumentsPath}
	if at >= 0 {
		known = out.Entities[at]
		out.Entities = slices.Delete(out.Entities, at, at+1)
	}
	update(&known, &wrote, creates)
	out.Entities = slices.Insert(out.Entities, 0, known)
}

// wroteNamed adds the created thing under its name in the arguments, if the answer
// is only a confirmation: create_bucket {"Bucket": "exports"}.
func (e *extraction) wroteNamed(out *Extraction, o *outcome) {
	tool := e.call.Tool
	isFound := func(found memory.Entity) bool {
		return found.Role != memory.RoleCandidate || english.SameNoun(tool.Noun, found.Type)
	}
	if slices.ContainsFunc(out.Entities, isFound) {
		return
	}
	for _, a := range e.args.args {
		if a.deep || a.key.Plural || tool.Noun == "" || a.kind != document.String || !shape.IsHandle([]byte(a.id)) || vocabulary.ContentKeys.Has(a.key.Snake) {
			continue
		}
		if a.key.Class == naming.ClassName && a.key.Snake == "name" || english.SameNoun(a.key.Noun, tool.Noun) {
			if o.succeeded(a.id, false) {
				e.add(out, memory.Ref{Type: tool.Noun, ID: a.id}, a.id)
			}
			return
		}
	}
}

// update applies the written values to an entity. If a text only confirms an edit, its words are not
// the name or the description.
func update(known, wrote *memory.Entity, creates bool) {
	inRecord := known.Place == memory.PlaceRecord && known.Role == memory.RoleRecord
	if !inRecord && !creates {
		known.Name, known.Description = "", ""
	}
	if wrote.Name != "" && !(inRecord && isOwnName(known)) {
		known.Name = wrote.Name
	}
	if !inRecord || known.Description == "" {
		known.Description = wrote.Description
	} else if !creates && wrote.Description != "" {
		known.Description = withMissing(known.Description, wrote.Description)
	}
	known.Place, known.Role, known.Authority, known.Held = memory.PlaceRecord, memory.RoleRecord, memory.AuthorityOwn, true
	known.Made = true
}

// withMissing returns the known facts, preceded by the newer ones that they lack.
func withMissing(known, newer string) string {
	const separator = ", "
	missing := slices.DeleteFunc(strings.Split(newer, separator), func(fact string) bool { return strings.Contains(known, fact) })
	return strings.Join(append(missing, known), separator)
}

// isOwnName reports whether an entity has a name that is not one of its identifiers, an address
// or a state.
func isOwnName(e *memory.Entity) bool {
	return e.Name != e.ID && e.Name != e.Slug && !slices.Contains(e.Aliases, e.Name) && !strings.Contains(e.Name, "://") &&
		record.NamingOf([]byte(e.Name), e.Type, []byte(e.ID)) == record.NamesEntity
}

// onlyRecord returns the place of the thing that the call is about, or -1 if it is not clear. In
// this order it is the only record of the call's noun, the only record, the only reference that is
// no argument, and for a call that created something the only candidate of its noun, such as a
// QueueUrl. Parts of it, of other types, do not count as others.
func (e *extraction) onlyRecord(found []memory.Entity, founds bool) int {
	noun := e.call.Tool.Noun
	for _, is := range [...]func(*memory.Entity) bool{
		func(f *memory.Entity) bool {
			return f.Role == memory.RoleRecord && noun != "" && english.SameNoun(noun, f.Type)
		},
		func(f *memory.Entity) bool { return f.Role == memory.RoleRecord },
		func(f *memory.Entity) bool { return f.Role == memory.RoleReference && !e.args.has(f.ID) },
		func(f *memory.Entity) bool {
			return founds && noun != "" && english.SameNoun(noun, f.Type) && !e.args.has(f.ID)
		},
	} {
		only, several := -1, false
		for i := range found {
			f := &found[i]
			switch {
			case f.Place == memory.PlaceFieldText || f.Place == memory.PlaceView || !is(f):
			case only < 0 || isPart(&found[only], f):
				only = i
			case !isPart(f, &found[only]):
				several = true
			}
		}
		if several {
			return -1
		}
		if only >= 0 {
			return only
		}
	}
	return -1
}

// isPart reports whether an entity was found within the record of another one, of another type.
func isPart(part, whole *memory.Entity) bool {
	rest, within := strings.CutPrefix(part.Path, whole.Path)
	return within && rest != "" && (rest[0] == '.' || rest[0] == '[') && part.Type != whole.Type
}

// readWritten reads the arguments of the call as a record with an id.
func (e *extraction) readWritten(args any, ref memory.Ref) (memory.Entity, bool) {
	given := e.x.begin()
	defer e.x.end(given)
	tool := e.call.Tool
	tool.Noun = cmp.Or(ref.Type, tool.Noun)
	given.call = record.Call{Name: e.call.Name, Tool: tool, Own: ref, Arguments: true}
	given.reader.Start(&given.call, &e.signal, e.x.limits.reading(), given.keys, &given.set)
	document.Read(args, &given.reader, e.x.limits.document())
	return given.set.Record(ref.ID)
}
