package extractor

import (
	"path"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// settle removes what the call deleted, and marks what it ended or brought back: entities that
// its arguments name, if the result does not say otherwise. What only the result names is not
// removed, because a stranger may have written it.
func (e *extraction) settle(out *Extraction, result any) {
	tool := &e.call.Tool
	switch command := e.args.command; {
	case out.Failed && len(e.args.args) < 2 || e.args.trial:
	case command.key != nil && vocabulary.CommandKeys.Has(command.key.Snake):
		e.settleCommand(out, result, command.id)
	case tool.Effect == naming.EffectDeleted:
		named, part := e.deleted()
		if part {
			break
		}
		gone := named
		if e.keepDone(out, result, &gone) {
			out.remove(gone, *tool)
			for _, ref := range gone {
				if strings.Contains(ref.ID, "/") { // no name
					out.removeBelow(ref)
				}
			}
		}
		for i := range out.Entities {
			if found := &out.Entities[i]; isNamed(found, named) { // it goes on, and the answer is about the call
				found.Description = ""
			}
		}
	case tool.Effect != naming.EffectUpdated || vocabulary.EmptyingVerbs.Has(tool.Verb):
	case tool.Verb == "merge":
		if gone, stay := e.merged(out); len(gone) > 0 && e.keepDone(out, result, &gone) {
			out.remove(gone, *tool)
			e.show(out, stay, memory.StateActive)
		}
	case tool.Verb == "move" || tool.Verb == "rename":
		if from, to := e.moved(); from == "" {
			e.settleState(out, result)
		} else if e.keepDone(out, result, &[]memory.Ref{{ID: from}}) {
			e.movePath(out, from, to)
		}
	case tool.Restores():
		if back, part := e.deleted(); !part && e.keepDone(out, result, &back) {
			e.show(out, back, memory.StateActive)
		}
	default:
		e.settleState(out, result)
	}
}

// settleState removes or marks the subject of a call that wrote or caused a state. The result
// may state it too: {"in_trash": true}.
func (e *extraction) settleState(out *Extraction, result any) {
	end := e.call.Tool.EndState()
	if end == "" {
		end = e.args.state
	}
	if end == "" && !slices.ContainsFunc(out.Entities, func(found memory.Entity) bool { return found.State != "" }) {
		return
	}
	own, stated := e.ended(), naming.State("")
	for i := range out.Entities {
		if found := &out.Entities[i]; found.State != "" && isNamed(found, own) {
			stated = naming.State(found.State)
		}
	}
	if stated.IsGone() {
		end = stated
	}
	if len(own) == 0 && (end.IsGone() || e.call.Tool.Noun == "") {
		own, _ = e.deleted()
	}
	switch {
	case end == "" || len(own) == 0 || !e.keepDone(out, result, &own):
	case end.IsGone():
		out.remove(own, e.call.Tool)
	case stated == "" || stated == naming.Active: // what the call did is the freshest word
		e.show(out, own, string(end))
	}
}

// settleCommand removes the operands of commands that delete, and follows files that one moved.
func (e *extraction) settleCommand(out *Extraction, result any, line string) {
	var gone []memory.Ref // what commands deleted and, in places of the same index, where they moved it
	var moved, programs []string
	dir := ""
	for c := range naming.Commands(line) {
		operands := slices.DeleteFunc(c.Operands, func(s string) bool {
			return s == "" || s == "/" || s == "/*" || strings.ContainsAny(strings.TrimSuffix(s, "/*"), "*?$<>`")
		})
		last := len(operands) - 1
		switch {
		case c.Verb == "cd" && last == 0:
			dir = operands[0]
			continue
		case c.Trial || last < 0:
			continue
		case c.Verb == "mv" && last > 0:
			for _, from := range operands[:last] {
				gone, moved = append(gone, memory.Ref{ID: joined(dir, from)}), append(moved, joined(dir, target(from, operands[last], last > 1)))
			}
		case vocabulary.DeletingVerbs.Has(c.Verb):
			for _, operand := range operands {
				ref := memory.Ref{Type: c.Noun, ID: operand}
				if c.NamesFiles() {
					ref = memory.Ref{Type: "folder", ID: joined(dir, strings.TrimSuffix(operand, "/*"))} // if it is one
				}
				gone, moved = append(gone, ref), append(moved, "")
			}
		default:
			continue
		}
		programs = append(programs, c.Program+": ")
	}
	if len(gone) == 0 {
		return
	}
	o := e.outcome(gone)
	o.programs = programs
	o.read(result)
	for i, ref := range gone {
		switch {
		case !o.succeeded(i, out.Failed):
		case moved[i] != "":
			e.movePath(out, ref.ID, moved[i])
		default:
			named := ref
			if named.Type == "folder" {
				named.Type = ""
			}
			out.remove([]memory.Ref{named}, naming.Tool{})
			out.removeBelow(ref)
		}
	}
}

// joined returns a path as it is below a directory.
func joined(dir, file string) string {
	if dir == "" || path.IsAbs(file) {
		return file
	}
	return path.Join(dir, file)
}

// target returns where a file goes that is moved to a path: below it, if that is a directory.
func target(from, to string, several bool) string {
	if several || strings.HasSuffix(to, "/") || path.Ext(from) != "" && path.Ext(to) == "" {
		return path.Join(to, path.Base(from))
	}
	return to
}

// movePath removes a file from where it was and adds it where it is.
func (e *extraction) movePath(out *Extraction, from, to string) {
	out.remove([]memory.Ref{{ID: from}}, naming.Tool{})
	typ := "file"
	if noun := e.call.Tool.Noun; noun == "folder" || noun == "directory" {
		typ = noun
	}
	out.Entities = slices.DeleteFunc(out.Entities, func(found memory.Entity) bool { return found.ID == to })
	file := e.given(memory.Ref{Type: typ, ID: to}, to, "")
	file.Made = true
	out.Entities = append(out.Entities, file)
}

// given returns an entity that the call's arguments name.
func (e *extraction) given(ref memory.Ref, name, state string) memory.Entity {
	return memory.Entity{
		Type: ref.Type, ID: strings.Clone(ref.ID), Name: name, State: state, Path: argumentsPath,
		Tool: e.call.Name, Source: e.call.Tool.Source, Authority: memory.AuthorityOwn, Held: state == "" || state == memory.StateActive,
	}
}

// show gives a state to the entities that refs name, and adds those that the result does not
// hold.
func (e *extraction) show(out *Extraction, refs []memory.Ref, state string) {
	for _, ref := range refs {
		known := false
		for i := range out.Entities {
			if found := &out.Entities[i]; found.Role != memory.RoleCandidate && isNamed(found, []memory.Ref{ref}) {
				found.State, known = state, true
			}
		}
		if !known {
			out.Entities = append(out.Entities, e.given(ref, "", state))
		}
	}
}

// remove removes entities, and drops from the extraction what is left of them: a delete tool
// may answer with the page it deleted, which seed 004 would add again.
func (out *Extraction) remove(gone []memory.Ref, tool naming.Tool) {
	out.Removed = append(out.Removed, gone...)
	all := len(out.Entities)
	out.Entities = slices.DeleteFunc(out.Entities, func(e memory.Entity) bool {
		if len(gone) == 0 {
			return e.Role == memory.RoleRecord && (e.Type == tool.Noun || tool.Noun == "" && all == 1)
		}
		return isNamed(&e, gone)
	})
	if all > 0 && len(out.Entities) == 0 && len(gone) == 0 {
		out.Reason = "the result has only what was deleted, and the arguments do not name it"
	}
}

// removeBelow removes what is below a folder that is gone.
func (out *Extraction) removeBelow(gone memory.Ref) {
	if gone.Type != "folder" && gone.Type != "directory" {
		return
	}
	below := memory.Ref{Type: "folder", ID: strings.TrimSuffix(gone.ID, "/") + "/"}
	if below.ID == "/" {
		return
	}
	out.Removed = append(out.Removed, below)
	out.Entities = slices.DeleteFunc(out.Entities, func(e memory.Entity) bool { return strings.HasPrefix(e.ID, below.ID) })
}

// isNamed reports whether refs name an entity by its id or an alias.
func isNamed(e *memory.Entity, refs []memory.Ref) bool {
	return slices.ContainsFunc(refs, func(r memory.Ref) bool { return r.ID == e.ID || slices.Contains(e.Aliases, r.ID) })
}

// deleted returns what the arguments of a call that deletes or restores name: the tool's own
// subject by its id or its name, else the only thing that they name, whatever its type. A part
// that is taken out of a whole goes on, and so does the whole, and a container that is emptied;
// they are reported as such.
func (e *extraction) deleted() (refs []memory.Ref, part bool) {
	tool, args := &e.call.Tool, e.args.args
	own := e.ended()
	several := false
	var first *argument
	for i := range args {
		a := &args[i]
		if a.key == nil || vocabulary.RemarkKeys.Has(a.key.Snake) || !a.isReference(*tool) || naming.IsTrash([]byte(a.id)) {
			continue
		}
		if first == nil {
			first = a
		}
		several = several || a.key != first.key
	}
	noun := tool.Noun
	if len(own) == 0 && first != nil {
		noun = first.key.Noun
	}
	switch {
	case vocabulary.EmptyingVerbs.Has(tool.Verb) && vocabulary.EmptiedNouns.Has(naming.LastWord(noun)),
		tool.Within && (tool.Detaches || several), tool.Detaches && several:
		return nil, true
	case len(own) > 0 || first == nil || several:
		return own, false
	}
	for i := range args {
		if a := &args[i]; a.key == first.key {
			own = append(own, memory.Ref{Type: first.key.Noun, ID: a.id})
		}
	}
	return own, false
}

// ended returns the arguments that identify the tool's subject: by an identifier, else by its
// name.
func (e *extraction) ended() []memory.Ref {
	tool, args := &e.call.Tool, e.args.args
	var own, weak, names []memory.Ref
	var weakKey *naming.Key
	oneKey := true
	isNoun := func(a argument) bool {
		return a.key != nil && tool.Noun != "" && a.key.Noun != "" && english.SameNoun(a.key.Noun, tool.Noun)
	}
	named := slices.ContainsFunc(args, isNoun)
	isKindred := func(a *argument) bool {
		return !named && a.key != nil && vocabulary.Kindred(a.key.Noun, tool.Noun) && !strings.Contains(a.id, "@")
	}
	isSubject := func(a *argument) bool { return isNoun(*a) || isKindred(a) }
	for i := range args {
		a := &args[i]
		ref := memory.Ref{Type: tool.Noun, ID: a.id}
		if isKindred(a) && !strings.HasPrefix(tool.Noun, a.key.Noun+"_") {
			ref.Type = a.key.Noun
		}
		switch {
		case a.key == nil, a.key.Class == naming.ClassID, a.key.Class != naming.ClassTypedName && isSubject(a):
			own = append(own, ref)
		case !a.deep && a.key.Class == naming.ClassWeakID, vocabulary.NaturalLists.Has(a.key.Snake):
			oneKey = oneKey && (weakKey == nil || weakKey == a.key)
			weak, weakKey = append(weak, ref), a.key
		case isListOfNames(a, tool):
			own = append(own, ref)
		case a.deep || vocabulary.RemarkKeys.Has(a.key.Snake):
		case a.key.Class == naming.ClassName, a.key.Class == naming.ClassTypedName && isSubject(a):
			names = append(names, ref)
		}
	}
	switch {
	case len(own) > 0:
		return own
	case len(weak) > 0 && oneKey:
		return weak
	case tool.Effect == naming.EffectDeleted && len(names) == 1:
		return names
	}
	return nil
}

// isListOfNames reports whether an argument is an item of a list of names of what the tool is about:
// delete_nodes {"nodeNames": ["Ann Lee"]}.
func isListOfNames(a *argument, tool *naming.Tool) bool {
	of, ok := strings.CutSuffix(a.key.Snake, "names")
	return ok && (of == "" || slices.Contains(tool.Words, naming.LastWord(strings.TrimSuffix(of, "_"))))
}

// isReference reports whether an argument names a thing, by an identifier or as what it is:
// {"label": "bug"}.
func (a *argument) isReference(tool naming.Tool) bool {
	if _, ok := a.ref(tool); ok {
		return true
	}
	return a.key.Class == naming.ClassPlain && vocabulary.EntityNouns.Has(naming.LastWord(a.key.Noun))
}

// merged returns what a merge leaves behind, and what it goes on as, by the words of the
// arguments or, where they do not tell, by the record in the result.
func (e *extraction) merged(out *Extraction) (gone, stay []memory.Ref) {
	var others []memory.Ref
	for i := range e.args.args {
		a := &e.args.args[i]
		if a.key == nil || !isMergeable(a) {
			continue
		}
		ref := memory.Ref{Type: e.call.Tool.Noun, ID: a.id}
		words := strings.Split(a.key.Snake, "_")
		switch isID := a.key.Class == naming.ClassID || a.key.Class == naming.ClassTypedID; {
		case !isID && len(words) > 1 && !slices.Contains(words, "id") && !slices.Contains(words, "ids"):
		case slices.ContainsFunc(words, vocabulary.MergedWords.Has):
			gone = append(gone, ref)
		case slices.ContainsFunc(words, vocabulary.SurvivorWords.Has):
			stay = append(stay, ref)
		case isID:
			others = append(others, ref)
		}
	}
	switch {
	case len(gone) == 0 && len(stay) > 0:
		return others, stay
	case len(gone) > 0:
		return gone, append(stay, others...)
	}
	for _, ref := range others {
		if slices.ContainsFunc(out.Entities, func(found memory.Entity) bool { return found.Role == memory.RoleRecord && found.ID == ref.ID }) {
			stay = append(stay, ref)
		} else {
			gone = append(gone, ref)
		}
	}
	if len(stay) != 1 {
		return nil, nil
	}
	return gone, stay
}

// isMergeable reports whether an argument is the identifier of a record: branches and files that
// are merged go on.
func isMergeable(a *argument) bool {
	switch naming.LastWord(a.key.Noun) {
	case "branch", "ref", "sha", "commit", "file", "document", "pull_request", "merge_request":
		return false
	}
	return !shape.IsPath([]byte(a.id)) && shape.Of([]byte(a.id)) >= shape.MaybeID || shape.IsDigits([]byte(a.id))
}

// moved returns where a call moved a file from and to; empty if it does not say so.
func (e *extraction) moved() (from, to string) {
	name := ""
	for i := range e.args.args {
		a := &e.args.args[i]
		if a.key == nil || a.deep {
			continue
		}
		switch a.key.Snake {
		case "source", "src", "from", "old_path", "path", "source_path", "src_path", "from_path", "file_path", "old":
			from = a.id
		case "destination", "dest", "dst", "to", "new_path", "target", "destination_path", "dest_path", "dst_path", "to_path", "target_path", "new":
			to = a.id
		case "new_name":
			name = a.id
		}
	}
	if to == "" && name != "" && !strings.Contains(name, "/") {
		to = path.Join(path.Dir(from), name)
	}
	if !shape.IsPath([]byte(from)) || !shape.IsPath([]byte(to)) {
		return "", ""
	}
	if strings.HasSuffix(to, "/") {
		to = path.Join(to, path.Base(from))
	}
	return from, to
}
