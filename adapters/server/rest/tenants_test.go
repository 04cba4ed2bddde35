package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
)

// own is whose the data is that every tenant of the test may see.
var own = auth.Tenant{Namespace: "shop", UserID: "anna"}

// bound are the tenants of the test, and of whom there are data that each may not see.
var bound = map[string]struct {
	tenant   auth.Tenant
	foreign  []auth.Tenant
	ns, user []string // what requests name
}{
	"of a namespace": {auth.Tenant{Namespace: "shop"}, []auth.Tenant{{Namespace: "rival", UserID: "anna"}, {Namespace: "rival", UserID: "bob"}, {UserID: "anna"}, {}}, []string{"-", "shop", "rival", ""}, []string{"-", "anna", ""}},
	"of a user":      {auth.Tenant{UserID: "anna"}, []auth.Tenant{{Namespace: "shop", UserID: "bob"}, {Namespace: "rival", UserID: "bob"}, {Namespace: "shop"}, {}}, []string{"-", "shop", ""}, []string{"-", "anna", "bob", ""}},
	"of both":        {own, []auth.Tenant{{Namespace: "shop", UserID: "bob"}, {Namespace: "rival", UserID: "anna"}, {Namespace: "shop"}, {UserID: "anna"}, {}}, []string{"-", "shop", "rival", ""}, []string{"-", "anna", "bob"}},
}

// world is a server with data of somebody, and maybe of others.
type world struct {
	*server
	admin, tenant string // headers
}

func newWorld(t *testing.T, tenant auth.Tenant, foreign []auth.Tenant) *world {
	t.Helper()
	w := &world{server: start(t, withTokens, withLongTerm, func(s *setup) { s.embedder = &drivertest.Embedder{} })}
	text, _ := w.token(auth.Tenant{}, 0)
	w.admin = "Authorization: Bearer " + text
	text, _ = w.token(tenant, 0)
	w.tenant = "Authorization: Bearer " + text
	for _, whose := range foreign {
		w.fill(whose, "1", "confidential ads")
		w.fill(whose, "2", "confidential words")
	}
	w.fill(own, "1", "own ads")
	return w
}

func ownerQuery(whose auth.Tenant) string {
	return "?" + url.Values{"namespace": {whose.Namespace}, "user_id": {whose.UserID}}.Encode()
}

// fill writes a session and a memory of somebody.
func (w *world) fill(whose auth.Tenant, n, text string) {
	w.t.Helper()
	at := ownerQuery(whose)
	w.do("PUT", "/v1/working-memory/s-"+n+at, `{"messages":[{"id":"a","role":"user","content":"`+text+`","created_at":"2026-01-02T15:04:05Z"}],"context":"`+text+`","data":{"k":"`+text+`"},"entities":[]}`, w.admin).is(200)
	w.do("POST", "/v1/working-memory/s-"+n+"/tool-calls"+at, `{"name":"create_ad","result":{"id":"ad-`+n+`","name":"`+text+`"}}`, w.admin).is(200)
	memory, err := json.Marshal(map[string]any{"memories": []any{map[string]any{
		"id": "m-" + n, "text": "How long should answers about the budget be? The ads are " + text, "namespace": whose.Namespace, "user_id": whose.UserID, "session_id": "s-" + n,
	}}})
	require.NoError(w.t, err)
	w.do("POST", "/v1/long-term-memory"+at, string(memory), w.admin).is(200)
}

// all is everything that there is of some.
func (w *world) all(of []auth.Tenant) string {
	var all strings.Builder
	for _, whose := range of {
		for _, n := range []string{"1", "2"} {
			for _, part := range []string{"", "/entities", "/block", "/decisions"} {
				all.WriteString(w.do("GET", "/v1/working-memory/s-"+n+part+ownerQuery(whose), "", w.admin).Body.String())
			}
			all.WriteString(w.do("GET", "/v1/long-term-memory/m-"+n+ownerQuery(whose), "", w.admin).Body.String())
		}
		all.WriteString(w.do("GET", "/v1/working-memory"+ownerQuery(whose), "", w.admin).Body.String())
		all.WriteString("\n")
	}
	return all.String()
}

// request is a request for something of somebody's.
type request struct{ target, body, header string }

// ask sends a request and returns all of the answer but what is new each time.
func (w *world) ask(method string, q request, token string) (status int, said string) {
	w.t.Helper()
	r := httptest.NewRequest(method, q.target, strings.NewReader(q.body))
	if q.header != "" {
		name, value, _ := strings.Cut(q.header, ": ")
		r.Header.Set(name, value)
	}
	got := w.send(r, token)
	header := maps.Clone(got.Header())
	header.Del("X-Request-Id")
	header.Del("Content-Length") // of the body, times and ids included
	return got.Code, fmt.Sprint(got.Code, made.ReplaceAllString(fmt.Sprint(header, got.Body), "made"))
}

// made are ids of messages that had none, versions, times of calls, which are the machine's, and
// uses of memories, which are counted in the background.
var made = regexp.MustCompile(`"[0-9A-HJKMNP-TV-Z]{26}"|"[-0-9]{10}T[0-9:.]+Z"|"(version|access_count)":[0-9]+|Etag:\["[0-9]+"\]`)

