package mcpserver_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
)

// The SDK handles requests in its own goroutines, where a panic would end the process.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newServer(t, mcpserver.Options{Timeout: time.Second}).HTTPHandler())
	t.Cleanup(server.Close)
	methods := []string{
		"initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
		"resources/subscribe", "prompts/get", "completion/complete", "logging/setLevel",
		"notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed",
		"subscriptions/listen", "server/discover", "tasks/get", "sampling/createMessage", "", "\\u0000",
	}
	params := []string{
		"", `,"params":null`, `,"params":[]`, `,"params":1`, `,"params":"x"`, `,"params":{}`, `,"params":{"name":null,"arguments":null}`,
		`,"params":{"name":"get_block","arguments":[]}`, `,"params":{"name":"get_block","arguments":"x"}`, `,"params":{"name":1}`,
		`,"params":{"uri":null}`, `,"params":{"uri":"memory://sessions/%ff/block"}`, `,"params":{"uri":"memory://sessions/%00/entities"}`,
		`,"params":{"uri":"memory://sessions/s/block?budget=-1"}`, `,"params":{"ref":null,"argument":null}`, `,"params":{"_meta":null}`, `,"params":{"_meta":1}`,
		`,"params":{"_meta":{"progressToken":{}}}`, `,"params":{"cursor":"x"}`, `,"params":{"protocolVersion":null,"capabilities":null,"clientInfo":null}`,
		`,"params":{"requestId":{},"level":1}`, `,"params":{"name":"get_block","arguments":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
	}
	for _, version := range []string{"", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			for _, method := range methods {
				for _, p := range params {
					for _, id := range []string{`,"id":1`, "", `,"id":null`, `,"id":{}`} {
						if id != `,"id":1` && len(p) > 15 {
							continue
						}
						var header []string
						if version != "" {
							header = []string{"Mcp-Protocol-Version", version, "Mcp-Method", strings.TrimPrefix(method, "\\")}
						}
						status, said := post(t, server.URL, fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s"%s%s}`, method, id, p), header...)
						assert.Less(t, status, 500, "%s%s%s: %s", method, id, p, said)
					}
				}
			}
		})
	}
}

// Arguments that would take far more memory than their text are refused.
func TestArgumentsThatGrow(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newServer(t, mcpserver.Options{Timeout: time.Hour, BodyTimeout: time.Hour}).HTTPHandler())
	t.Cleanup(server.Close)
	for name, refused := range map[string]bool{`{"":0}`: true, `"` + strings.Repeat("x", 6000) + `"`: false} {
		data := strings.Repeat(name+",", (250<<10)/len(name)) + name
		status, said := post(t, server.URL, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_working_memory","arguments":{"session_id":"s","data":{"a":[`+data+`]}}}}`)
		assert.Equal(t, 200, status)
		assert.Equal(t, refused, strings.Contains(said, "too much memory"), "%.300s", said)
	}
}
