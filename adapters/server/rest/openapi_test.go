package rest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http/httptest"
	"net/url"
	"os"
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
		Headers     map[string]any
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

// The document has every route, once, with all of its parameters, and describes each of them.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	spec := specOf(t, s)
	assert.Equal(t, "3.1.0", spec.OpenAPI)
	wildcard, ids, count := regexp.MustCompile(`\{\w+\}`), map[string]bool{}, 0
	writes := map[string]bool{"putSession": true, "appendMessages": true, "recordToolCall": true, "createMemories": true}
	for _, route := range s.handler.Routes() {
		name := route.Method + " " + route.Pattern
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
	view := s.do("POST", "/v1/summary-views", `{"source":"long_term","group_by":["user_id"]}`).is(200)["id"].(string)
	s.do("POST", "/v1/summary-views/"+view+"/run", `{"task_id":"t-1"}`).is(200)
	fill := func(pattern string) string { return fill(strings.ReplaceAll(pattern, "{view_id}", view)) }
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
		if items, ok := content.Schema["items"].(map[string]any); ok {
			var list []any
			require.NoError(t, json.Unmarshal(got.Body.Bytes(), &list))
			for _, one := range list {
				valid(name, apiContent{Schema: items}, one)
			}
		}
		if content.Schema["$ref"] != nil {
			var body any
			require.NoError(t, json.Unmarshal(got.Body.Bytes(), &body))
			valid(name, content, body)
			if got.Code == 200 && content.Example != nil {
				valid(name, content, content.Example)
			}
		}
		for header := range response.Headers {
			if header != "X-Deprecation-Warning" && header != "Preference-Applied" {
				assert.NotEmpty(t, got.Header().Get(header), "%s: %s", name, header)
			}
		}
	}
	examples := map[string]any{} // of answers, by operation
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
		check(name, s.do(route.Method, strings.NewReplacer("-1", "-none", view, "none").Replace(fill(route.Pattern)), example), op)
		if route.Method != "DELETE" {
			got := s.do(route.Method, fill(route.Pattern), example)
			assert.Equal(t, 200, got.Code, "%s: %s", name, got.Body)
			check(name, got, op)
			examples[op.ID] = got.Body.String()
			if got.Header().Get("Content-Type") == "application/json" {
				examples[op.ID] = json.RawMessage(got.Body.Bytes())
			}
		}
		for _, content := range op.Responses["200"].Content {
			assert.Equal(t, op.ID != "openapi" && op.ID != "docs", content.Example != nil, "%s has an example: run this test with -update", name)
		}
	}
	delete(examples, "openapi")
	delete(examples, "docs")
	if *update {
		examples["deleteSession"] = json.RawMessage(`{"status":"ok"}`)
		examples["deleteSummaryView"] = examples["deleteSession"]
		examples["deleteMemories"] = json.RawMessage(`{"status":"ok, deleted 1 memories"}`)
		text, err := json.MarshalIndent(examples, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("docs/answers.json", append(text, '\n'), 0o644))
	}
}

// The page at /docs and its files come from this server alone, which its policy enforces,
// wherever the handler is mounted.
func TestPageOfDocumentation(t *testing.T) {
	t.Parallel()
	s := start(t)
	h := mounted(s.handler)
	get := func(target string, headers ...string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", target, nil)
		for _, encoding := range headers {
			r.Header.Set("Accept-Encoding", encoding)
		}
		h.ServeHTTP(w, r)
		require.Equal(t, 200, w.Code, target)
		return w
	}
	links := regexp.MustCompile(`(?:href|src|data-spec)="([^"]+)"`)
	for _, path := range []string{"/memory/docs", "/memory/docs/"} {
		page := get(path)
		assert.Equal(t, "text/html; charset=utf-8", page.Header().Get("Content-Type"))
		policy := page.Header().Get("Content-Security-Policy")
		assert.Contains(t, policy, "default-src 'none'; script-src 'self';")
		assert.NotRegexp(t, `(?i)https?://|<style|<script>|style=`, page.Body.String())
		at, err := url.Parse("http://x" + path)
		require.NoError(t, err)
		found := links.FindAllStringSubmatch(page.Body.String(), -1)
		require.Len(t, found, 7)
		for _, link := range found {
			to, err := at.Parse(link[1])
			require.NoError(t, err)
			plain, zipped := get(to.Path), get(to.Path, "br, gzip")
			assert.Empty(t, plain.Header().Get("Content-Encoding"))
			if zipped.Header().Get("Content-Encoding") == "gzip" {
				reader, err := gzip.NewReader(zipped.Body)
				require.NoError(t, err)
				content, err := io.ReadAll(reader)
				require.NoError(t, err)
				assert.True(t, bytes.Equal(plain.Body.Bytes(), content), to.Path)
			}
		}
	}
	for _, none := range []string{"answers.json", "page.html", "swagger-ui.css.gz", "embed.go", "..%2Fpage.css", ""} {
		assert.NotEqual(t, "text/css; charset=utf-8", s.do("GET", "/docs/"+none, "").Header().Get("Content-Type"))
		if none != "" {
			s.do("GET", "/docs/"+none, "").fails(404, "Not Found")
		}
	}
	s.do("POST", "/docs/page.css", "").fails(404, "Not Found")
}
