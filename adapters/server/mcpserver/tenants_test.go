package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// own is whose the data is that every tenant of the test may see.
var own = auth.Tenant{Namespace: "shop", UserID: "anna"}

// bound are the tenants of the test, and of whom there are data that each may not see. What
// requests name is no more than shows that tools hand it on: the tests of the HTTP API have
// all combinations.
var bound = map[string]struct { // by what the token is of
	tenant   auth.Tenant
	foreign  []auth.Tenant
	ns, user []string // what requests name; "-": nothing
}{
	"of a namespace": {auth.Tenant{Namespace: "shop"}, []auth.Tenant{{Namespace: "rival", UserID: "anna"}, {Namespace: "rival", UserID: "bob"}, {UserID: "anna"}, {}}, []string{"-", "rival"}, []string{"-", "anna"}},
	"of a user":      {auth.Tenant{UserID: "anna"}, []auth.Tenant{{Namespace: "shop", UserID: "bob"}, {Namespace: "rival", UserID: "bob"}, {Namespace: "shop"}, {}}, []string{"-", "shop"}, []string{"-", "bob"}},
	"of both":        {own, []auth.Tenant{{Namespace: "shop", UserID: "bob"}, {Namespace: "rival", UserID: "anna"}, {Namespace: "shop"}, {UserID: "anna"}, {}}, []string{"-", "rival"}, []string{"-", "bob"}},
}

// world is a server with data of somebody, and maybe of others.
type world struct{ admin, tenant *caller }

func newWorld(t *testing.T, tenant auth.Tenant, foreign []auth.Tenant) *world {
	t.Helper()
	memory, err := longterm.New(memindex.New(nil), &longterm.Options{Now: clock, Embedder: &drivertest.Embedder{}})
	require.NoError(t, err)
	manager, w := newManager(t), &world{}
	for _, c := range []struct {
		caller **caller
		tenant auth.Tenant
	}{{&w.admin, auth.Tenant{}}, {&w.tenant, tenant}} {
		s, err := mcpserver.New(manager, &mcpserver.Options{
			Memory: memory, Now: clock, Tenant: func(context.Context) (auth.Tenant, error) { return c.tenant, nil },
		})
		require.NoError(t, err)
		*c.caller = &caller{t: t, session: connect(t, s.MCP())}
	}
	w.fillAll(foreign)
	w.fill(own, "1", "own ads")
	return w
}

func (w *world) fillAll(foreign []auth.Tenant) {
	for _, whose := range foreign {
		w.fill(whose, "1", "confidential ads")
		w.fill(whose, "2", "confidential words")
	}
}

// at are arguments that say whose something is.
func at(whose auth.Tenant, more map[string]any) string {
	arguments := maps.Clone(more)
	arguments["namespace"], arguments["user_id"] = whose.Namespace, whose.UserID
	return encode(arguments)
}

func encode(v any) string {
	encoded, _ := json.Marshal(v) // it is JSON
	return string(encoded)
}

// fill writes a session and a memory of somebody.
func (w *world) fill(whose auth.Tenant, n, text string) {
	w.admin.t.Helper()
	message := map[string]any{"id": "a", "role": "user", "content": text, "created_at": "2026-03-01T11:00:00Z"}
	for tool, arguments := range map[string]map[string]any{
		"set_working_memory":        {"messages": []any{message}, "data": map[string]any{"k": text}},
		"record_tool_call":          {"name": "create_ad", "result": map[string]any{"id": "ad-" + n, "name": text}},
		"create_long_term_memories": {"memories": []any{map[string]any{"id": "m-" + n, "text": "These are " + text, "session_id": "s-" + n}}},
	} {
		if tool != "create_long_term_memories" {
			arguments["session_id"] = "s-" + n
		}
		result := w.admin.result(w.admin.t.Context(), tool, at(whose, arguments))
		require.False(w.admin.t, result.IsError, textOf(result))
	}
}

