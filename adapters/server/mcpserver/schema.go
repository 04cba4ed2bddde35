package mcpserver

import (
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// schemaOf returns the schema of the arguments of a tool. It is in the prompts of every client, so
// it leaves out what only a program needs to know: a missing argument may also be null, and
// numbers and booleans may be texts.
func schemaOf(arguments reflect.Type) (*jsonschema.Schema, error) {
	schema, err := jsonschema.ForType(arguments, &jsonschema.ForOptions{TypeSchemas: argumentTypes()})
	if err != nil {
		return nil, err
	}
	for _, property := range schema.Properties {
		shorten(property)
	}
	return schema, nil
}

// shorten leaves out null and what may be in an object besides its properties.
func shorten(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	s.AdditionalProperties = nil
	shorten(s.Items)
	for _, property := range s.Properties {
		shorten(property)
	}
}

// argumentTypes returns the schemas of types that arguments share with the HTTP API.
func argumentTypes() map[reflect.Type]*jsonschema.Schema {
	one := func(name string) *jsonschema.Schema { return &jsonschema.Schema{Type: name} }
	texts := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "array", Items: one("string")} }
	roles := one("string")
	for _, role := range messageRoles() {
		roles.Enum = append(roles.Enum, role)
	}
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[wire.Int]():   one("integer"),
		reflect.TypeFor[wire.Float](): one("number"),
		reflect.TypeFor[wire.Bool]():  one("boolean"),
		reflect.TypeFor[wire.Time]():  one("string"),
		reflect.TypeFor[wire.List]():  texts(),
		reflect.TypeFor[wire.Message](): {
			Type: "object", Required: []string{"role", "content"},
			Properties: map[string]*jsonschema.Schema{"role": roles, "content": one("string"), "id": one("string"), "created_at": one("string")},
		},
		reflect.TypeFor[wire.Memory](): {
			Type: "object", Required: []string{"text"},
			Properties: map[string]*jsonschema.Schema{
				"text": one("string"), "id": one("string"), "memory_type": one("string"), "topics": texts(), "entities": texts(), "event_date": one("string"),
			},
		},
		reflect.TypeFor[wire.ForgetPolicy](): {
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"max_age_days": one("number"), "max_inactive_days": one("number"), "hard_age_multiplier": one("number"),
				"budget": one("integer"), "memory_type_allowlist": texts(),
			},
		},
		reflect.TypeFor[wire.Strategy](): {
			Type:       "object",
			Properties: map[string]*jsonschema.Schema{"strategy": {Type: "string", Enum: []any{"discrete", "summary", "preferences", "custom", "entities"}}, "config": one("object")},
		},
	}
}
