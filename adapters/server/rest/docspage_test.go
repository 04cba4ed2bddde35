package rest_test

import (
	"bytes"
	"encoding/json"
	"html/template"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// docsSpec is what the page shows of the OpenAPI document.
type docsSpec struct {
	Info struct {
		Title, Description string
	}
	Paths      map[string]map[string]docsRoute
	Components struct {
		Schemas map[string]*jsonschema.Schema
	}
}

type docsMedia map[string]struct {
	Schema  *jsonschema.Schema
	Example json.RawMessage
}

type docsRoute struct {
	Method, Pattern      string
	Tags                 []string
	ID                   string `json:"operationId"`
	Summary, Description string
	Security             []map[string][]string
	Parameters           []struct {
		Name, In, Description string
		Schema                *jsonschema.Schema
	}
	Body      *struct{ Content docsMedia } `json:"requestBody"`
	Responses map[string]struct {
		Description string
		Content     docsMedia
	}
}

// Failures lists the errors of a route.
func (r docsRoute) Failures() (all []string) {
	for _, status := range slices.Sorted(maps.Keys(r.Responses)) {
		if status != "200" {
			all = append(all, status+" "+r.Responses[status].Description)
		}
	}
	return all
}

// Example is the example of the body.
func (r docsRoute) Example() (string, error) {
	var indented bytes.Buffer
	if r.Body == nil {
		return "", nil
	}
	err := json.Indent(&indented, r.Body.Content["application/json"].Example, "", "  ")
	return indented.String(), err
}

// docs.html, the page that is served, shows the OpenAPI document. After a change of the routes,
// -update writes it anew. No server renders it: a program that links html/template keeps all
// methods of all its types.
func TestDocumentationPageShowsTheOpenAPIDocument(t *testing.T) {
	t.Parallel()
	s := start(t)
	type group struct {
		Name   string
		Routes []docsRoute
	}
	var page struct {
		Style  template.CSS
		Spec   docsSpec
		Groups []group
	}
	require.NoError(t, json.Unmarshal(s.do("GET", "/openapi.json", "").Body.Bytes(), &page.Spec))
	for _, listed := range s.handler.Routes() {
		route := page.Spec.Paths[listed.Pattern][strings.ToLower(listed.Method)]
		route.Method, route.Pattern = listed.Method, listed.Pattern
		at := slices.IndexFunc(page.Groups, func(g group) bool { return g.Name == route.Tags[0] })
		if at < 0 {
			at, page.Groups = len(page.Groups), append(page.Groups, group{Name: route.Tags[0]})
		}
		page.Groups[at].Routes = append(page.Groups[at].Routes, route)
	}
	style, err := os.ReadFile("testdata/docs.css")
	require.NoError(t, err)
	page.Style = template.CSS(style)
	source, err := template.New("docs.tmpl").Funcs(template.FuncMap{
		"has":    func(names []string, name string) bool { return slices.Contains(names, name) },
		"name":   func(ref string) string { return strings.TrimPrefix(ref, "#/components/schemas/") },
		"number": func(x *float64) string { return strconv.FormatFloat(*x, 'f', -1, 64) },
	}).ParseFiles("testdata/docs.tmpl")
	require.NoError(t, err)
	var want bytes.Buffer
	require.NoError(t, source.Execute(&want, page))
	if *update {
		require.NoError(t, os.WriteFile("docs.html", want.Bytes(), 0o644))
	}
	got, err := os.ReadFile("docs.html")
	require.NoError(t, err)
	assert.Equal(t, want.String(), string(got), "run this test with -update")
}
