package mcpproxy_test

import (
	"log/slog"
	"regexp"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// hub is a proxy in front of the servers a and b.
type hub struct {
	*run
	a, b *end
	log  *syncbuffer.Buffer
}

func startHub(t *testing.T) *hub {
	t.Helper()
	h := &hub{run: &run{recorded: new(recorded), done: make(chan error, 1)}, log: new(syncbuffer.Buffer)}
	var client, a, b *mcpproxy.Stream
	h.client, client = newConn(t)
	h.a, a = newConn(t)
	h.b, b = newConn(t)
	recorder, err := middleware.NewRecorder(&middleware.Options{OnCall: h.recorded.add})
	require.NoError(t, err)
	servers := mcpproxy.NewHub(map[string]mcpproxy.Conn{"b": b, "a": a}, slog.New(slog.NewTextHandler(h.log, nil)))
	go func() { h.done <- mcpproxy.Run(t.Context(), recorder, client, servers, nil) }()
	return h
}

// end ends the client and the servers.
func (h *hub) end() {
	h.client.t.Helper()
	require.NoError(h.client.t, h.client.w.Close())
	h.a.ended()
	h.b.ended()
	require.NoError(h.client.t, <-h.done)
}

// both plays both servers for a request of the hub that they both receive.
func (h *hub) both(received, ofA, ofB string) {
	h.client.t.Helper()
	for s, answer := range map[*end]string{h.a: ofA, h.b: ofB} {
		s.answerNext(received, answer)
	}
}

var ownID = regexp.MustCompile(`^{"jsonrpc":"2.0","id":("workingmemory-\d+"),(.*)`)

// answerNext answers a request of the hub.
func (e *end) answerNext(received, answer string) {
	e.t.Helper()
	got := ownID.FindStringSubmatch(e.receive())
	require.Len(e.t, got, 3)
	require.Equal(e.t, received, got[2])
	e.send(`{"jsonrpc":"2.0","id":` + got[1] + `,` + answer + `}`)
}

const noMethod = `"error":{"code":-32601,"message":"Method not found"}`

// inHub runs a test with a hub.
func inHub(t *testing.T, test func(t *testing.T, h *hub)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := startHub(t)
		test(t, h)
		h.end()
	})
}

func TestHubInitializes(t *testing.T) {
	inHub(t, func(t *testing.T, h *hub) {
		h.client.send(request("1", "server/discover", `{}`))
		assert.Contains(t, h.client.receive(), "Method not found")
		h.client.send(request("1", "initialize", `{"x":1}`))
		h.both(`"method":"initialize","params":{"x":1}}`,
			`"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{}},"instructions":"Be quick.","serverInfo":{"name":"A"}}`,
			`"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{"listChanged":false},"resources":{"subscribe":true}},"instructions":"Be kind."}`)
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"logging":{},"resources":{"subscribe":true},"tools":{"listChanged":true}},"instructions":"a: Be quick.\nb: Be kind.\n","serverInfo":{"name":"workingmemory","version":"1"}}}`, h.client.receive())
		h.client.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		assert.Equal(t, h.a.receive(), h.b.receive(), "notifications go to all")
		h.client.send(request("2", "ping", `{}`))
		assert.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{}}`, h.client.receive())
		h.client.send(request("3", "logging/setLevel", `{"level":"info"}`))
		h.both(`"method":"logging/setLevel","params":{"level":"info"}}`, `"result":{}`, noMethod)
		assert.Equal(t, `{"jsonrpc":"2.0","id":3,"result":{}}`, h.client.receive())
	})
}

// A server that does not answer in time is left out.
func TestHubWithoutAServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := startHub(t)
		h.client.send(request("1", "initialize", `{}`))
		h.a.answerNext(`"method":"initialize","params":{}}`, `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}`)
		began := time.Now()
		h.b.receive()
		assert.Contains(t, h.client.receive(), `"protocolVersion":"2025-06-18"`)
		assert.Equal(t, 30*time.Second, time.Since(began))
		h.b.ended()
		h.client.send(request("2", "tools/list", `{}`))
		h.a.answerNext(`"method":"tools/list"}`, `"result":{"tools":[{"name":"find"}]}`)
		assert.Contains(t, h.client.receive(), `"tools":[{"name":"find"},{`)
		assert.Contains(t, h.log.String(), `msg="mcpproxy: a server is left out: it did not initialize" server=b`)
		require.NoError(t, h.client.w.Close())
		h.a.ended()
		require.NoError(t, <-h.done)
	})
}

