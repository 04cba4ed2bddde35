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

// settle removes the entities that the call deleted, and marks those that it ended or restored. These
// are entities that the arguments name, unless the result contradicts. Entities that only the result
// names are not removed, because a stranger may have written it.
func (e *extraction) settle(out *Extraction, o *outcome) {
	tool := &e.call.Tool
	deletes := tool.Effect == naming.EffectDeleted
	switch {
	case !deletes && (tool.Effect != naming.EffectUpdated || vocabulary.EmptyingVerbs.Has(tool.Verb)):
		return
	case tool.Verb == "merge":
		gone, stay := e.merged(out)
		if kept, ok := o.keepDone(gone); ok && len(gone) > 0 {
			out.remove(kept, *tool)
			e.show(out, stay, memory.StateActive)
		}
		return
	case tool.Verb == "move" || tool.Verb == "rename":
		if from, to := e.moved(); from != "" {
			if o.succeeded(from, false) {
				typ := "file"
				if isFolder(tool.Noun) {
					typ = tool.Noun
				}
				out.remove([]memory.Ref{{ID: from}}, naming.Tool{})
				e.add(out, memory.Ref{Type: typ, ID: to}, to)
			}
			return
		}
	}
	named, part := e.subjects()
	end := e.endOf(out, named)
	switch kept, ok := o.keepDone(named); {
	case part || end == "":
		return
	case !ok || len(named) == 0 && !deletes:
	case end.IsGone():
		for _, ref := range kept {
			if noun, id := naming.Addressed(ref.ID); id != "" && strings.Contains(ref.ID, "://") && (tool.Noun == "" || english.SameNoun(noun, tool.Noun)) {
				kept = append(kept, memory.Ref{Type: noun, ID: id})
			}
			if isFolder(ref.Type) && strings.Contains(ref.ID, "/") && !isAround(ref.ID) { // no name
				kept = append(kept, below(ref.ID))
			}
		}
		out.remove(kept, *tool)
	default:
		e.show(out, kept, string(end))
	}
	for i := range out.Entities {
		if found := &out.Entities[i]; deletes && isNamed(found, named) { // it goes on, and the answer is about the call
			if found.Description = ""; found.Name != found.ID {
				found.Name = ""
			}
		}
	}
}

// endOf returns the state in which the call leaves its subject. If the result states that the subject
// is gone, {"in_trash": true}, or how else it ended, that counts; otherwise the state that the call
// caused or wrote.
func (e *extraction) endOf(out *Extraction, own []memory.Ref) naming.State {
	tool, end := &e.call.Tool, e.args.state
	switch {
	case tool.Effect == naming.EffectDeleted:
		return "deleted"
	case tool.Restores():
		return naming.Active
	case tool.EndState() != "":
		end = tool.EndState()
	}
	for i := range out.Entities {
		switch found := &out.Entities[i]; {
		case found.State == "" || !isNamed(found, own):
		case naming.State(found.State).IsGone():
			return naming.State(found.State)
		case found.State != memory.StateActive && !end.IsGone():
			end = ""
		}
	}
	return end
}

func isFolder(typ string) bool { return typ == "folder" || typ == "directory" }

// isAround reports whether a path is the root, the current folder of a shell, or a folder around it. The
// files below it are not known.
func isAround(file string) bool {
	last := path.Base(path.Clean(file))
	return last == "/" || last == "." || last == ".."
}

// target returns the new path of a file that is moved to a path, which may be a directory.
func target(from, to string, several bool) string {
	if several || to == "." || strings.HasSuffix(to, "/") || path.Ext(from) != "" && path.Ext(to) == "" {
		return path.Join(to, path.Base(from))
	}
	return to
}

