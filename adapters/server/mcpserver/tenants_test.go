package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// world is two callers of the same data: an operator, and a tenant.
type world struct{ operator, tenant *caller }

func newWorld(t *testing.T, tenant auth.Tenant) *world {
	t.Helper()
	memory, err := longterm.New(memindex.New(nil), &longterm.Options{Now: clock})
	require.NoError(t, err)
	manager := newManager(t)
	connected := func(tenant auth.Tenant) *caller {
		s, err := mcpserver.New(manager, &mcpserver.Options{
			Memory: memory, Now: clock, Tools: []string{mcpserver.ToolsAll}, Tenant: func(context.Context) (auth.Tenant, error) { return tenant, nil },
		})
		require.NoError(t, err)
		return newCaller(t, connect(t, s.MCP()))
	}
	w := &world{connected(auth.Tenant{}), connected(tenant)}
	w.fill()
	connected(auth.Tenant{}).call("record_tool_call", `{"session_id":"s-1","namespace":"shop","user_id":"anna","name":"read_file","store_results":true,"result":"`+strings.Repeat("confidential ads ", 4000)+`"}`)
	connected(auth.Tenant{}).call("record_tool_call", `{"session_id":"s-1","namespace":"shop","user_id":"anna","name":"get_account","handles":true,"result":{"account":{"id":"0b7c4f0e-6d0b-4c39-9f0a-5b0f6c1d2e3f"}}}`)
	return w
}

// fill writes a session and a memory of anna in the namespace shop.
func (w *world) fill() {
	w.operator.t.Helper()
	const owner = `"namespace":"shop","user_id":"anna"`
	w.operator.call("set_working_memory", `{"session_id":"s-1",`+owner+`,"messages":[{"id":"a","role":"user","content":"confidential ads","created_at":"2026-03-01T11:00:00Z"}]}`)
	w.operator.call("record_tool_call", `{"session_id":"s-1",`+owner+`,"name":"create_ad","result":{"id":"ad-1","name":"confidential ads"}}`)
	w.operator.call("create_long_term_memories", `{"memories":[{"id":"m-1","text":"These are confidential ads","session_id":"s-1"}],`+owner+`}`)
}

// read returns anna's data.
func (w *world) read() (all string) {
	w.operator.t.Helper()
	const owner = `"namespace":"shop","user_id":"anna"`
	for _, call := range [][2]string{{"get_working_memory", `"session_id":"s-1"`}, {"get_block", `"session_id":"s-1"`}, {"get_long_term_memory", `"memory_id":"m-1"`}} {
		result := textOf(w.operator.result(w.operator.t.Context(), call[0], "{"+call[1]+","+owner+"}"))
		all += fmt.Sprintln(strings.Count(result, "confidential"), strings.Count(result, `"pinned":true`), strings.Contains(result, "hello"))
	}
	return all
}

// samples are values of arguments.
var samples = map[string]string{
	"session_id": `"s-1"`, "memory_id": `"m-1"`, "memory_ids": `["m-1"]`, "text": `"These are ads"`, "query": `"ads"`, "name": `"create_ad"`,
	"handle": `"result#1"`, "arguments": `{"id":"account#1"}`,
	"result": `{"id":"ad-7","name":"an ad"}`, "messages": `[{"id":"b","role":"user","content":"hello","created_at":"2026-03-01T11:00:00Z"}]`,
	"memories": `[{"id":"m-1","text":"These are ads","namespace":"shop","user_id":"anna"}]`, "pinned": "true", "policy": `{"budget":0}`,
}

// argumentsOf returns calls of a tool that are about anna's data, with and without her name.
func argumentsOf(t *testing.T, tool *mcp.Tool) (all []string) {
	t.Helper()
	encoded, err := json.Marshal(tool.InputSchema)
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(encoded, &schema))
	needed := schema.Required
	switch tool.Name { // they need one of several arguments
	case "edit_long_term_memory":
		needed = append(needed, "pinned")
	case "record_tool_call":
		needed = append(needed, "result")
	case "search_long_term_memory":
		return []string{`{"text":"ads"}`, `{"text":"ads","filters":{"namespace":"shop","user_id":["anna"]}}`, `{}`}
	}
	if schema.Properties["session_id"] != nil && tool.Name != "forget_memories" {
		needed = append(needed, "session_id")
	}
	for _, name := range needed {
		require.Contains(t, samples, name, "%s needs a sample", tool.Name)
	}
	return argumentsWith(&schema, needed)
}

func argumentsWith(schema *jsonschema.Schema, names []string) (all []string) {
	for _, named := range []bool{false, true} {
		var parts []string
		for _, name := range names {
			parts = append(parts, fmt.Sprintf("%q:%s", name, samples[name]))
		}
		if schema.Properties["dry_run"] != nil {
			parts = append(parts, `"dry_run":false`)
		}
		for name, value := range map[string]string{"namespace": "shop", "user_id": "anna"} {
			if named && schema.Properties[name] != nil {
				parts = append(parts, fmt.Sprintf("%q:%q", name, value))
			}
		}
		all = append(all, "{"+strings.Join(parts, ",")+"}")
	}
	return all
}

// A tenant reaches nothing of another with any listed tool or resource. An operator makes the same
// calls, to show that they would reach it.
func TestTenantsAreSeparate(t *testing.T) {
	t.Parallel()
	for _, tenant := range []auth.Tenant{{Namespace: "rival"}, {UserID: "bob"}} {
		t.Run(tenant.Namespace+" "+tenant.UserID, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tenant)
			for _, uri := range []string{"memory://sessions/s-1/block", "memory://sessions/s-1/entities", "memory://sessions/%73-1/entities"} {
				for _, query := range []string{"", "?namespace=shop&user_id=anna"} {
					found, err := w.operator.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri + query})
					require.NoError(t, err)
					assert.Contains(t, found.Contents[0].Text, "confidential")
					found, err = w.tenant.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri + query})
					if err == nil {
						assert.NotContains(t, found.Contents[0].Text, "confidential", uri)
					}
				}
			}
			before := w.read()
			listed, err := w.tenant.session.ListTools(t.Context(), nil)
			require.NoError(t, err)
			for _, tool := range listed.Tools {
				if tool.Name == "get_current_datetime" {
					continue
				}
				reached := false
				for _, arguments := range argumentsOf(t, tool) {
					got := textOf(w.tenant.result(t.Context(), tool.Name, arguments))
					assert.NotContains(t, got, "confidential", "%s %s", tool.Name, arguments)
					assert.NotContains(t, got, "0b7c4f0e", "%s %s", tool.Name, arguments)
					assert.NotContains(t, got, "Invalid arguments", "%s %s", tool.Name, arguments)
					require.Equal(t, before, w.read(), "%s %s", tool.Name, arguments)
					reached = reached || textOf(w.operator.result(t.Context(), tool.Name, arguments)) != got || w.read() != before
					w.fill()
				}
				assert.True(t, reached, tool.Name)
			}
		})
	}
}
