package wire

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Schemas returns JSON schemas of the types of this package and of structs that contain them.
// It is safe for concurrent use.
type Schemas struct {
	known map[reflect.Type]*jsonschema.Schema
}

// NewSchemas returns Schemas that have the types of requests.
func NewSchemas() (*Schemas, error) {
	s := &Schemas{known: valueSchemas()}
	for _, known := range []struct {
		t     reflect.Type
		texts map[string]string
	}{{reflect.TypeFor[memory.Origin](), originTexts}, {reflect.TypeFor[memory.Entity](), entityTexts}} {
		schema, err := s.make(known.t, nil)
		if err != nil {
			return nil, err
		}
		for name, text := range known.texts {
			schema.Properties[name].Description = text
		}
		s.known[known.t] = schema
	}
	s.known[reflect.TypeFor[memory.Entity]()].Required = []string{"id"} // the rest has defaults
	for _, request := range requests() {
		within := s
		if request == reflect.TypeFor[MemoryBody]() { // its memories must have ids
			memory, err := s.make(reflect.TypeFor[Memory](), request)
			if err != nil {
				return nil, err
			}
			within = &Schemas{known: maps.Clone(s.known)}
			within.known[reflect.TypeFor[Memory]()] = memory
		}
		schema, err := within.make(request, request)
		if err != nil {
			return nil, err
		}
		s.known[request] = schema
		if request == reflect.TypeFor[Search]() {
			s.known[reflect.TypeFor[SearchOrBool]()] = &jsonschema.Schema{Types: []string{"boolean", "object", "null"}, Properties: schema.Properties}
		}
	}
	return s, nil
}

// entityTexts and originTexts describe the fields of an entity and of its origins, which have
// no jsonschema tags.
var (
	entityTexts = map[string]string{
		"type":        "what kind of thing it is: singular, lower case, such as page or pull_request",
		"id":          "what tools take as an argument",
		"name":        "its name; may be empty",
		"slug":        "the last part of its address, if it has one",
		"timestamp":   "when it was last accessed",
		"description": "a short text that distinguishes it from others",
		"state":       "how it ended: cancelled, closed; empty if it did not",
		"role":        "its role in the result",
		"tool":        "the tool that returned it first; empty for an entity of the program",
		"path":        "its place in that result, such as $.pages[0]",
		"uses":        "how many later calls took its id as an argument",
		"repeats":     "how many later results had it again",
		"aliases":     "further ids of the same thing, the most useful first",
		"preferred":   "the alias to show first, if any",
		"source":      "the MCP server or namespace of that tool",
		"place":       placeText,
		"authority":   authorityText,
		"typed_by":    "where its type came from, if not from that call",
		"named_by":    "where its name came from, if not from that call",
		"held":        "whether a call took its id or was made to get it, or a message mentioned it; such entities are evicted last",
		"made":        "whether a call created or changed it",
	}
	originTexts = map[string]string{
		"tool":      "the tool that said it",
		"source":    "the MCP server or namespace of that tool",
		"role":      "the role of the entity in the result of that tool",
		"place":     placeText,
		"authority": authorityText,
	}
)

const (
	placeText     = "the kind of place in the result: empty for a field of data, text, field_text for a text in a field, or view for an element of a screen"
	authorityText = "what the call may change of an entity that is known: empty for all, own for a tool about such entities, or none"
)

// Of returns the schema of a type, which the caller may change. Objects may have unknown
// fields. A type of requests requires only the fields that requests must have, and all others
// may be null; a type of answers requires all fields that answers always have.
func (s *Schemas) Of(t reflect.Type) (*jsonschema.Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if known, ok := s.known[t]; ok {
		return known.CloneSchemas(), nil
	}
	return s.make(t, t)
}

