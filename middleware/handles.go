package middleware

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Handles returns the handles that a model may see: in a stored session, those that are stored.
// It returns nil, whose methods change nothing, without Options.Handles.
func (r *Recorder) Handles() *handle.Table { return r.setUpBacking().handles() }

// EncodeResult returns a result, or another value, with handles in place of ids, as the model is
// to see it: see handle.Table.EncodeValue. Record the result first.
func (r *Recorder) EncodeResult(result any) any { return r.Handles().EncodeValue(result) }

// DecodeArguments returns the arguments of a tool call with ids in place of handles: see
// handle.Table.DecodeArguments. Handles that the user typed without there being any of their type
// are literals. If a handle is unknown here, the stored session is read again, because another
// process may have given it out. Errors: *handle.UnknownError; the tool must not be called, and
// the text of the error is what the model should get as its result.
func (r *Recorder) DecodeArguments(ctx context.Context, arguments any) (any, error) {
	r.setUpBacking()
	if r.issue == nil {
		return arguments, nil
	}
	decoded, err := r.Handles().DecodeArguments(arguments, r.typed.has)
	if _, unknown := errors.AsType[*handle.UnknownError](err); !unknown || r.setUpBacking().refresh(ctx) != nil {
		return decoded, err
	}
	return r.Handles().DecodeArguments(arguments, r.typed.has)
}

// Decode returns a text, such as the model's answer, with ids in place of handles.
func (r *Recorder) Decode(text string) string { return r.Handles().Decode(text) }

// DecodeNames is like Decode with the names of the entities, in quotation marks, where they are
// known. Names are texts of strangers.
func (r *Recorder) DecodeNames(text string) string {
	wc := r.Context()
	return r.Handles().Replace(text, func(_, id string) string {
		if e, ok := wc.Get(memory.Ref{ID: id}); ok && e.Name != "" {
			return `"` + e.Name + `"`
		}
		return id
	})
}

// withIDs returns a call with ids in place of handles in its arguments. It reads a stored session
// again if the call has handles that are unknown here.
func (r *Recorder) withIDs(ctx context.Context, call ToolCall) ToolCall {
	t := r.Handles()
	if t == nil {
		return call
	}
	if t.HasUnknown(call.Arguments) || t.HasUnknown(call.Result) {
		_ = r.setUpBacking().refresh(ctx)
		t = r.Handles()
	}
	if decoded, err := t.DecodeArguments(call.Arguments, func(string) bool { return true }); err == nil {
		call.Arguments = decoded
	}
	return call
}

// withoutHandles returns what was found in a result without entities whose ids are known handles.
// In the messages of another process these entities are known. In what a tool returned, a stranger
// may have guessed them.
func (r *Recorder) withoutHandles(found extractor.Extraction) extractor.Extraction {
	t := r.Handles()
	if t.Len() == 0 {
		return found
	}
	isHandle := func(id string) bool {
		_, known := t.ID(strings.ToLower(id))
		return known
	}
	found.Entities = slices.DeleteFunc(slices.Clone(found.Entities), func(e memory.Entity) bool { return isHandle(e.ID) })
	for i := range found.Entities {
		e := &found.Entities[i]
		e.Aliases = slices.DeleteFunc(slices.Clone(e.Aliases), isHandle)
	}
	return found
}

// effectsOf returns what a call changes, with handles for what was found and for a result that is
// to be stored.
func (r *Recorder) effectsOf(call *ToolCall, found extractor.Extraction, large *largeResult) effects {
	eff := effects{found: found}
	shown := call.Result
	if call.Err != nil {
		shown = call.Err.Error()
	}
	switch {
	case r.issue != nil:
		eff.handles = r.issue.ChangeFor(shown, found.Entities, found.Used)
	case r.shelf != nil:
		eff.handles = new(handle.Options).ChangeFor(shown, nil, nil)
	}
	if large != nil {
		eff.handles.IDs = append(eff.handles.IDs, large.ref)
	}
	return eff
}

// WithHandles returns the content of a block with handles in place of ids, for programs that
// render blocks themselves. The content is not modified.
func WithHandles(t *handle.Table, c prompt.Content) prompt.Content {
	if t.Len() == 0 {
		return c
	}
	c.Focus = c.Focus.MapIDs(func(id string) string { return t.Encode(t.Decode(id)) })
	c.Entities, c.Candidates = withHandles(t, c.Entities), withHandles(t, c.Candidates)
	c.Notes = slices.Clone(c.Notes)
	for i := range c.Notes {
		c.Notes[i].Text = t.Encode(c.Notes[i].Text)
	}
	return c
}

// withHandles returns entities with handles in place of ids.
func withHandles(t *handle.Table, entities []memory.Entity) []memory.Entity {
	entities = slices.Clone(entities)
	for i := range entities {
		e := &entities[i]
		e.ID, e.Preferred = t.Encode(e.ID), t.Encode(e.Preferred)
		e.Name, e.Description = t.Encode(e.Name), t.Encode(e.Description)
		e.Aliases = slices.Clone(e.Aliases)
		for j := range e.Aliases {
			e.Aliases[j] = t.Encode(e.Aliases[j])
		}
	}
	return entities
}

// maxTyped is the number of literals that are kept, the last ones.
const maxTyped = 64

// literals are texts in the form of handles that mean themselves.
type literals struct {
	mu   sync.Mutex
	last []string
}

// add adds the literals of a user's message whose types have no handles.
func (l *literals) add(t *handle.Table, message string) {
	found := t.UnknownIn(message)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = append(l.last, found...)
	l.last = l.last[max(0, len(l.last)-maxTyped):]
}

func (l *literals) has(literal string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.last, literal)
}