// TestOthersDataMakeNoDifference: whatever a tenant asks for, by any route and in any place of
// a request that the API's own document has, the answer is the same as if nobody else had any
// data; and nobody else's data change. An operator asks the same, to show that the requests
// mean what they are to mean. A new route is in the document, and so in this test.
func TestOthersDataMakeNoDifference(t *testing.T) {
	t.Parallel()
	for name, c := range bound {
		doc := readAPI(t)
		for _, route := range start(t).handler.Routes() {
			if route.Auth == rest.ClassOpen {
				continue
			}
			t.Run(name+"/"+route.Method+route.Pattern, func(t *testing.T) {
				t.Parallel()
				alone, beside, open := newWorld(t, c.tenant, nil), newWorld(t, c.tenant, c.foreign), newWorld(t, c.tenant, c.foreign)
				before, reached := beside.all(c.foreign), false
				require.Contains(t, before, "confidential")
				requests := doc.requests(t, route, c.ns, c.user)
				require.Greater(t, len(requests), 10)
				for i, q := range requests {
					_, want := alone.ask(route.Method, q, alone.tenant)
					status, got := beside.ask(route.Method, q, beside.tenant)
					require.Equal(t, want, got, "%+v", q)
					assert.NotContains(t, got, "confidential", "%+v", q)
					assert.Less(t, status, 500, "%+v", q)
					assert.NotEqual(t, http.StatusUnprocessableEntity, status, "%+v: %s", q, got)
					if !reached {
						_, unbound := open.ask(route.Method, q, open.admin)
						reached = unbound != want
					}
					if route.Method != http.MethodGet && i%8 == 7 { // it may be gone by now
						alone.fill(own, "1", "own ads")
						beside.fill(own, "1", "own ads")
					}
				}
				assert.Equal(t, before, beside.all(c.foreign))
				assert.True(t, reached || open.all(c.foreign) != before, "no request was for the others' data")
			})
		}
	}
}

// apiDoc is the document of the API.
type apiDoc struct {
	Paths      map[string]map[string]apiOperation
	Components struct{ Schemas map[string]apiSchema }
}

type apiOperation struct {
	Parameters []struct {
		Name, In string
		Schema   apiSchema
	}
	RequestBody struct {
		Content map[string]struct {
			Schema  apiSchema
			Example map[string]any
		}
	}
}

type apiSchema struct {
	Ref        string `json:"$ref"`
	Type       any
	Default    any
	Required   []string
	Properties map[string]apiSchema
	Items      *apiSchema
	AnyOf      []apiSchema
}

// UnmarshalJSON implements json.Unmarshaler: a schema may also be true.
func (s *apiSchema) UnmarshalJSON(data []byte) error {
	type object apiSchema
	if data[0] != '{' {
		return nil
	}
	return json.Unmarshal(data, (*object)(s))
}

func readAPI(t *testing.T) *apiDoc {
	t.Helper()
	doc := new(apiDoc)
	require.NoError(t, json.Unmarshal(start(t).do("GET", "/openapi.json", "").Body.Bytes(), doc))
	return doc
}