// requests returns the structs of requests, each after those that it contains.
func requests() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[ToolCall](), reflect.TypeFor[Message](), reflect.TypeFor[Memory](), reflect.TypeFor[Strategy](),
		reflect.TypeFor[TextFilter](), reflect.TypeFor[TimeFilter](), reflect.TypeFor[Search](), reflect.TypeFor[PromptSession](),
		reflect.TypeFor[ForgetPolicy](), reflect.TypeFor[SessionBody](), reflect.TypeFor[Append](), reflect.TypeFor[RecordedCall](), reflect.TypeFor[CallArguments](),
		reflect.TypeFor[MemoryBody](), reflect.TypeFor[MemoryPatch](), reflect.TypeFor[Forget](), reflect.TypeFor[PromptRequest](),
		reflect.TypeFor[SummaryViewBody](), reflect.TypeFor[SummaryGroup](), reflect.TypeFor[SummaryRun](),
	}
}

// valueSchemas returns the schemas of types with a JSON form of their own.
func valueSchemas() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Int]():   {Types: []string{"integer", "string"}},
		reflect.TypeFor[Float](): {Types: []string{"number", "string"}},
		reflect.TypeFor[Bool]():  {Types: []string{"boolean", "string", "integer"}},
		reflect.TypeFor[Flag]():  {Types: []string{"string", "boolean", "integer"}},
		reflect.TypeFor[Time]():  {Types: []string{"string", "number"}},
		reflect.TypeFor[List]():  {Types: []string{"array", "null"}, Items: &jsonschema.Schema{Type: "string"}},
	}
}

// make returns the schema of a type within a request of type root, made of the known ones.
func (s *Schemas) make(t, root reflect.Type) (*jsonschema.Schema, error) {
	made, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: s.parts(t)})
	if err != nil {
		return nil, fmt.Errorf("wire: schema of %v: %w", t, err)
	}
	open(made)
	s.tighten(made, t)
	if slices.Contains(requests(), t) {
		made.Required = nil
		for _, field := range shapeOf(t, root).list {
			if field.required {
				made.Required = append(made.Required, field.name)
			} else {
				nullable(made.Properties[field.name])
			}
		}
	}
	return made, nil
}

// parts returns the known schemas for the fields of t. It leaves out t itself and the type that
// t embeds, whose fields become its own.
func (s *Schemas) parts(t reflect.Type) map[reflect.Type]*jsonschema.Schema {
	parts := maps.Clone(s.known)
	delete(parts, t)
	if t == reflect.TypeFor[Found]() || t == reflect.TypeFor[Results]() || t == reflect.TypeFor[Prompt]() {
		delete(parts, reflect.TypeFor[Memory]())
	}
	return parts
}

// tighten narrows the required fields of an answer to what Encode writes: a list is never null,
// and a time is a text. It skips known types, which requests may have too.
func (s *Schemas) tighten(made *jsonschema.Schema, t reflect.Type) {
	if t.Kind() != reflect.Struct || made == nil {
		return
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := made.Properties[name]
		if field == nil || !slices.Contains(made.Required, name) {
			continue
		}
		_, known := s.known[f.Type]
		switch {
		case f.Type == reflect.TypeFor[Time]():
			field.Type, field.Types, field.Format = "string", nil, "date-time"
		case f.Type.Kind() == reflect.Slice && !known:
			field.Type, field.Types = "array", nil
			if _, known := s.known[f.Type.Elem()]; !known {
				s.tighten(field.Items, f.Type.Elem())
			}
		case !known:
			s.tighten(field, f.Type)
		}
	}
}

// open allows objects to have unknown fields.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	open(s.Items)
	for _, property := range s.Properties {
		open(property)
	}
}

// nullable allows a value to be null.
func nullable(s *jsonschema.Schema) {
	switch {
	case s == nil:
	case s.Type != "":
		s.Types, s.Type = []string{"null", s.Type}, ""
	case len(s.Types) > 0 && !slices.Contains(s.Types, "null"):
		s.Types = append([]string{"null"}, s.Types...)
	}
}
