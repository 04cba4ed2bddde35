package rest_test

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type object = map[string]any

// strict checks a document by the rules of OpenAPI 3.1: what objects may and must have.
type strict struct {
	t       *testing.T
	doc     object
	schemas object
}

// has checks the names in an object: those that must be there, and those that may.
func (s *strict) has(at string, v any, must, may []string) object {
	s.t.Helper()
	o, ok := v.(object)
	require.True(s.t, ok, "%s is no object", at)
	for _, name := range must {
		assert.Contains(s.t, o, name, at)
	}
	for name := range o {
		assert.True(s.t, slices.Contains(must, name) || slices.Contains(may, name), "%s has %s", at, name)
	}
	return o
}

func (s *strict) text(at string, v any) string {
	text, ok := v.(string)
	assert.True(s.t, ok && strings.TrimSpace(text) != "", "%s is no text", at)
	return text
}

func TestOpenAPIIsValid(t *testing.T) {
	t.Parallel()
	server := start(t, withLongTerm)
	s := &strict{t: t}
	s.doc = s.has("document", any(server.do("GET", "/openapi.json", "").is(200)), []string{"openapi", "info", "servers", "tags", "paths", "components"}, nil)
	assert.Equal(t, "3.1.0", s.doc["openapi"])
	info := s.has("info", s.doc["info"], []string{"title", "version"}, []string{"description"})
	s.text("title", info["title"])
	components := s.has("components", s.doc["components"], []string{"schemas", "securitySchemes"}, nil)
	s.schemas = components["schemas"].(object)
	tags := map[string]bool{}
	for _, tag := range s.doc["tags"].([]any) {
		tags[s.text("tag", s.has("tag", tag, []string{"name"}, []string{"description"})["name"])] = true
	}
	for name, scheme := range components["securitySchemes"].(object) {
		found := s.has(name, scheme, []string{"type", "scheme"}, []string{"description", "bearerFormat"})
		assert.Equal(t, "http", found["type"])
	}
	for name, schema := range s.schemas {
		assert.Regexp(t, `^[a-zA-Z0-9._-]+$`, name)
		s.schema(name, schema)
	}
	s.resolves("components", object{"$defs": s.schemas})
	ids := map[string]bool{}
	for path, item := range s.doc["paths"].(object) {
		assert.True(t, strings.HasPrefix(path, "/"), path)
		for method, v := range s.has(path, item, nil, []string{"get", "put", "post", "delete", "patch"}) {
			op := s.operation(method+" "+path, v)
			id := s.text("operationId", op["operationId"])
			assert.False(t, ids[id], id)
			ids[id] = true
			for _, tag := range op["tags"].([]any) {
				assert.True(t, tags[tag.(string)], tag)
			}
			for _, requirement := range op["security"].([]any) {
				for name := range requirement.(object) {
					assert.Contains(t, components["securitySchemes"], name)
				}
			}
			var declared []string
			for _, p := range op["parameters"].([]any) {
				if p := p.(object); p["in"] == "path" {
					declared = append(declared, "{"+p["name"].(string)+"}")
				}
			}
			assert.ElementsMatch(t, regexp.MustCompile(`\{[^}]*\}`).FindAllString(path, -1), declared, path)
			assert.False(t, op["requestBody"] != nil && (method == "get" || method == "delete"), "%s %s has a body", method, path)
		}
	}
}

