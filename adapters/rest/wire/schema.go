package wire

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Schema returns the JSON schema of a type of this package. Objects may have fields that are
// not known. What comes in requests requires only what must be there, and takes null for
// all else; what is only answered requires all that is always there.
func Schema(t reflect.Type) (*jsonschema.Schema, error) {
	known, held := valueSchemas(), map[reflect.Type]bool{}
	hold(t, held) // each schema costs, and most types hold few
	if e := reflect.TypeFor[memory.Entity](); held[e] {
		entity, err := schemaOf(e, t, known)
		if err != nil {
			return nil, err
		}
		entity.Required = []string{"id"} // the rest is made where it is missing
		known[e] = entity
	}
	for _, request := range requests() {
		if !held[request] {
			continue
		}
		s, err := schemaOf(request, t, known)
		if err != nil {
			return nil, err
		}
		known[request] = s
		if request == reflect.TypeFor[Search]() {
			known[reflect.TypeFor[SearchOrBool]()] = &jsonschema.Schema{Types: []string{"boolean", "object", "null"}, Properties: s.Properties}
		}
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := known[t]; ok {
		return s, nil
	}
	return schemaOf(t, t, known)
}

// hold adds a type and all that it is made of.
func hold(t reflect.Type, held map[reflect.Type]bool) {
	if held[t] {
		return
	}
	held[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		hold(t.Elem(), held)
	case reflect.Struct:
		for i := range t.NumField() {
			hold(t.Field(i).Type, held)
		}
	}
}

// requests are the structs that come in requests, those that others hold first.
func requests() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[ToolCall](), reflect.TypeFor[Message](), reflect.TypeFor[Memory](), reflect.TypeFor[Strategy](),
		reflect.TypeFor[TextFilter](), reflect.TypeFor[TimeFilter](), reflect.TypeFor[Search](), reflect.TypeFor[PromptSession](),
		reflect.TypeFor[ForgetPolicy](), reflect.TypeFor[SessionBody](), reflect.TypeFor[Append](), reflect.TypeFor[RecordedCall](),
		reflect.TypeFor[MemoryBody](), reflect.TypeFor[MemoryPatch](), reflect.TypeFor[Forget](), reflect.TypeFor[PromptRequest](),
	}
}

// valueSchemas are those of types that have a JSON of their own.
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

// schemaOf makes the schema of a type within a root from those that are known.
func schemaOf(t, root reflect.Type, known map[reflect.Type]*jsonschema.Schema) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: flat(t, known)})
	if err != nil {
		return nil, fmt.Errorf("wire: schema of %v: %w", t, err)
	}
	open(s)
	if t.Kind() == reflect.Struct && slices.Contains(requests(), t) {
		s.Required = nil
		for _, field := range shapeOf(t, root).list {
			if field.required {
				s.Required = append(s.Required, field.name)
			} else {
				nullable(s.Properties[field.name])
			}
		}
	}
	return s, nil
}

// flat leaves out what a struct embeds: its fields are the struct's own.
func flat(t reflect.Type, known map[reflect.Type]*jsonschema.Schema) map[reflect.Type]*jsonschema.Schema {
	if t != reflect.TypeFor[Found]() && t != reflect.TypeFor[Results]() && t != reflect.TypeFor[Prompt]() {
		return known
	}
	without := map[reflect.Type]*jsonschema.Schema{}
	for of, s := range known {
		if of != reflect.TypeFor[Memory]() {
			without[of] = s
		}
	}
	return without
}

// open lets objects have more fields than those that are known.
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

// nullable lets a value be null.
func nullable(s *jsonschema.Schema) {
	switch {
	case s == nil:
	case s.Type != "":
		s.Types, s.Type = []string{"null", s.Type}, ""
	case len(s.Types) > 0 && !slices.Contains(s.Types, "null"):
		s.Types = append([]string{"null"}, s.Types...)
	}
}