// A tool is called by the name that it was listed with, on its server, whatever the order.
func TestHubCalls(t *testing.T) {
	inHub(t, func(t *testing.T, h *hub) {
		h.client.send(request("3", "tools/list", `{"cursor":"x"}`))
		h.a.answerNext(`"method":"tools/list"}`, `"result":{"tools":[{"name":"find","x":1.0}],"nextCursor":"p\"2"}`)
		h.a.answerNext(`"method":"tools/list","params":{"cursor":"p\"2"}}`, `"result":{"tools":[{"name":"only_a"}]}`)
		h.b.answerNext(`"method":"tools/list"}`, `"result":{"tools":[{"y":2,"name":"find"}]}`)
		assert.Equal(t, `{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a__find","x":1.0},{"name":"only_a"},{"y":2,"name":"b__find"},`+blockTool+`]}}`, h.client.receive())

		h.client.send(call("4", "b__find", `{"n":1.0}`))
		assert.Equal(t, call("4", "find", `{"n":1.0}`), h.b.receive())
		h.client.send(call("5", "only_a", `{}`))
		assert.Equal(t, call("5", "only_a", `{}`), h.a.receive())
		h.a.send(result("5", text("of a")))
		assert.Equal(t, result("5", text("of a")), h.client.receive())
		h.b.send(result("4", text(order)))
		assert.Equal(t, result("4", text(order)), h.client.receive())

		cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"6"}}`
		h.client.send(call(`"6"`, "a__find", `{}`))
		assert.Equal(t, call(`"6"`, "find", `{}`), h.a.receive())
		h.client.send(cancelled)
		assert.Equal(t, cancelled, h.a.receive())

		changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		h.b.send(changed)
		assert.Equal(t, changed, h.client.receive())
		h.client.send(call("7", "find", `{}`)) // the lists are read again
		h.both(`"method":"tools/list"}`, noMethod, `"result":{"tools":[{"name":"find"}]}`)
		assert.Equal(t, call("7", "find", `{}`), h.b.receive())
		h.b.send(failure("7", -1, "no"))
		assert.Equal(t, failure("7", -1, "no"), h.client.receive())

		synctest.Wait()
		calls := h.recorded.all()
		require.Len(t, calls, 4)
		for i, want := range []string{"only_a of a", "b__find of b", "a__find of a", "find of "} {
			assert.Equal(t, want, calls[i].Name+" of "+calls[i].Source)
		}
	})
}

// A request of a server reaches the client with an id of its own, and its answer that server.
func TestHubPassesRequestsOfServers(t *testing.T) {
	inHub(t, func(t *testing.T, h *hub) {
		for _, id := range []string{`7`, `"x:\"y"`} {
			for i, s := range []*end{h.a, h.b} {
				s.send(request(id, "sampling/createMessage", `{}`))
				quoted := strconv.Quote(strconv.Itoa(i) + ":" + id)
				assert.Equal(t, request(quoted, "sampling/createMessage", `{}`), h.client.receive())
				s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
				assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+quoted+`}}`, h.client.receive())
				h.client.send(result(quoted, `{"role":"assistant"}`))
				assert.Equal(t, result(id, `{"role":"assistant"}`), s.receive())
			}
		}
		h.client.send(result(`"9:1"`, `{}`), result("1", `{}`), "not JSON") // belong to no server
	})
}

// A request that names nothing known goes to one server after another.
func TestHubAsksOneAfterAnother(t *testing.T) {
	inHub(t, func(t *testing.T, h *hub) {
		h.client.send(request("1", "resources/read", `{"uri":"x://1"}`))
		h.both(`"method":"resources/list"}`, `"result":{"resources":[{"uri":"a://1"}]}`, noMethod)
		h.a.answerNext(`"method":"resources/read","params":{"uri":"x://1"}}`, `"error":{"code":-32002,"message":"not found"}`)
		h.b.answerNext(`"method":"resources/read","params":{"uri":"x://1"}}`, `"result":{"contents":[]}`)
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"contents":[]}}`, h.client.receive())
		h.client.send(request("2", "resources/subscribe", `{"uri":"a://1"}`))
		assert.Equal(t, request("2", "resources/subscribe", `{"uri":"a://1"}`), h.a.receive())
		h.client.send(request("3", "x/new", `{}`))
		h.a.answerNext(`"method":"x/new","params":{}}`, noMethod)
		h.b.answerNext(`"method":"x/new","params":{}}`, `"error":{"code":-1,"message":"last"}`)
		assert.Equal(t, `{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"last"}}`, h.client.receive())
	})
}

// When a server ends, its requests are answered with errors, and the others go on; when the last
// ends, the proxy does.
func TestServersOfAHubEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := startHub(t)
		h.client.send(request("1", "tools/list", `{}`))
		h.both(`"method":"tools/list"}`, `"result":{"tools":[{"name":"of_a"}]}`, `"result":{"tools":[{"name":"of_b"}]}`)
		h.client.receive()
		h.client.send(call("2", "of_a", `{}`))
		h.a.receive()
		require.NoError(t, h.a.w.Close())
		assert.Contains(t, h.client.receive(), `"id":2,"error":{"code":-32603,"message":"The server a has ended"}`)
		h.client.send(call("3", "of_b", `{}`))
		h.b.answerNext(`"method":"tools/list"}`, `"result":{"tools":[{"name":"of_b"}]}`)
		assert.Equal(t, call("3", "of_b", `{}`), h.b.receive())
		require.NoError(t, h.b.w.Close())
		assert.Contains(t, h.client.receive(), "The server b has ended")
		require.NoError(t, <-h.done)
		assert.Equal(t, "of_a({}) failed: The server a has ended\nof_b({}) failed: The server b has ended\n", h.recorded.String())
		assert.Contains(t, h.log.String(), `msg="mcpproxy: a server ended" server=a`)
	})
}