func (s *strict) operation(at string, v any) object {
	op := s.has(at, v, []string{"operationId", "summary", "tags", "security", "responses"}, []string{"description", "parameters", "requestBody"})
	if op["parameters"] == nil {
		op["parameters"] = []any{}
	}
	seen := map[string]bool{}
	for _, v := range op["parameters"].([]any) {
		p := s.has(at, v, []string{"name", "in", "schema"}, []string{"description", "required"})
		key := p["in"].(string) + " " + s.text(at, p["name"])
		assert.False(s.t, seen[key], "%s: %s twice", at, key)
		seen[key] = true
		assert.Contains(s.t, []any{"path", "query", "header"}, p["in"], at)
		assert.Equal(s.t, p["in"] == "path", p["required"] == true, "%s: %s", at, key)
		assert.NotContains(s.t, []string{"header Accept", "header Content-Type", "header Authorization"}, key)
		s.schema(at+" "+key, p["schema"])
		s.resolves(at+" "+key, p["schema"])
	}
	if op["requestBody"] != nil {
		body := s.has(at, op["requestBody"], []string{"content", "required"}, nil)
		assert.Equal(s.t, true, body["required"], at)
		s.content(at, body["content"])
	}
	for status, v := range op["responses"].(object) {
		n, err := strconv.Atoi(status)
		assert.True(s.t, err == nil && n >= 200 && n < 600, status)
		response := s.has(at+" "+status, v, []string{"description", "content"}, []string{"headers"})
		s.text(at, response["description"])
		s.content(at+" "+status, response["content"])
		if n >= 400 {
			want := map[bool]string{true: "ValidationError", false: "Error"}[n == 422]
			assert.Equal(s.t, object{"application/json": object{"schema": object{"$ref": "#/components/schemas/" + want}}}, response["content"], at)
		}
	}
	return op
}

func (s *strict) content(at string, v any) {
	for media, v := range v.(object) {
		assert.Regexp(s.t, `^[a-z]+/[a-z+-]+(; charset=utf-8)?$`, media, at)
		m := s.has(at, v, nil, []string{"schema", "example"})
		if m["schema"] != nil {
			s.schema(at, m["schema"])
		}
	}
}

// schema checks the words of a schema, and that it can be used.
func (s *strict) schema(at string, v any) {
	if yes, ok := v.(bool); ok {
		assert.True(s.t, yes, at)
		return
	}
	o := s.has(at, v, nil, []string{"type", "properties", "required", "items", "additionalProperties", "description", "anyOf", "$ref", "minimum", "maximum", "default", "maxItems", "format", "enum"})
	types := []any{}
	switch t := o["type"].(type) {
	case string:
		types = append(types, t)
	case []any:
		types = t
		assert.Greater(s.t, len(t), 1, at)
	}
	for i, one := range types {
		assert.Contains(s.t, []any{"null", "boolean", "object", "array", "number", "string", "integer"}, one, at)
		assert.NotContains(s.t, types[:i], one, at)
	}
	properties, _ := o["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		s.schema(at+"."+name, properties[name])
	}
	required, _ := o["required"].([]any)
	for _, name := range required {
		assert.Contains(s.t, properties, name, at)
	}
	assert.True(s.t, (o["items"] != nil) == slices.Contains(types, any("array")), "%s: items are of lists", at)
	assert.True(s.t, properties == nil || slices.Contains(types, any("object")), "%s: properties are of objects", at)
	for _, name := range []string{"items", "additionalProperties"} {
		if o[name] != nil {
			s.schema(at+"."+name, o[name])
		}
	}
	if anyOf, ok := o["anyOf"].([]any); ok {
		assert.Greater(s.t, len(anyOf), 1, at)
		for i, one := range anyOf {
			s.schema(fmt.Sprintf("%s.%d", at, i), one)
		}
	}
	if ref, ok := o["$ref"].(string); ok {
		assert.Contains(s.t, s.schemas, strings.TrimPrefix(ref, "#/components/schemas/"), at)
	}
}

// resolves checks that a validator can use a schema, and that its defaults are valid.
func (s *strict) resolves(at string, schema any) {
	text, err := json.Marshal(schema)
	require.NoError(s.t, err)
	read := new(jsonschema.Schema)
	require.NoError(s.t, json.Unmarshal([]byte(strings.ReplaceAll(string(text), "#/components/schemas/", "#/$defs/")), read), at)
	_, err = read.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	require.NoError(s.t, err, at)
}