// add adds a thing that the call made, as the arguments name it, in front of the others.
func (e *extraction) add(out *Extraction, ref memory.Ref, name string) {
	made := e.given(ref, name, "")
	made.Made = true
	out.Entities = slices.DeleteFunc(out.Entities, func(found memory.Entity) bool { return found.ID == ref.ID })
	out.Entities = slices.Insert(out.Entities, 0, made)
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

// remove removes entities, and drops them from the extraction: a delete tool
// may answer with the page it deleted, which seed 004 would add again.
func (out *Extraction) remove(gone []memory.Ref, tool naming.Tool) {
	for _, ref := range gone {
		if !slices.Contains(out.Removed, ref) {
			out.Removed = append(out.Removed, ref)
		}
	}
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

// below returns a ref for everything below a folder.
func below(folder string) memory.Ref {
	return memory.Ref{Type: "folder", ID: strings.TrimSuffix(folder, "/") + "/"}
}

// isNamed reports whether refs name an entity by its id or an alias, or name a folder around it.
func isNamed(e *memory.Entity, refs []memory.Ref) bool {
	return slices.ContainsFunc(refs, func(r memory.Ref) bool {
		return r.ID == e.ID || slices.Contains(e.Aliases, r.ID) || r.Type == "folder" && strings.HasSuffix(r.ID, "/") && strings.HasPrefix(e.ID, r.ID)
	})
}

// subjects returns what the arguments of a call name as what it deletes, ends or edits: the tool's own
// subject by its id or its name, else the only thing that they name, whatever its type, if the call
// deletes or restores it or the tool's noun may be a domain. A part that is taken out of a whole goes
// on, and so does the whole, and a container that is emptied; they are reported as such.
func (e *extraction) subjects() (refs []memory.Ref, part bool) {
	tool, args := &e.call.Tool, e.args.args
	own, several := e.ended(), false
	var first *argument
	for i := range args {
		a := &args[i]
		if vocabulary.RemarkKeys.Has(a.key.Snake) {
			continue
		}
		_, isReference := a.ref(*tool)
		isThing := a.key.Class == naming.ClassPlain && vocabulary.EntityNouns.Has(naming.LastWord(a.key.Noun)) // {"label": "bug"}
		if isReference = (isReference || isThing) && !naming.IsTrash([]byte(a.id)); isReference && first == nil {
			first = a
		}
		isPosition := vocabulary.PositionWords.Has(naming.LastWord(a.key.Snake)) // the second photo of a boat
		several = several || isPosition || isReference && a.key != first.key
	}
	ends := tool.Effect == naming.EffectDeleted || tool.Restores() || e.args.state.IsGone()
	isDomain := slices.ContainsFunc(tool.All[max(len(tool.All)-1, 0):], naming.IsVerb) // calendar_update
	noun := tool.Noun
	if len(own) == 0 && first != nil {
		noun = first.key.Noun
	}
	switch {
	case vocabulary.EmptyingVerbs.Has(tool.Verb) && vocabulary.EmptiedNouns.Has(naming.LastWord(noun)),
		tool.Within && (tool.Detaches || several), tool.Detaches && several:
		return nil, true
	case len(own) > 0 || first == nil || several || !ends && tool.Noun != "" && !isDomain:
		return own, false
	case tool.Plural && !first.key.Plural, vocabulary.AttributeNouns.Has(naming.LastWord(tool.Noun)): // delete_avatar {"boat_id": 12}
		return nil, true
	}
	for _, a := range args {
		if a.key == first.key {
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
	weakKeys := map[*naming.Key]bool{}
	named := slices.ContainsFunc(args, func(a argument) bool { return a.isOf(tool.Noun) })
	for _, a := range args {
		ref, isSubject := memory.Ref{Type: tool.Noun, ID: a.id}, a.isOf(tool.Noun)
		if !named && vocabulary.Kindred(a.key.Noun, tool.Noun) && !strings.Contains(a.id, "@") {
			if isSubject = true; !strings.HasPrefix(tool.Noun, a.key.Noun+"_") {
				ref.Type = a.key.Noun
			}
		}
		switch {
		case a.key.Class == naming.ClassID, a.key.Class != naming.ClassTypedName && isSubject:
			own = append(own, ref)
		case !a.deep && a.key.Class == naming.ClassWeakID, vocabulary.NaturalLists.Has(a.key.Snake):
			weak, weakKeys[a.key] = append(weak, ref), true
		case isListOfNames(&a, tool):
			own = append(own, ref)
		case !a.deep && (a.key.Class == naming.ClassName || a.key.Class == naming.ClassTypedName && isSubject):
			names = append(names, ref)
		}
	}
	switch {
	case len(own) > 0:
		return own
	case len(weakKeys) == 1:
		return weak
	case tool.Effect == naming.EffectDeleted && len(names) == 1:
		return names
	}
	return nil
}

// isListOfNames reports whether an argument is an item of a list of names of the tool's subjects:
// delete_nodes {"nodeNames": ["Ann Lee"]}.
func isListOfNames(a *argument, tool *naming.Tool) bool {
	of, ok := strings.CutSuffix(a.key.Snake, "names")
	return ok && (of == "" || slices.Contains(tool.Words, naming.LastWord(strings.TrimSuffix(of, "_"))))
}

// merged returns the entities that a merge removes, and the one that remains, by the words of the
// arguments or, if they do not tell, by the record in the result.
func (e *extraction) merged(out *Extraction) (gone, stay []memory.Ref) {
	var others []memory.Ref
	for _, a := range e.args.args {
		ref, words := memory.Ref{Type: e.call.Tool.Noun, ID: a.id}, strings.Split(a.key.Snake, "_")
		isID := a.key.IsID() || len(words) < 2 || slices.Contains(words, "id") || slices.Contains(words, "ids")
		switch {
		case !isID || !isMergeable(&a):
		case slices.ContainsFunc(words, vocabulary.MergedWords.Has):
			gone = append(gone, ref)
		case slices.ContainsFunc(words, vocabulary.SurvivorWords.Has):
			stay = append(stay, ref)
		case a.key.IsID():
			others = append(others, ref)
		}
	}
	switch {
	case len(gone) > 0:
		return gone, append(stay, others...)
	case len(stay) > 0:
		return others, stay
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

// isMergeable reports whether an argument is the identifier of a record. Branches and files still
// exist after a merge.
func isMergeable(a *argument) bool {
	id := []byte(a.id)
	return !slices.Contains([]string{"branch", "ref", "sha", "commit", "file", "document", "request"}, naming.LastWord(a.key.Noun)) &&
		(!shape.IsPath(id) && shape.Of(id) >= shape.MaybeID || shape.IsDigits(id))
}

// moved returns the old and the new path of a file that a call moved; empty if it moved none.
func (e *extraction) moved() (from, to string) {
	for _, a := range e.args.args {
		if a.deep {
			continue
		}
		switch first, _, _ := strings.Cut(a.key.Snake, "_"); first {
		case "source", "src", "from", "old", "path", "file":
			from = a.id
		case "destination", "dest", "dst", "to", "target", "new":
			to = a.id
		}
	}
	if !strings.Contains(to, "/") { // a new name
		to = path.Join(path.Dir(from), to)
	}
	if !shape.IsPath([]byte(from)) || !shape.IsPath([]byte(to)) {
		return "", ""
	}
	return from, target(from, to, false)
}
