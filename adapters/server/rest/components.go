package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// Names of the schemas of errors.
const (
	errorName   = "Error"
	invalidName = "ValidationError"
	fieldName   = "FieldError"
)

// components are the schemas of the wire's types. A type within another is a reference.
type components struct {
	wire    *wire.Schemas
	schemas map[string]*jsonschema.Schema
	byType  map[reflect.Type]string
	byShape map[string]string // by the JSON of the inlined schema, without its description
}

func newComponents(routes []route) (*components, error) {
	known, err := wire.NewSchemas()
	if err != nil {
		return nil, err
	}
	c := &components{wire: known, schemas: map[string]*jsonschema.Schema{}, byType: map[reflect.Type]string{}, byShape: map[string]string{}}
	for i := range routes {
		for _, t := range []reflect.Type{routes[i].in, routes[i].out} {
			if err := c.collect(t); err != nil {
				return nil, err
			}
		}
	}
	if err := c.collect(reflect.TypeFor[wire.FieldError]()); err != nil {
		return nil, err
	}
	for name, schema := range c.schemas {
		if err := c.shorten(schema, name); err != nil {
			return nil, err
		}
	}
	c.schemas[errorName] = detailOf(&jsonschema.Schema{Type: "string", Description: "description of the error"})
	c.schemas[invalidName] = detailOf(&jsonschema.Schema{Type: "array", Description: "the invalid values", Items: reference(fieldName)})
	return c, nil
}

// schemaOf returns the schema of a type that was collected, or of a list of it.
func (c *components) schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	if t.Kind() == reflect.Slice {
		items, err := c.schemaOf(t.Elem())
		return &jsonschema.Schema{Type: "array", Items: items}, err
	}
	name, ok := c.byType[t]
	if !ok {
		return nil, fmt.Errorf("type %v has no schema", t)
	}
	return reference(name), nil
}

// collect adds the schemas of a struct and of the structs within it.
func (c *components) collect(t reflect.Type) error {
	for t != nil && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array}, t.Kind()) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || c.byType[t] != "" {
		return nil
	}
	schema, err := c.wire.Of(t)
	if err != nil {
		return fmt.Errorf("schema of %v: %w", t, err)
	}
	if schema.Type != "object" {
		return nil // a value, such as a time
	}
	name := t.Name()
	if c.schemas[name] != nil {
		return fmt.Errorf("two types are called %s", name)
	}
	shape, err := shapeOf(schema)
	if err != nil {
		return err
	}
	c.schemas[name], c.byType[t], c.byShape[shape] = schema, name, name
	for i := range t.NumField() {
		if field := t.Field(i); field.IsExported() && field.Tag.Get("json") != "-" {
			if err := c.collect(field.Type); err != nil {
				return err
			}
		}
	}
	return nil
}

// shorten replaces the components within a schema by references. self is the name of the schema.
func (c *components) shorten(schema *jsonschema.Schema, self string) error {
	if schema == nil {
		return nil
	}
	if schema.Type == "object" || slices.Contains(schema.Types, "object") {
		shape, err := shapeOf(schema)
		if err != nil {
			return err
		}
		if name := c.byShape[shape]; name != "" && name != self {
			*schema = *named(name, schema)
			return nil
		}
	}
	below := append(slices.Concat(schema.AnyOf, schema.OneOf, schema.AllOf), schema.Items, schema.AdditionalProperties)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		below = append(below, schema.Properties[name])
	}
	for _, s := range below {
		if err := c.shorten(s, ""); err != nil {
			return err
		}
	}
	return nil
}

// named returns a reference to a component, with the other types that schema allows.
func named(name string, schema *jsonschema.Schema) *jsonschema.Schema {
	s := reference(name)
	if len(schema.Types) > 1 {
		s = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s}}
		for _, other := range schema.Types {
			if other != "object" {
				s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: other})
			}
		}
	}
	s.Description = schema.Description
	return s
}

// shapeOf returns a text that is equal for schemas of the same type, nullable or not.
func shapeOf(schema *jsonschema.Schema) (string, error) {
	plain := *schema
	plain.Description, plain.Type, plain.Types, plain.PropertyOrder = "", "object", nil, nil
	data, err := json.Marshal(&plain)
	return string(data), err
}

func reference(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

func detailOf(detail *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: []string{"detail"}, Properties: map[string]*jsonschema.Schema{"detail": detail}}
}