// all is everything that there is of some.
func (w *world) all(of []auth.Tenant) string {
	var all strings.Builder
	for _, whose := range of {
		for _, n := range []string{"1", "2"} {
			for tool, name := range map[string]string{"get_working_memory": "session_id", "get_long_term_memory": "memory_id"} {
				result := w.admin.result(w.admin.t.Context(), tool, at(whose, map[string]any{name: name[:1] + "-" + n}))
				fmt.Fprintln(&all, tool < "get_w", textOf(result))
			}
		}
	}
	lines := strings.Split(all.String(), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// made are ids that were made, versions, times of calls, which are the machine's, and uses of
// memories, which are counted in the background.
var made = regexp.MustCompile(`\\?"[0-9A-Z]{26}\\?"|ID: [0-9A-Z]{26}|\\?"[-0-9]{10}T[0-9:.]+Z\\?"|\\?"(version|access_count)\\?":[0-9]+`)

func (c *caller) ask(name string, arguments map[string]any) string {
	c.t.Helper()
	return made.ReplaceAllString(encode(c.result(c.t.Context(), name, encode(arguments))), "made")
}

// TestOthersDataMakeNoDifference: whatever a tenant asks of any tool that is listed, with any
// of its arguments that say whose something is, the answer is the same as if nobody else had
// any data; and nobody else's data change. An operator asks the same, to show that the calls
// mean what they are to mean.
func TestOthersDataMakeNoDifference(t *testing.T) {
	t.Parallel()
	listed, err := connect(t, newServer(t, mcpserver.Options{}).MCP()).ListTools(t.Context(), nil)
	require.NoError(t, err)
	slices.SortFunc(listed.Tools, func(a, b *mcp.Tool) int { // what makes ids, by which others sort, is last
		return strings.Compare(strings.TrimPrefix(a.Name, "memorize"), strings.TrimPrefix(b.Name, "memorize"))
	})
	slices.Reverse(listed.Tools)
	for name, c := range bound {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alone, beside, open := newWorld(t, c.tenant, nil), newWorld(t, c.tenant, c.foreign), newWorld(t, c.tenant, c.foreign)
			before := beside.all(c.foreign)
			require.Contains(t, before, "confidential")
			for _, tool := range listed.Tools {
				if tool.Name == "get_current_datetime" { // it has no arguments
					continue
				}
				openBefore, reached := open.all(c.foreign[:1]), false
				for i, arguments := range calls(t, tool, c.ns, c.user) {
					if i%5 == 0 { // it may be gone by now
						alone.fill(own, "1", "own ads")
						beside.fill(own, "1", "own ads")
					}
					want, got := alone.tenant.ask(tool.Name, arguments), beside.tenant.ask(tool.Name, arguments)
					require.Equal(t, want, got, "%s %v", tool.Name, arguments)
					assert.NotContains(t, got, "confidential", "%s %v", tool.Name, arguments)
					assert.NotContains(t, got, "Invalid arguments", "%s %v", tool.Name, arguments)
					reached = reached || open.admin.ask(tool.Name, arguments) != want
				}
				assert.True(t, reached || open.all(c.foreign[:1]) != openBefore, "no call of %s was for the others' data", tool.Name)
				if !tool.Annotations.ReadOnlyHint {
					assert.Equal(t, before, beside.all(c.foreign), tool.Name)
					open.fillAll(c.foreign)
				}
			}
			assert.Equal(t, before, beside.all(c.foreign))
		})
	}
}

// samples are what arguments may be that tools insist on; %s is 1 or 2.
var samples = map[string]string{
	"session_id": `"s-%s"`, "memory_id": `"m-%s"`, "memory_ids": `["m-%s","none"]`, "text": `"These are ads"`, "query": `"ads"`, "name": `"create_ad"`,
	"result": `{"id":"ad-7","name":"an ad"}`, "messages": `[{"id":"b","role":"user","content":"hello","created_at":"2026-03-01T11:00:00Z"}]`,
	"memories": `[{"id":"m-%s","text":"These are ads"}]`, "pinned": "true", "policy": `{"budget":0}`,
}

