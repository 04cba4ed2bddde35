package rest_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDocuments has one server for all: documents take a while to make.
func TestDocuments(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	for name, test := range map[string]func(*testing.T, *server){
		"every route is documented": everyRouteIsDocumented, "references resolve": referencesResolve,
		"examples are valid and work": examplesAreValidAndWork, "the same each time": documentsAreTheSameEachTime,
		"the page": thePageOfDocumentation,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
}

type operation struct {
	ID         string                `json:"operationId"`
	Summary    string                `json:"summary"`
	Security   []map[string][]string `json:"security"`
	Parameters []struct{ Name, In string }
	Body       *struct {
		Content map[string]struct {
			Schema  map[string]any
			Example any
		}
	} `json:"requestBody"`
	Responses map[string]struct{ Description string }
}

func apiOf(t *testing.T, s *server) (paths map[string]map[string]operation, whole []byte) {
	t.Helper()
	got := s.do("GET", "/openapi.json", "")
	got.is(200)
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]operation
	}
	require.NoError(t, json.Unmarshal(got.Body.Bytes(), &doc))
	assert.Equal(t, "3.1.0", doc.OpenAPI)
	return doc.Paths, got.Body.Bytes()
}

func everyRouteIsDocumented(t *testing.T, s *server) {
	t.Parallel()
	paths, _ := apiOf(t, s)
	wildcard := regexp.MustCompile(`\{(\w+)\}`)
	ids, count := map[string]bool{}, 0
	for _, route := range s.handler.Routes() {
		name := route.Method + " " + route.Pattern
		op, ok := paths[route.Pattern][strings.ToLower(route.Method)]
		require.True(t, ok, name)
		assert.False(t, ids[op.ID], "%s is there twice", op.ID)
		ids[op.ID] = true
		assert.NotEmpty(t, op.Summary, name)
		assert.Contains(t, op.Responses, "200", name)
		assert.Equal(t, route.Auth == "open", len(op.Security) == 0, name)
		assert.Equal(t, route.Auth != "open", op.Responses["401"].Description != "", name)
		var declared []string
		for _, p := range op.Parameters {
			if p.In == "path" {
				declared = append(declared, "{"+p.Name+"}")
			}
		}
		assert.Equal(t, wildcard.FindAllString(route.Pattern, -1), declared, name)
	}
	for _, methods := range paths {
		count += len(methods)
	}
	assert.Equal(t, len(s.handler.Routes()), count)
}

func TestNoTwoPatternsOverlap(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	wildcard := regexp.MustCompile(`\{\w+\}`)
	routes := start(t).handler.Routes()
	for _, route := range routes {
		shape := route.Method + " " + wildcard.ReplaceAllString(route.Pattern, "*")
		assert.False(t, seen[shape], shape)
		seen[shape] = true
	}
	for _, route := range routes {
		parts := strings.Split(route.Pattern, "/")
		parts[len(parts)-1] = "*"
		shape := route.Method + " " + wildcard.ReplaceAllString(strings.Join(parts, "/"), "*")
		if !strings.HasSuffix(route.Pattern, "}") {
			assert.False(t, seen[shape], "%s %s is also what %s matches", route.Method, route.Pattern, shape)
		}
	}
}

func referencesResolve(t *testing.T, s *server) {
	t.Parallel()
	_, whole := apiOf(t, s)
	var doc any
	require.NoError(t, json.Unmarshal(whole, &doc))
	used := map[string]bool{}
	walk(doc, func(ref string) {
		at := doc
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			object, ok := at.(map[string]any)
			require.True(t, ok, ref)
			at, ok = object[part]
			require.True(t, ok, ref)
		}
		used[strings.TrimPrefix(ref, "#/components/schemas/")] = true
	})
	object := func(v any, name string) map[string]any { return v.(map[string]any)[name].(map[string]any) }
	for name := range object(object(doc, "components"), "schemas") {
		assert.True(t, used[name], "nothing refers to %s", name)
	}
	assert.True(t, used["Search"] && used["Message"] && used["Entity"] && used["TextFilter"])
}

// walk calls f for each reference.
func walk(v any, f func(ref string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, below := range v {
			if ref, ok := below.(string); ok && name == "$ref" {
				f(ref)
			}
			walk(below, f)
		}
	case []any:
		for _, below := range v {
			walk(below, f)
		}
	}
}

func examplesAreValidAndWork(t *testing.T, s *server) {
	t.Parallel()
	paths, whole := apiOf(t, s)
	var doc struct {
		Components struct{ Schemas map[string]any }
	}
	require.NoError(t, json.Unmarshal(whole, &doc))
	s.do("PUT", "/v1/working-memory/s-1", oneMessage).is(200)
	s.do("POST", "/v1/long-term-memory", `{"memories":[{"id":"m-1","text":"a fact"}]}`).is(200)
	bodies := 0
	for _, route := range s.handler.Routes() {
		op := paths[route.Pattern][strings.ToLower(route.Method)]
		if op.Body == nil {
			continue
		}
		bodies++
		media := op.Body.Content["application/json"]
		require.NotNil(t, media.Example, op.ID)
		text, err := json.Marshal(map[string]any{"$defs": doc.Components.Schemas, "$ref": media.Schema["$ref"]})
		require.NoError(t, err)
		schema := new(jsonschema.Schema)
		require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(string(text), "#/components/schemas/", "#/$defs/")), schema))
		resolved, err := schema.Resolve(nil)
		require.NoError(t, err, op.ID)
		assert.NoError(t, resolved.Validate(media.Example), op.ID)
		example, err := json.Marshal(media.Example)
		require.NoError(t, err)
		s.do(route.Method, fill(route.Pattern), string(example)).is(200)
	}
	assert.Equal(t, 8, bodies)
}

func documentsAreTheSameEachTime(t *testing.T, s *server) {
	t.Parallel()
	b := start(t, withTokens)
	for _, path := range []string{"/openapi.json", "/docs"} {
		assert.Equal(t, s.do("GET", path, "").Body.String(), b.do("GET", path, "").Body.String(), path)
	}
}

func thePageOfDocumentation(t *testing.T, s *server) {
	t.Parallel()
	got := s.do("GET", "/docs", "")
	require.Equal(t, 200, got.Code)
	assert.Equal(t, "text/html; charset=utf-8", got.Header().Get("Content-Type"))
	page := got.Body.String()
	for _, route := range s.handler.Routes() {
		assert.Contains(t, page, "<h3>"+route.Method+" "+route.Pattern+"</h3>")
	}
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)
	require.Len(t, style, 2)
	hash := sha256.Sum256([]byte(style[1]))
	policy := got.Header().Get("Content-Security-Policy")
	assert.Contains(t, policy, "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'")
	assert.NotRegexp(t, `(?i)<script|https?://|<img|<link|style=|@import|url\(`, page)
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		assert.Contains(t, page, `id="`+link[1]+`"`)
	}
}