// What the server answers is as the document says, for every route and what its examples bring.
func TestAnswersAreAsDocumented(t *testing.T) {
	t.Parallel()
	server := start(t, withLongTerm)
	paths, whole := apiOf(t, server)
	var doc object
	require.NoError(t, json.Unmarshal(whole, &doc))
	server.do("PUT", "/v1/working-memory/s-1", `{"messages":[{"role":"user","content":"hello","tool_calls":[{"name":"f"}]}],"memories":[{"text":"a fact","topics":["t"]}],"data":{"a":[1]}}`).is(200)
	server.do("POST", "/v1/working-memory/s-1/tool-calls", `{"name":"list_ads","result":[{"id":"ad-17","name":"Spring","status":"PAUSED"}]}`).is(200)
	server.do("POST", "/v1/long-term-memory", `{"memories":[{"id":"m-1","text":"a fact"}]}`).is(200)
	properties := object{}
	for name := range doc["components"].(object)["schemas"].(object) {
		properties["#/components/schemas/"+name] = object{"$ref": "#/components/schemas/" + name}
	}
	text, err := json.Marshal(object{"$defs": doc["components"].(object)["schemas"], "properties": properties})
	require.NoError(t, err)
	schema := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(string(text), `"$ref":"#/components/schemas/`, `"$ref":"#/$defs/`)), schema))
	resolved, err := schema.Resolve(nil) // once for all: it takes a while
	require.NoError(t, err)
	check := func(name string, got reply, op any) {
		response, ok := op.(object)["responses"].(object)[strconv.Itoa(got.Code)].(object)
		require.True(t, ok, "%s: %d is not documented: %s", name, got.Code, got.Body)
		media, ok := response["content"].(object)[got.Header().Get("Content-Type")].(object)
		require.True(t, ok, "%s: %s is not documented", name, got.Header().Get("Content-Type"))
		if media["schema"] == nil {
			return
		}
		var body any
		require.NoError(t, json.Unmarshal(got.Body.Bytes(), &body))
		assert.NoError(t, resolved.Validate(object{media["schema"].(object)["$ref"].(string): body}), "%s: %s", name, got.Body)
	}
	for _, route := range server.handler.Routes() {
		op := doc["paths"].(object)[route.Pattern].(object)[strings.ToLower(route.Method)]
		example := ""
		if body := paths[route.Pattern][strings.ToLower(route.Method)].Body; body != nil {
			text, err := json.Marshal(body.Content["application/json"].Example)
			require.NoError(t, err)
			example = string(text)
			check(route.Pattern, server.do(route.Method, fill(route.Pattern), "{"), op)
			check(route.Pattern, server.do(route.Method, fill(route.Pattern), "{}", "Content-Type: text/plain"), op)
		}
		check(route.Pattern, server.do(route.Method, strings.ReplaceAll(fill(route.Pattern), "-1", "-none"), example), op)
		if route.Method != "DELETE" {
			check(route.Pattern, server.do(route.Method, fill(route.Pattern), example), op)
		}
	}
}

// TestEverythingIsDescribed: each field and each parameter says what it is, writes say where
// they write, and the page to read has what the document has.
func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	server := start(t, withLongTerm)
	doc := object(server.do("GET", "/openapi.json", "").is(200))
	page := server.do("GET", "/docs", "").Body.String()
	assert.Contains(t, page, "Authorization: Bearer TOKEN")
	for name, schema := range doc["components"].(object)["schemas"].(object) {
		properties, _ := schema.(object)["properties"].(object)
		for field, v := range properties {
			text, _ := v.(object)["description"].(string)
			assert.NotEmpty(t, text, "%s.%s", name, field)
			assert.Contains(t, page, html.EscapeString(text))
		}
	}
	writes := map[string]bool{"putSession": true, "appendMessages": true, "recordToolCall": true, "createMemories": true}
	for path, item := range doc["paths"].(object) {
		for _, v := range item.(object) {
			op := v.(object)
			if body, ok := op["requestBody"].(object); ok {
				assert.NotEmpty(t, body["content"].(object)["application/json"].(object)["example"], "%s has an example", path)
			}
			parameters, _ := op["parameters"].([]any)
			for _, v := range parameters {
				p := v.(object)
				text, _ := p["description"].(string)
				assert.NotEmpty(t, text, "%s %s", path, p["name"])
				assert.Contains(t, page, html.EscapeString(text))
				if name := p["name"]; name == "namespace" || name == "user_id" {
					assert.Equal(t, !writes[op["operationId"].(string)], strings.Contains(text, "that the token may see"), "%s %s", op["operationId"], name)
				}
			}
		}
	}
}
