package rest_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// apiSpec is the part of an OpenAPI document that the tests read.
type apiSpec struct {
	OpenAPI    string
	Paths      map[string]map[string]apiOperation
	Components struct {
		Schemas map[string]map[string]any
	}
}

type apiOperation struct {
	ID         string `json:"operationId"`
	Summary    string
	Security   []map[string][]string
	Parameters []struct{ Name, In, Description string }
	Body       *struct{ Content map[string]apiContent } `json:"requestBody"`
	Responses  map[string]struct {
		Description string
		Content     map[string]apiContent
	}
}

type apiContent struct {
	Schema  map[string]any
	Example any
}

func specOf(t *testing.T, s *server) *apiSpec {
	t.Helper()
	spec := new(apiSpec)
	require.NoError(t, json.Unmarshal(s.do("GET", "/openapi.json", "").Body.Bytes(), spec))
	return spec
}

// The document has every route, once, with all of its parameters, and describes each of them, as
// the page does.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	spec, page := specOf(t, s), s.do("GET", "/docs", "").Body.String()
	assert.Equal(t, "3.1.0", spec.OpenAPI)
	wildcard, ids, count := regexp.MustCompile(`\{\w+\}`), map[string]bool{}, 0
	writes := map[string]bool{"putSession": true, "appendMessages": true, "recordToolCall": true, "createMemories": true}
	for _, route := range s.handler.Routes() {
		name := route.Method + " " + route.Pattern
		assert.Contains(t, page, "<h3>"+name+"</h3>")
		op, ok := spec.Paths[route.Pattern][strings.ToLower(route.Method)]
		require.True(t, ok, name)
		assert.False(t, ids[op.ID], "%s is there twice", op.ID)
		ids[op.ID] = true
		assert.NotEmpty(t, op.Summary, name)
		assert.Equal(t, route.Auth == "open", len(op.Security) == 0, name)
		assert.Equal(t, route.Auth != "open", op.Responses["401"].Description != "", name)
		var declared []string
		for _, p := range op.Parameters {
			if p.In == "path" {
				declared = append(declared, "{"+p.Name+"}")
			}
			assert.NotEmpty(t, p.Description, "%s %s", name, p.Name)
			assert.Contains(t, page, html.EscapeString(p.Description))
			if p.In == "query" && (p.Name == "namespace" || p.Name == "user_id") {
				assert.Equal(t, !writes[op.ID], strings.Contains(p.Description, "that the token may see"), "%s %s", name, p.Name)
			}
		}
		assert.Equal(t, wildcard.FindAllString(route.Pattern, -1), declared, name)
	}
	for _, methods := range spec.Paths {
		count += len(methods)
	}
	assert.Equal(t, len(s.handler.Routes()), count)
	for name, schema := range spec.Components.Schemas {
		properties, _ := schema["properties"].(map[string]any)
		for field, v := range properties {
			text, _ := v.(map[string]any)["description"].(string)
			assert.NotEmpty(t, text, "%s.%s", name, field)
			assert.Contains(t, page, html.EscapeString(text))
		}
	}
	other := start(t, withTokens)
	for _, path := range []string{"/openapi.json", "/docs"} {
		assert.Equal(t, s.do("GET", path, "").Body.String(), other.do("GET", path, "").Body.String(), "the same each time")
	}
}

func TestNoTwoPatternsOverlap(t *testing.T) {
	t.Parallel()
	seen, wildcard := map[string]bool{}, regexp.MustCompile(`\{\w+\}`)
	routes := start(t).handler.Routes()
	for _, route := range routes {
		seen[route.Method+" "+wildcard.ReplaceAllString(route.Pattern, "*")] = true
	}
	assert.Len(t, seen, len(routes))
	for _, route := range routes {
		dir := route.Pattern[:strings.LastIndex(route.Pattern, "/")]
		if !strings.HasSuffix(route.Pattern, "}") {
			assert.False(t, seen[route.Method+" "+wildcard.ReplaceAllString(dir, "*")+"/*"], "%s %s", route.Method, route.Pattern)
		}
	}
}

