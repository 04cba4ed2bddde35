package rest

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

//go:embed docs.html
var docsTemplate string

//go:embed docs.css
var docsStyle string

// documentation is the rendered documentation of the routes.
type documentation struct {
	openapi []byte
	// html is self-contained, which policy, its Content-Security-Policy, enforces.
	html   []byte
	policy string
}

func newDocumentation(routes []route) (*documentation, error) {
	parts, err := newComponents(routes)
	if err != nil {
		return nil, err
	}
	d := new(documentation)
	if d.openapi, err = document(routes, parts); err != nil {
		return nil, err
	}
	d.html, err = docsPage(routes, parts)
	hash := sha256.Sum256([]byte(docsStyle))
	d.policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return d, err
}

// The data of the template.
type (
	docsGroup struct {
		Name   string
		Routes []docsRoute
	}
	docsRoute struct {
		Name, Method, Pattern, Summary, Detail string
		Class                                  Class
		Params                                 []docsParam
		In, Out, Media, Example                string
		Failures                               []docsFailure
	}
	docsParam struct {
		Name, Where, Type, Text string
	}
	docsFailure struct {
		Status int
		Text   string
	}
	docsType struct {
		Name   string
		Fields []docsField
	}
	docsField struct {
		Name, Type, Ref, Text string
		Required              bool
	}
)

// docsPage renders the page.
func docsPage(routes []route, parts *components) ([]byte, error) {
	view := struct {
		Title, Text string
		Style       template.CSS
		Groups      []docsGroup
		Types       []docsType
	}{Title: apiTitle, Text: apiText, Style: template.CSS(docsStyle)}
	for i := range routes {
		rt := &routes[i]
		at := slices.IndexFunc(view.Groups, func(g docsGroup) bool { return g.Name == rt.group })
		if at < 0 {
			at, view.Groups = len(view.Groups), append(view.Groups, docsGroup{Name: rt.group})
		}
		shown, err := showRoute(rt, parts)
		if err != nil {
			return nil, err
		}
		view.Groups[at].Routes = append(view.Groups[at].Routes, shown)
	}
	for _, name := range slices.Sorted(maps.Keys(parts.schemas)) {
		view.Types = append(view.Types, showType(name, parts.schemas[name]))
	}
	t, err := template.New("docs").Parse(docsTemplate)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, view); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func showRoute(rt *route, parts *components) (docsRoute, error) {
	d := docsRoute{Name: rt.name, Method: rt.method, Pattern: rt.pattern, Summary: rt.summary, Detail: rt.detail, Class: rt.class, Media: rt.media}
	if rt.in != nil {
		d.In = parts.byType[rt.in]
	}
	if rt.out != nil {
		d.Out = parts.byType[rt.out]
	}
	for _, name := range rt.wildcards() {
		d.Params = append(d.Params, docsParam{Name: name, Where: "path", Type: "string", Text: pathText})
	}
	for _, p := range rt.params {
		d.Params = append(d.Params, docsParam{Name: p.name, Where: "query", Type: p.describe(), Text: p.text})
	}
	for _, name := range rt.headers {
		d.Params = append(d.Params, docsParam{Name: name, Where: "header", Type: "string", Text: headerTexts()[name]})
	}
	for _, status := range rt.failures() {
		d.Failures = append(d.Failures, docsFailure{status, http.StatusText(status)})
	}
	if rt.example != "" {
		var indented bytes.Buffer
		if err := json.Indent(&indented, []byte(rt.example), "", "  "); err != nil {
			return d, fmt.Errorf("example of %s: %w", rt.name, err)
		}
		d.Example = indented.String()
	}
	return d, nil
}

// describe describes the values of a parameter in words.
func (p param) describe() string {
	switch {
	case p.kind == kindInteger && p.def != nil:
		return fmt.Sprintf("integer, %d to %d, default %d", p.min, p.max, *p.def)
	case p.kind == kindInteger:
		return fmt.Sprintf("integer, %d to %d", p.min, p.max)
	case p.kind == kindBoolean:
		return fmt.Sprintf("boolean, default %t", *p.def == 1)
	case p.kind == kindTexts:
		return "string, may be repeated"
	}
	return string(p.kind)
}

func showType(name string, schema *jsonschema.Schema) docsType {
	d := docsType{Name: name}
	for _, field := range slices.Sorted(maps.Keys(schema.Properties)) {
		s := schema.Properties[field]
		shown, ref := describeSchema(s)
		d.Fields = append(d.Fields, docsField{
			Name: field, Type: shown, Ref: ref, Text: s.Description, Required: slices.Contains(schema.Required, field),
		})
	}
	return d
}

// describeSchema describes the values of a schema in words, and returns the type it refers to.
func describeSchema(s *jsonschema.Schema) (words, ref string) {
	switch {
	case s.Ref != "":
		return refName(s.Ref), refName(s.Ref)
	case s.Items != nil:
		words, ref = describeSchema(s.Items)
		return "list of " + words, ref
	case len(s.AnyOf) > 0:
		all := make([]string, len(s.AnyOf))
		for i, option := range s.AnyOf {
			name, to := describeSchema(option)
			if all[i] = name; ref == "" {
				ref = to
			}
		}
		return strings.Join(all, " or "), ref
	case len(s.Types) > 0:
		return strings.Join(s.Types, " or "), ""
	case s.Type != "":
		return s.Type, ""
	}
	return "any", ""
}
