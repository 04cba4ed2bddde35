package rest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// The parts of an OpenAPI 3.1 document. Its bytes are deterministic, since encoding/json sorts
// maps.
type (
	apiDocument struct {
		OpenAPI    string                              `json:"openapi"`
		Info       apiInfo                             `json:"info"`
		Servers    []apiServer                         `json:"servers"`
		Tags       []apiTag                            `json:"tags"`
		Paths      map[string]map[string]*apiOperation `json:"paths"`
		Components apiComponents                       `json:"components"`
	}
	apiInfo struct {
		Title       string `json:"title"`
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	apiServer struct {
		URL string `json:"url"`
	}
	apiTag struct {
		Name string `json:"name"`
	}
	apiOperation struct {
		Tags        []string               `json:"tags"`
		ID          string                 `json:"operationId"`
		Summary     string                 `json:"summary"`
		Description string                 `json:"description,omitempty"`
		Security    []map[string][]string  `json:"security"`
		Parameters  []apiParameter         `json:"parameters,omitempty"`
		Body        *apiBody               `json:"requestBody,omitempty"`
		Responses   map[string]apiResponse `json:"responses"`
	}
	apiParameter struct {
		Name        string             `json:"name"`
		In          string             `json:"in"`
		Description string             `json:"description,omitempty"`
		Required    bool               `json:"required,omitempty"`
		Schema      *jsonschema.Schema `json:"schema"`
	}
	apiBody struct {
		Required bool                `json:"required"`
		Content  map[string]apiMedia `json:"content"`
	}
	apiResponse struct {
		Description string               `json:"description"`
		Headers     map[string]apiHeader `json:"headers,omitempty"`
		Content     map[string]apiMedia  `json:"content,omitempty"`
	}
	apiHeader struct {
		Description string             `json:"description"`
		Schema      *jsonschema.Schema `json:"schema"`
	}
	apiMedia struct {
		Schema  *jsonschema.Schema `json:"schema,omitempty"`
		Example json.RawMessage    `json:"example,omitempty"`
	}
	apiComponents struct {
		Schemas  map[string]*jsonschema.Schema `json:"schemas"`
		Security map[string]apiSecurity        `json:"securitySchemes"`
	}
	apiSecurity struct {
		Type        string `json:"type"`
		Scheme      string `json:"scheme"`
		Description string `json:"description"`
	}
)

const (
	apiTitle = "Working memory"
	apiText  = "Sessions, the entities of their tool calls, and long-term memory. Clients of redis/agent-memory-server work with it. Unknown fields and parameters are ignored; integers and booleans may be texts; times are RFC 3339. Every path is also served with a trailing slash."
	bearerID = "bearer"
	pathText = "percent-encoded; at most 1 KB"
)

// document returns the OpenAPI document of the table.
func document(routes []route) ([]byte, error) {
	parts, err := newComponents(routes)
	if err != nil {
		return nil, err
	}
	answers, err := answerExamples()
	if err != nil {
		return nil, err
	}
	doc := apiDocument{
		OpenAPI: "3.1.0",
		Info:    apiInfo{Title: apiTitle, Version: "1", Description: apiText},
		Servers: []apiServer{{URL: "."}}, // the location of the document
		Paths:   map[string]map[string]*apiOperation{},
	}
	for i := range routes {
		rt := &routes[i]
		if doc.Paths[rt.pattern] == nil {
			doc.Paths[rt.pattern] = map[string]*apiOperation{}
		}
		if tag := (apiTag{rt.group}); !slices.Contains(doc.Tags, tag) {
			doc.Tags = append(doc.Tags, tag)
		}
		op, err := operation(rt, parts, answers[rt.name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", rt.name, err)
		}
		doc.Paths[rt.pattern][strings.ToLower(rt.method)] = op
	}
	doc.Components = apiComponents{Schemas: parts.schemas, Security: map[string]apiSecurity{
		bearerID: {Type: "http", Scheme: "bearer", Description: "A token of `wmem token create`. It may be bound to a namespace and a user. Not required if authentication is disabled."},
	}}
	return json.Marshal(doc)
}

func operation(rt *route, parts *components, answer json.RawMessage) (*apiOperation, error) {
	op := &apiOperation{
		Tags: []string{rt.group}, ID: rt.name, Summary: rt.summary, Description: rt.description(),
		Security: []map[string][]string{},
	}
	if rt.class != ClassOpen {
		op.Security = append(op.Security, map[string][]string{bearerID: {}})
	}
	for _, name := range rt.wildcards() {
		op.Parameters = append(op.Parameters, apiParameter{Name: name, In: "path", Required: true, Description: pathText, Schema: &jsonschema.Schema{Type: "string"}})
	}
	for _, p := range rt.params {
		op.Parameters = append(op.Parameters, apiParameter{Name: p.name, In: "query", Description: p.text, Schema: p.schema()})
	}
	for _, name := range rt.headers {
		op.Parameters = append(op.Parameters, apiParameter{Name: name, In: "header", Description: headerTexts()[name], Schema: &jsonschema.Schema{Type: "string"}})
	}
	if rt.in != nil {
		schema, err := parts.schemaOf(rt.in)
		if err != nil {
			return nil, err
		}
		op.Body = &apiBody{Required: true, Content: map[string]apiMedia{mediaJSON: {Schema: schema, Example: json.RawMessage(rt.example)}}}
	}
	var err error
	op.Responses, err = responses(rt, parts, answer)
	return op, err
}

// responses returns the answers of a route. The example is of the successful one.
func responses(rt *route, parts *components, example json.RawMessage) (map[string]apiResponse, error) {
	media, answer := cmp.Or(rt.media, mediaJSON), apiMedia{Example: example}
	switch {
	case media != mediaJSON:
		answer.Schema = &jsonschema.Schema{Type: "string"}
	case rt.out != nil:
		schema, err := parts.schemaOf(rt.out)
		if err != nil {
			return nil, err
		}
		answer.Schema = schema
	}
	all := map[string]apiResponse{"200": {Description: "Done", Headers: headersOf(append(rt.answers, "X-Request-Id")), Content: map[string]apiMedia{media: answer}}}
	for _, status := range rt.failures() {
		name := errorName
		if status == http.StatusUnprocessableEntity {
			name = invalidName
		}
		all[strconv.Itoa(status)] = apiResponse{
			Description: http.StatusText(status), Headers: headersOf(refusalHeaders(status)), Content: map[string]apiMedia{mediaJSON: {Schema: reference(name)}},
		}
	}
	return all, nil
}

// headersOf returns the descriptions of headers of answers.
func headersOf(names []string) map[string]apiHeader {
	texts := map[string]string{
		"ETag":                  "the version of the session, for If-Match and If-None-Match",
		"X-Deprecation-Warning": "a message of the request has no created_at",
		"Preference-Applied":    "return=minimal if the answer has no messages, memories, data and entities",
		"X-Request-Id":          "the id of the request, which is in the server's log; that of the request's own X-Request-Id if it has one",
		"WWW-Authenticate":      "Bearer",
		"Retry-After":           "the number of seconds after which to try again",
	}
	headers := map[string]apiHeader{}
	for _, name := range names {
		headers[name] = apiHeader{Description: texts[name], Schema: &jsonschema.Schema{Type: "string"}}
	}
	return headers
}

// refusalHeaders returns the headers of an error.
func refusalHeaders(status int) []string {
	names := []string{"X-Request-Id"}
	switch status {
	case http.StatusUnauthorized:
		names = append(names, "WWW-Authenticate")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		names = append(names, "Retry-After")
	}
	return names
}

// description returns the detail of a route and a command that sends its example.
func (rt *route) description() string {
	command := []string{"curl"}
	if rt.method != http.MethodGet {
		command = append(command, "-X", rt.method)
	}
	command = append(command, "'http://localhost:8000"+strings.NewReplacer("{sid}", "s-1", "{handle}", "3", "{", "", "}", "-1").Replace(rt.pattern)+"'")
	if rt.class != ClassOpen {
		command = append(command, "-H", `"Authorization: Bearer $TOKEN"`)
	}
	if rt.in != nil {
		command = append(command, "-H", "'Content-Type: application/json'", "-d", "'"+strings.ReplaceAll(rt.example, "'", `'\''`)+"'")
	}
	return strings.TrimSpace(rt.detail + "\n\n```sh\n" + strings.Join(command, " ") + "\n```")
}

// failures returns the statuses of the errors of a route.
func (rt *route) failures() []int {
	all := map[int]bool{}
	add := func(statuses ...int) {
		for _, s := range statuses {
			all[s] = true
		}
	}
	add(rt.fails...)
	if !rt.probe {
		add(http.StatusTooManyRequests, http.StatusServiceUnavailable)
	}
	if rt.class != ClassOpen {
		add(http.StatusUnauthorized, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusInternalServerError)
	}
	if rt.class == ClassOperator {
		add(http.StatusForbidden)
	}
	if rt.in != nil {
		add(http.StatusBadRequest, http.StatusRequestTimeout, http.StatusUnsupportedMediaType)
	}
	return slices.Sorted(maps.Keys(all))
}

// wildcards returns the names in the pattern.
func (rt *route) wildcards() []string {
	var names []string
	for _, part := range rt.parts {
		if isWildcard(part) {
			names = append(names, strings.Trim(part, "{}"))
		}
	}
	return names
}

// headerTexts returns the descriptions of the headers of requests.
func headerTexts() map[string]string {
	return map[string]string{
		"If-Match":      "ETags, one of which the session must have, or * if it must exist. Otherwise 412, and nothing changes",
		"If-None-Match": "ETags, none of which the session may have, or * if it must not exist. Otherwise 412, and nothing changes",
		"Prefer":        "return=minimal for an answer without messages, memories, data and entities",
	}
}

// schema returns the schema of a parameter.
func (p param) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: string(p.kind)}
	switch p.kind {
	case kindInteger:
		least, most := float64(p.min), float64(p.max)
		s.Minimum, s.Maximum = &least, &most
		if p.def != nil {
			s.Default = json.RawMessage(strconv.FormatInt(*p.def, 10))
		}
	case kindBoolean:
		s.Default = json.RawMessage(strconv.FormatBool(*p.def == 1))
	case kindTexts:
		most := int(p.max)
		s.Items, s.MaxItems = &jsonschema.Schema{Type: "string"}, &most
	case kindText:
	}
	return s
}