// requests are ways to ask a route for what is another's: every combination of owners in the
// query, and in the body; each place of the body alone; ids that are another's; conditions.
func (d *apiDoc) requests(t *testing.T, route rest.Route, namespaces, users []string) (all []request) {
	t.Helper()
	op, ok := d.Paths[route.Pattern][strings.ToLower(route.Method)]
	require.True(t, ok, "the route is not documented")
	media, takesBody := op.RequestBody.Content["application/json"]
	require.True(t, !takesBody || media.Example != nil, "the body has no example")
	places := d.placesIn(media.Schema, nil)
	for _, n := range []string{"1", "2"} {
		path := strings.NewReplacer("{sid}", "s-"+n, "{id}", "m-"+n).Replace(route.Pattern)
		require.NotContains(t, path, "{", "what does the path have?")
		base := url.Values{}
		asksOwner := false
		for _, p := range op.Parameters {
			switch kind, _ := p.Schema.Type.(string); {
			case p.In == "query" && (p.Name == "namespace" || p.Name == "user_id"):
				asksOwner = true
			case p.In == "query" && kind == "array":
				base[p.Name] = []string{"m-1", "m-2", "none"}
			case p.In == "query" && kind == "boolean":
				base.Set(p.Name, fmt.Sprint(p.Schema.Default != true))
			case p.In == "query" && kind == "string":
				require.Contains(t, []string{"session_id", "model_name"}, p.Name, "what does the parameter hold?")
			}
		}
		body := func(set map[string]any, only int) string {
			if !takesBody {
				return ""
			}
			whole := clone(media.Example)
			for i, place := range places {
				value, named := set[place.name()]
				switch {
				case place.name() == "session_id":
					value = "s-" + n
				case !named || only >= 0 && only != i:
					continue
				}
				if text, ok := value.(string); ok && place.filter {
					value = map[string]any{"eq": text}
				}
				if _, isFilter := value.(map[string]any); !isFilter || place.filter {
					d.set(whole, media.Schema, place.path, value)
				}
			}
			return encode(renamed(whole, n))
		}
		add := func(query url.Values, body, header string) {
			all = append(all, request{path + "?" + query.Encode(), body, header})
		}
		for i, namespace := range namespaces {
			for k, user := range users {
				if n == "2" && (i+k)%2 == 1 { // much like those of 1
					continue
				}
				query, set := maps.Clone(base), map[string]any{}
				if namespace != "-" {
					set["namespace"] = namespace
					query.Set("namespace", namespace)
				}
				if user != "-" {
					set["user_id"] = user
					query.Set("user_id", user)
				}
				add(query, body(nil, -1), "")
				if takesBody {
					add(base, body(set, -1), "")
					add(query, body(set, -1), "")
				}
				if asksOwner {
					twice := maps.Clone(query)
					twice["namespace"], twice["user_id"] = append([]string{"shop"}, query["namespace"]...), append([]string{"anna"}, query["user_id"]...)
					add(twice, body(nil, -1), "")
				}
				if user != "-" && namespace != "-" && n == "1" {
					for i := range places {
						add(base, body(set, i), "")
					}
				}
				for _, p := range op.Parameters {
					if p.In == "header" && strings.HasPrefix(p.Name, "If-") {
						add(query, body(nil, -1), p.Name+": *")
					}
				}
			}
		}
		for i, place := range places {
			if n == "2" {
				break
			}
			for _, operator := range []string{"eq", "ne", "any", "all", "none", "startswith", "in_", "not_eq", "not_in"} {
				other := map[string]string{"namespace": namespaces[len(namespaces)-2], "user_id": users[len(users)-2]}[place.name()]
				if !place.filter || other == "" {
					continue
				}
				var value any = other
				if slices.Contains([]string{"any", "all", "none", "in_", "not_in"}, operator) {
					value = []any{other, "x"}
				}
				add(base, body(map[string]any{place.name(): map[string]any{operator: value}}, i), "")
			}
		}
	}
	return all
}

// place is where a body can say whose something is.
type place struct {
	path   []string // names of fields; "[]": the first of a list
	filter bool     // it takes conditions
}

func (p place) name() string { return p.path[len(p.path)-1] }

func (d *apiDoc) placesIn(s apiSchema, path []string) (all []place) {
	s = d.resolve(s)
	if s.Items != nil {
		all = d.placesIn(*s.Items, append(slices.Clone(path), "[]"))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		at := append(slices.Clone(path), name)
		inner := d.resolve(s.Properties[name])
		_, filter := inner.Properties["startswith"]
		switch {
		case name == "namespace" || name == "user_id" || name == "session_id":
			all = append(all, place{at, filter})
		case !filter:
			all = append(all, d.placesIn(inner, at)...)
		}
	}
	return all
}

func (d *apiDoc) resolve(s apiSchema) apiSchema {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.Components.Schemas[name]
	}
	if len(s.AnyOf) > 0 { // or null
		return d.resolve(s.AnyOf[0])
	}
	return s
}

// set sets a place of a body, and makes what stands around it.
func (d *apiDoc) set(in map[string]any, s apiSchema, path []string, value any) {
	name, rest := path[0], path[1:]
	s = d.resolve(s).Properties[name]
	if len(rest) == 0 {
		in[name] = value
		return
	}
	inner := d.resolve(s)
	if rest[0] == "[]" {
		if list, _ := in[name].([]any); len(list) == 0 {
			in[name] = []any{d.least(*inner.Items)}
		}
		if first, ok := in[name].([]any)[0].(map[string]any); ok {
			d.set(first, *inner.Items, rest[1:], value)
		}
		return
	}
	if _, ok := in[name].(map[string]any); !ok {
		in[name] = d.least(inner)
	}
	if object, ok := in[name].(map[string]any); ok {
		d.set(object, inner, rest, value)
	}
}

// least is an object with what it must have.
func (d *apiDoc) least(s apiSchema) map[string]any {
	object := map[string]any{}
	for _, name := range d.resolve(s).Required {
		object[name] = "x"
	}
	if properties := d.resolve(s).Properties; properties["text"].Type != nil && properties["topics"].Type != nil {
		object["id"], object["text"] = "m-1", "The ads are here"
	}
	return object
}

// renamed lets every id of a memory in a body be of one that there is.
func renamed(v any, n string) any {
	switch v := v.(type) {
	case map[string]any:
		if _, isMemory := v["text"]; isMemory && v["id"] != nil {
			v["id"] = "m-" + n
		}
		if v["pinned_ids"] != nil {
			v["pinned_ids"] = []any{"m-" + n}
		}
		for _, inner := range v {
			renamed(inner, n)
		}
	case []any:
		for _, inner := range v {
			renamed(inner, n)
		}
	}
	return v
}

func clone(example map[string]any) (copied map[string]any) {
	_ = json.Unmarshal([]byte(encode(example)), &copied) // it was JSON
	return copied
}

func encode(v any) string {
	encoded, _ := json.Marshal(v) // it was JSON
	return string(encoded)
}
