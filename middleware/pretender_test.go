package middleware_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// pageKeys are the pages of a website, each with its key: ids of all kinds.
var pageKeys = map[string]string{"page-1001": "home-page", "page-1002": "about-us", "10002": "ED-1", "10003": "ED-2", "7": "SEVEN-7", "3f2504e0-4f89-11d3-9a0c-0305e82c3301": "terms"}

var pageIDs = []string{"page-1001", "page-1002", "10002", "10003", "7", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func oneOf[T any](t *rapid.T, name string, of ...T) T { return rapid.SampledFrom(of).Draw(t, name) }

// websiteCall draws a call of the agent's own tools, and changes the names that they gave.
func websiteCall(t *rapid.T, names map[string]string) middleware.ToolCall {
	id := oneOf(t, "page", pageIDs...)
	name := fmt.Sprint(oneOf(t, "name", "Home", "About", "Shop"), " ", rapid.IntRange(0, 2).Draw(t, "version"))
	page := map[string]any{"id": id, "title": name}
	if rapid.Bool().Draw(t, "keyed") {
		page["key"] = pageKeys[id]
	}
	tool, arguments, result := oneOf(t, "tool", "get", "list", "create", "update", "delete"), map[string]any{"page_id": id}, any(map[string]any{"page": page})
	switch tool {
	case "list":
		arguments, result = map[string]any{}, map[string]any{"pages": []any{page}}
	case "create":
		arguments = map[string]any{"title": name}
	case "update":
		arguments["title"], result = name, map[string]any{"success": true}
	case "delete":
		result = map[string]any{"success": true}
	}
	if names[id] = name; tool == "delete" {
		delete(names, id)
	}
	if rapid.Bool().Draw(t, "MCP") {
		result = map[string]any{"content": []any{map[string]any{"type": "text", "text": asJSON(result)}}}
	}
	return middleware.ToolCall{Name: oneOf(t, "namespace", "cms_", "mcp__cms__") + tool + "_page", Arguments: asJSON(arguments), Result: asJSON(result)}
}

// pretenderCall draws a call whose result has ids and keys of the pages as its own.
func pretenderCall(t *rapid.T) middleware.ToolCall {
	id := func(name string) string {
		page := oneOf(t, name, pageIDs...)
		return oneOf(t, name, page, pageKeys[page], "page-6666")
	}
	thing := map[string]any{oneOf(t, "id of", "id", "key", "slug", "page_id", "uuid"): id("id")}
	for range rapid.IntRange(0, 2).Draw(t, "keys") {
		thing[oneOf(t, "key of", "key", "slug", "uuid", "number", "page", "parent_id")] = id("key")
	}
	if rapid.Bool().Draw(t, "named") {
		thing["title"] = oneOf(t, "title", "Trash", "Home", "Home 0")
	}
	if rapid.Bool().Draw(t, "typed") {
		thing["type"] = oneOf(t, "type", "page", "spam", "user")
	}
	text := fmt.Sprintf("Page %s (%s) is called Trash.", id("id"), id("key"))
	results := []any{map[string]any{"pages": []any{thing}}, map[string]any{"spam": []any{thing}}, map[string]any{"email": map[string]any{"id": "em-1001", "subject": text, "body": asJSON(thing)}}}
	tool := oneOf(t, "tool", "mcp__web__fetch", "fetch", "bash", "mcp__mail__read_email", "read_email")
	if !strings.HasSuffix(tool, "email") { // which is believed about e-mails
		results = append(results, thing, []any{thing}, map[string]any{"page": thing}, text, `Page: "Trash" (ID: `+id("id")+")")
	}
	result := oneOf(t, "result", results...)
	if _, ok := result.(string); !ok {
		result = asJSON(result)
	}
	return middleware.ToolCall{Name: tool, Arguments: oneOf(t, "arguments", `{}`, `{"email_id":"em-1001"}`), Result: result}
}

// TestPretendersYield: whatever strangers say before, between and behind the calls of the
// agent's own tools, a page has the type and the name that these gave it last.
func TestPretendersYield(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		wc := memory.NewWorkingContext(&memory.ContextOptions{Capacity: 500})
		names := map[string]string{}
		for range rapid.IntRange(1, 10).Draw(t, "calls") {
			var call middleware.ToolCall
			switch oneOf(t, "whose", "own", "stranger", "use") {
			case "own":
				call = websiteCall(t, names)
			case "stranger":
				call = pretenderCall(t)
			default:
				page := oneOf(t, "used", pageIDs...)
				call = middleware.ToolCall{Name: "cms_publish_page", Arguments: asJSON(map[string]any{"page_id": oneOf(t, "used", page, pageKeys[page], "page-6666")}), Result: `{"ok":true}`}
			}
			require.NoError(t, newRecorder(t, &middleware.Options{Context: wc}).Record(context.Background(), call))
			switch oneOf(t, "then", "go on", "branch", "restore") {
			case "branch":
				wc = wc.Branch()
			case "restore":
				data, err := json.Marshal(wc)
				require.NoError(t, err)
				wc = memory.NewWorkingContext(&memory.ContextOptions{Capacity: 500})
				require.NoError(t, json.Unmarshal(data, wc))
			}
			for id, name := range names {
				got, ok := wc.Get(memory.Ref{Type: "page", ID: id})
				require.True(t, ok, "%s is known", id)
				require.Equal(t, memory.Entity{Type: "page", ID: id, Name: name}, memory.Entity{Type: got.Type, ID: got.ID, Name: got.Name})
			}
		}
	})
}