// calls are ways to ask a tool for what is another's.
func calls(t *testing.T, tool *mcp.Tool, namespaces, users []string) (all []map[string]any) {
	t.Helper()
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal([]byte(encode(tool.InputSchema)), &schema))
	required := map[string]bool{"session_id": schema.Properties["session_id"] != nil && !isFilter(schema.Properties["session_id"])}
	for _, name := range schema.Required {
		required[name] = true
	}
	switch tool.Name { // either of two is needed
	case "forget_memories":
		required["policy"] = true
	case "edit_long_term_memory":
		required["pinned"] = true
	}
	for _, n := range []string{"1", "2"} {
		base := map[string]any{}
		for name := range required {
			if required[name] {
				require.Contains(t, samples, name, "what is that?")
				base[name] = sample(t, name, n)
			}
		}
		if _, ok := schema.Properties["dry_run"]; ok {
			base["dry_run"] = false
			if schema.Properties["session_id"] != nil {
				byID := map[string]any{"memory_ids": sample(t, "memory_ids", n)}
				all = append(all, byID)
				delete(base, "session_id")
			}
		}
		for _, namespace := range namespaces {
			for _, user := range users {
				owner := map[string]any{}
				for name, value := range map[string]string{"namespace": namespace, "user_id": user} {
					if value != "-" {
						owner[name] = value
					}
				}
				arguments := maps.Clone(base)
				for name, value := range owner {
					require.Contains(t, schema.Properties, name, "tools are for somebody")
					arguments[name] = value
					if isOnlyFilter(schema.Properties[name]) {
						arguments[name] = map[string]any{"eq": value}
						several := maps.Clone(base)
						several[name] = map[string]any{"any": []any{value, "x"}}
						all = append(all, several)
					}
				}
				all = append(all, arguments)
				if list, ok := base["memories"]; ok && schema.Properties["memories"].Items.Properties["namespace"] != nil {
					within := maps.Clone(base)
					one := maps.Clone(list.([]any)[0].(map[string]any))
					maps.Copy(one, owner)
					within["memories"] = []any{one}
					all = append(all, within)
				}
			}
		}
	}
	require.GreaterOrEqual(t, len(all), 8)
	return all
}

func sample(t *testing.T, name, n string) (v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(samples[name], "%s", n)), &v))
	return v
}

// isFilter says that an argument may be a condition, isOnlyFilter that it must be one.
func isFilter(s *jsonschema.Schema) bool {
	return isOnlyFilter(s) || slices.ContainsFunc(s.AnyOf, isOnlyFilter)
}

func isOnlyFilter(s *jsonschema.Schema) bool { return s != nil && s.Properties["startswith"] != nil }

// TestOthersDataMakeNoResource is the same of every template of resources.
func TestOthersDataMakeNoResource(t *testing.T) {
	t.Parallel()
	for name, c := range bound {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			alone, beside := newWorld(t, c.tenant, nil), newWorld(t, c.tenant, c.foreign)
			listed, err := alone.admin.session.ListResourceTemplates(t.Context(), nil)
			require.NoError(t, err)
			require.NotEmpty(t, listed.ResourceTemplates)
			reached := map[string]bool{}
			for _, template := range listed.ResourceTemplates {
				path, _, _ := strings.Cut(template.URITemplate, "{?")
				for _, id := range []string{"s-1", "s-2", "%73-2", "s%2D2", "S-2", "s-2%2F..%2Fs-2", "%2E%2E"} {
					for _, namespace := range c.ns {
						for _, user := range c.user {
							query := url.Values{}
							if namespace != "-" {
								query.Set("namespace", namespace)
							}
							if user != "-" {
								query.Set("user_id", user)
							}
							uri := strings.Replace(path, "{session_id}", id, 1) + "?" + query.Encode()
							require.NotContains(t, uri, "{", "what does the URI have?")
							want, got := alone.tenant.read(uri), beside.tenant.read(uri)
							assert.Equal(t, want, got, uri)
							assert.NotContains(t, got, "confidential", uri)
							reached[path] = reached[path] || strings.Contains(beside.admin.read(uri), "confidential")
						}
					}
				}
				assert.True(t, reached[path], "no URI was of the others' data: %s", path)
			}
		})
	}
}

// read reads a resource, or says why not.
func (c *caller) read(uri string) string {
	c.t.Helper()
	found, err := c.session.ReadResource(c.t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return err.Error()
	}
	return made.ReplaceAllString(encode(found), "made")
}
