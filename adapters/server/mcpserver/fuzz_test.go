package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
)

// FuzzResources reads any URI as a tenant without data, which must not return the data of
// another.
func FuzzResources(f *testing.F) {
	for _, uri := range []string{
		"memory://sessions/s/block", "memory://sessions/s/entities?user_id=anna", "memory://sessions/a%2Fb/block?budget=5&namespace=%20",
		"memory://sessions/%zz/block", "memory://sessions/s/block?user_id=anna&user_id=bert", "memory:///s/block", "%",
	} {
		f.Add(uri)
	}
	bert := mcpserver.Options{Tenant: func(ctx context.Context) (auth.Tenant, error) { return auth.Tenant{UserID: "bert"}, nil }}
	manager := newManager(f)
	mine := newCaller(f, connect(f, serverOn(f, manager, mcpserver.Options{UserID: "anna"}).MCP()))
	mine.call("record_tool_call", `{"session_id":"s","name":"find_order","result":{"order":{"id":"secret-1","name":"Secret"}}}`)
	theirs := connect(f, serverOn(f, manager, bert).MCP())
	f.Fuzz(func(t *testing.T, uri string) {
		if !utf8.ValidString(uri) {
			t.Skip()
		}
		found, err := theirs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			if strings.Contains(err.Error(), "Internal") {
				t.Fatal(err)
			}
			return
		}
		if said, _ := json.Marshal(found); strings.Contains(strings.ToLower(found.Contents[0].Text), "secret") {
			t.Fatalf("%s", said)
		}
	})
}