// Examples of bodies are valid and work, and all answers have the documented form.
func TestAnswersAreAsDocumented(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	spec := specOf(t, s)
	s.do("PUT", "/v1/working-memory/s-1", `{"messages":[{"role":"user","content":"hello","tool_calls":[{"name":"f"}]}],"memories":[{"text":"a fact","topics":["t"]}],"data":{"a":[1]}}`).is(200)
	s.do("POST", "/v1/working-memory/s-1/tool-calls", `{"name":"list_ads","result":[{"id":"ad-17","name":"Spring","status":"PAUSED"}]}`).is(200)
	s.do("POST", "/v1/working-memory/s-1/tool-calls", `{"name":"list_ads","result":"`+strings.Repeat("a large result ", 4000)+`","store_results":true,"handles":true}`).is(200)
	s.do("POST", "/v1/long-term-memory", `{"memories":[{"id":"m-1","text":"a fact"}]}`).is(200)
	const components = "#/components/schemas/"
	properties := map[string]any{}
	for name := range spec.Components.Schemas {
		properties[components+name] = map[string]any{"$ref": components + name}
	}
	text, err := json.Marshal(map[string]any{"$defs": spec.Components.Schemas, "properties": properties, "additionalProperties": false})
	require.NoError(t, err)
	schema := new(jsonschema.Schema)
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(string(text), `"$ref":"`+components, `"$ref":"#/$defs/`)), schema))
	resolved, err := schema.Resolve(nil) // once for all, since it is slow
	require.NoError(t, err)
	valid := func(name string, content apiContent, value any) {
		t.Helper()
		assert.NoError(t, resolved.Validate(map[string]any{content.Schema["$ref"].(string): value}), "%s: %v", name, value)
	}
	check := func(name string, got reply, op apiOperation) {
		t.Helper()
		response, ok := op.Responses[strconv.Itoa(got.Code)]
		require.True(t, ok, "%s: %d is not documented: %s", name, got.Code, got.Body)
		content, ok := response.Content[got.Header().Get("Content-Type")]
		require.True(t, ok, "%s: %s is not documented", name, got.Header().Get("Content-Type"))
		if content.Schema != nil {
			var body any
			require.NoError(t, json.Unmarshal(got.Body.Bytes(), &body))
			valid(name, content, body)
		}
	}
	for _, route := range s.handler.Routes() {
		name, op, example := route.Method+" "+route.Pattern, spec.Paths[route.Pattern][strings.ToLower(route.Method)], ""
		if op.Body != nil {
			content := op.Body.Content["application/json"]
			valid(name, content, content.Example)
			text, err := json.Marshal(content.Example)
			require.NoError(t, err)
			example = string(text)
			check(name, s.do(route.Method, fill(route.Pattern), "{"), op)
			check(name, s.do(route.Method, fill(route.Pattern), "{}", "Content-Type: text/plain"), op)
		}
		check(name, s.do(route.Method, strings.ReplaceAll(fill(route.Pattern), "-1", "-none"), example), op)
		if route.Method != "DELETE" {
			got := s.do(route.Method, fill(route.Pattern), example)
			assert.Equal(t, 200, got.Code, "%s: %s", name, got.Body)
			check(name, got, op)
		}
	}
}

// The page loads nothing, which its policy enforces, and its links have targets.
func TestPageOfDocumentation(t *testing.T) {
	t.Parallel()
	got := start(t).do("GET", "/docs", "")
	require.Equal(t, 200, got.Code)
	assert.Equal(t, "text/html; charset=utf-8", got.Header().Get("Content-Type"))
	page := got.Body.String()
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)
	require.Len(t, style, 2)
	hash := sha256.Sum256([]byte(style[1]))
	assert.Contains(t, got.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'")
	assert.NotRegexp(t, `(?i)<script|https?://|<img|<link|style=|@import|url\(`, page)
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		assert.Contains(t, page, `id="`+link[1]+`"`)
	}
}
