package extractor

import (
	"bytes"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
)

// maxArguments is the number of scalars read from a call's arguments.
const maxArguments = 64

// argument is a scalar in a call's arguments.
type argument struct {
	key  *keyInfo // nil for a tool called with a bare string
	id   string
	kind document.Kind
	deep bool
}

// argumentReader is a document.Visitor that collects the scalars of a call's
// arguments.
type argumentReader struct {
	keys  *keyCache
	stack []*keyInfo
	key   *keyInfo
	args  []argument
}

func (r *argumentReader) Key(name []byte) document.Decision {
	r.key = r.keys.info(name)
	if len(r.args) >= maxArguments {
		return document.Stop
	}
	if r.key.class == classSecret {
		return document.Skip
	}
	return document.Take
}

func (r *argumentReader) Item() document.Decision {
	if len(r.args) >= maxArguments {
		return document.Stop
	}
	return document.Take
}

func (r *argumentReader) Object() { r.stack = append(r.stack, r.key) }
func (r *argumentReader) Array()  { r.stack = append(r.stack, r.key) }
func (r *argumentReader) End() {
	r.key = r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
}

func (r *argumentReader) Scalar(kind document.Kind, text []byte) {
	text = bytes.TrimSpace(text)
	if kind != document.String && kind != document.Number || !isPlausibleID(kind, text) || len(r.args) >= maxArguments {
		return
	}
	r.args = append(r.args, argument{key: r.key, id: string(text), kind: kind, deep: len(r.stack) > 1})
}

// readArguments returns the scalars of a call's arguments that can be identifiers.
// Other words among them do no harm: a context ignores uses of unknown entities.
func (f *finder) readArguments(args any) []argument {
	if args == nil {
		return nil
	}
	r := &f.args
	r.keys = f.keys
	document.Read(args, r, f.x.limits.document())
	return r.args
}

// reset empties the reader and keeps its memory.
func (r *argumentReader) reset() {
	clear(r.args)
	clear(r.stack[:cap(r.stack)])
	*r = argumentReader{stack: emptied(r.stack), args: emptied(r.args)}
}

// uses returns the entities that a call's arguments name.
func uses(args []argument, tool toolName) []memory.Ref {
	var refs []memory.Ref
	for i := range args {
		if ref, ok := args[i].ref(tool); ok {
			refs = append(refs, ref)
		}
	}
	return refs
}

// ref returns the entity that an argument names and reports whether it can name one.
func (a *argument) ref(tool toolName) (memory.Ref, bool) {
	if a.key == nil {
		return memory.Ref{Type: tool.noun, ID: a.id}, true
	}
	switch a.key.class {
	case classID, classWeakID:
		return memory.Ref{Type: tool.noun, ID: a.id}, true
	case classTypedID:
		return memory.Ref{Type: a.key.noun, ID: a.id}, true
	case className, classTypedName, classPlain, classNoise:
		if tool.noun != "" && a.key.noun == tool.noun { // delete_branch {"branch": "fix-1"}
			return memory.Ref{Type: tool.noun, ID: a.id}, true
		}
		s := shapeOf([]byte(a.id))
		return memory.Ref{Type: a.key.noun, ID: a.id}, s >= likelyID || s == maybeID && a.kind == document.String && len(a.id) >= 3
	}
	return memory.Ref{}, false
}

// kindArgument returns the type named by an argument of a tool that works on any kind
// of resource, as in kubectl_get {"resource": "pods"}. It is empty if there is no
// such argument.
func kindArgument(args []argument) string {
	for i := range args {
		a := &args[i]
		if a.key != nil && !a.deep && a.kind == document.String && kindKeys.has(a.key.snake) {
			if typ := plausibleType([]byte(a.id)); typ != "" {
				return typ
			}
		}
	}
	return ""
}

// kindKeys are the names of arguments that hold a type.
var kindKeys = wordSet{list: `resource kind object object_type object_name entity entity_type entity_name
	resource_type resource_kind record_type sobject sobject_type sobject_name table table_name collection module item_type`}

// ownArgument returns the argument that identifies the tool's subject: user_id or id
// for get_user. It is the zero Ref unless there is exactly one.
func ownArgument(args []argument, tool toolName) memory.Ref {
	var own, generic []string
	for i := range args {
		a := &args[i]
		switch {
		case a.deep:
		case a.key == nil, a.key.class == classID && !a.key.plural:
			generic = append(generic, a.id)
		case a.key.class == classTypedID && !a.key.plural && tool.noun != "" && sameNoun(a.key.noun, tool.noun):
			own = append(own, a.id)
		}
	}
	if len(own) == 0 {
		own = generic
	}
	if len(own) != 1 {
		return memory.Ref{}
	}
	return memory.Ref{Type: tool.noun, ID: own[0]}
}

// ownArguments returns all arguments that identify the tool's subject.
func ownArguments(args []argument, tool toolName) []memory.Ref {
	var own, others []memory.Ref
	for i := range args {
		a := &args[i]
		ref, ok := a.ref(tool)
		switch {
		case !ok:
		case a.key == nil, a.key.class == classID, tool.noun != "" && a.key.noun != "" && sameNoun(a.key.noun, tool.noun):
			own = append(own, memory.Ref{Type: tool.noun, ID: a.id})
		case a.key.class == classWeakID:
			others = append(others, memory.Ref{Type: tool.noun, ID: a.id})
		case tool.noun == "" && !slices.Contains(tool.words, lastWord(ref.Type)): // not the cart of remove_from_cart
			others = append(others, ref)
		}
	}
	if len(own) == 0 && len(others) == 1 { // archive {"thread": "t_81"}
		return others
	}
	return own
}
