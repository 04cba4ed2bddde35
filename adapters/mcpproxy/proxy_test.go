package mcpproxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/middleware"
)

const order = `{"order":{"id":"W-1042","name":"Blue kettle"}}`

// Each call is recorded once, with its arguments and its outcome.
func TestCallsAreRecorded(t *testing.T) {
	t.Parallel()
	cancelled := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"late"}}`
	}
	type step struct{ client, server string } // what one of them sends
	for name, c := range map[string]struct {
		steps []step
		want  string
	}{
		"text":                      {[]step{{client: call("1", "find", `{"n":1}`)}, {server: result("1", text("a"))}}, "find({\"n\":1}) = a\n"},
		"texts":                     {[]step{{client: call("1", "find", `{}`)}, {server: result("1", `{"content":[{"type":"text","text":"a"},{"type":"image","data":"x"},{"type":"resource","resource":{"text":"b"}},{"type":"new","text":"c"}]}`)}}, "find({}) = [a b]\n"},
		"structured":                {[]step{{client: call("1", "find", `{}`)}, {server: result("1", `{"structuredContent":{"id":9007199254740993},"content":[{"type":"text","text":"{\"id\": 9007199254740993}"}]}`)}}, "find({}) = {\"id\":9007199254740993}\n"},
		"structured and a text":     {[]step{{client: call("1", "find", `{}`)}, {server: result("1", `{"structuredContent":{"total":1},"content":[{"type":"text","text":"one"}]}`)}}, "find({}) = map[content:[map[text:one type:text]] structuredContent:{\"total\":1}]\n"},
		"wrapped text":              {[]step{{client: call("1", "find", `{}`)}, {server: result("1", `{"structuredContent":{"content":"[FILE] a"},"content":[{"type":"text","text":"[FILE] a"}]}`)}}, "find({}) = [FILE] a\n"},
		"link":                      {[]step{{client: call("1", "find", `{}`)}, {server: result("1", `{"content":[{"type":"resource_link","uri":"dam://assets/7","name":"Pier","mimeType":"image/png"}]}`)}}, "find({}) = {\"uri\":\"dam://assets/7\",\"name\":\"Pier\",\"mimeType\":\"image/png\"}\n"},
		"no arguments":              {[]step{{client: request("1", "tools/call", `{"name":"find"}`)}, {server: result("1", text("a"))}}, "find(%!s(<nil>)) = a\n"},
		"tool error":                {[]step{{client: call("1", "find", `{}`)}, {server: result("1", `{"isError":true,"content":[{"type":"text","text":"no"}]}`)}}, "find({}) failed: no\n"},
		"error":                     {[]step{{client: call("1", "find", `{}`)}, {server: failure("1", -32602, "unknown tool")}}, "find({}) failed: unknown tool\n"},
		"out of order":              {[]step{{client: call("1", "a", `{}`)}, {client: call(`"1"`, "b", `{}`)}, {client: call("2", "c", `{}`)}, {server: result("2", text("of c"))}, {server: result(`"1"`, text("of b"))}, {server: result("1", text("of a"))}}, "c({}) = of c\nb({}) = of b\na({}) = of a\n"},
		"ids written in other ways": {[]step{{client: call("1.0", "a", `{}`)}, {client: call(`"\u0031x"`, "b", `{}`)}, {server: result(`"1x"`, text("of b"))}, {server: result("1", text("of a"))}}, "b({}) = of b\na({}) = of a\n"},
		"id used again":             {[]step{{client: call("1", "a", `{}`)}, {server: result("1", text("of a"))}, {client: call("1", "b", `{}`)}, {server: result("1", text("of b"))}}, "a({}) = of a\nb({}) = of b\n"},
		"retried while it runs":     {[]step{{client: call("1", "a", `{"n":1}`)}, {client: call("1", "a", `{"n":2}`)}, {server: result("1", text("of 1"))}, {server: result("1", text("of 2"))}}, "a({\"n\":1}) = of 1\na({\"n\":2}) = of 2\n"},
		"cancelled":                 {[]step{{client: call("1", "a", `{}`)}, {client: cancelled("1")}, {server: result("1", text("late"))}}, "a({}) failed: context canceled\n"},
		"cancelled and retried":     {[]step{{client: call("1", "a", `{}`)}, {client: cancelled("1")}, {client: call("1", "a", `{}`)}, {server: result("1", text("of the second"))}}, "a({}) failed: context canceled\na({}) = of the second\n"},
		"another one cancelled":     {[]step{{client: call("1", "a", `{}`)}, {client: cancelled("2")}, {client: cancelled("null")}, {server: result("1", text("of a"))}}, "a({}) = of a\n"},
		"unanswered":                {[]step{{client: call("1", "a", `{}`)}}, "a({}) failed: the server ended before it answered\n"},
		"asks for input":            {[]step{{client: call("1", "a", `{}`)}, {server: result("1", `{"resultType":"input_required","inputRequests":{"x":{"method":"elicitation/create"}}}`)}, {client: call("2", "a", `{}`)}, {server: result("2", text("of a"))}}, "a({}) = of a\n"},
		"own result of another":     {[]step{{client: call("1", "get_block", `{}`)}, {server: result("1", `{"_meta":{"go-workingmemory.github.io/own":true},"content":[{"type":"text","text":"a"}]}`)}}, ""},
		"task":                      {[]step{{client: request("1", "tools/call", `{"name":"a","arguments":{},"task":{"ttl":1}}`)}, {server: result("1", `{"task":{"taskId":"t-1","status":"working"}}`)}, {client: request("2", "tasks/get", `{"taskId":"t-1"}`)}, {server: result("2", `{"taskId":"t-1","status":"working"}`)}, {client: request("3", "tasks/result", `{"taskId":"t-1"}`)}, {client: cancelled("3")}, {client: request("4", "tasks/result", `{"taskId":"t-1"}`)}, {server: result("4", text("of a"))}, {client: request("5", "tasks/result", `{"taskId":"t-1"}`)}, {server: result("5", text("of a"))}}, "a({}) = of a\n"},
		"refused task":              {[]step{{client: request("1", "tools/call", `{"name":"a","arguments":{},"task":{}}`)}, {server: result("1", text("of a"))}}, "a({}) = of a\n"},
		"not a call":                {[]step{{client: request("1", "prompts/get", `{"name":"a","arguments":{}}`)}, {server: result("1", text("of a"))}, {server: result("1", text("of nothing"))}}, ""},
		"a request of the server":   {[]step{{client: call("1", "a", `{}`)}, {server: request("1", "sampling/createMessage", `{}`)}, {client: result("1", text("sampled"))}, {server: result("1", text("of a"))}}, "a({}) = of a\n"},
		"malformed":                 {[]step{{client: request("1", "tools/call", `{"name":1}`)}, {client: request("2", "tools/call", `[]`)}, {client: `{"jsonrpc":"2.0","id":3,"method":"tools/call"}`}, {server: result("1", text("a"))}}, ""},
		"odd result":                {[]step{{client: call("1", "a", `{}`)}, {server: result("1", `[]`)}, {client: call("1", "a", `{}`)}, {server: result("1", `{"content":7}`)}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, mcpproxy.Options{}, middleware.Options{})
				for _, s := range c.steps {
					if s.client != "" {
						r.pass(s.client)
					} else {
						r.answer(s.server)
					}
				}
				r.end()
				assert.Equal(t, c.want, r.recorded.String())
			})
		})
	}
}

// The name that the server gives itself is the source of its tools, and the time is that of the
// call.
func TestSourceAndTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcpproxy.Options{}, middleware.Options{})
		r.pass(request("0", "initialize", `{}`))
		r.answer(result("0", `{"capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"shop"}}`))
		r.pass(call("1", "find", `{}`))
		began := time.Now()
		time.Sleep(time.Minute)
		r.answer(result("1", text(order)))
		r.end()
		require.Len(t, r.recorded.all(), 1)
		got := r.recorded.all()[0]
		assert.Equal(t, "shop", got.Source)
		assert.True(t, began.Equal(got.Start))
		assert.Equal(t, time.Minute, got.Duration)
	})
}

// blocked is an extractor that waits.
type blocked struct{ release chan struct{} }

func (b *blocked) Extract(ctx context.Context, _ extractor.Input) (extractor.Extraction, error) {
	select {
	case <-b.release:
		return extractor.Extraction{}, nil
	case <-ctx.Done():
		return extractor.Extraction{}, ctx.Err()
	}
}

// Recording does not delay answers; when too much waits to be recorded, it is not.
func TestRecordingDelaysNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := new(syncbuffer.Buffer)
		x := &blocked{make(chan struct{})}
		r := start(t, mcpproxy.Options{RecordTimeout: time.Hour, Logger: slog.New(slog.NewTextHandler(log, nil))}, middleware.Options{Extractor: x})
		began := time.Now()
		for range 1100 {
			r.pass(call("1", "find", `{"q":"hunter2"}`))
			r.answer(result("1", text("hunter2")))
		}
		assert.Equal(t, began, time.Now())
		close(x.release)
		r.end()
		assert.Len(t, r.recorded.all(), 1025, "one is in progress")
		assert.Equal(t, 75, strings.Count(log.String(), `msg="mcpproxy: tool call not recorded" tool=find why="too many calls wait to be recorded"`))
		assert.NotContains(t, log.String(), "hunter2")
	})
}

// Of too many unanswered calls the oldest is not recorded.
func TestUnansweredCallsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := new(syncbuffer.Buffer)
		r := start(t, mcpproxy.Options{Logger: slog.New(slog.NewTextHandler(log, nil))}, middleware.Options{})
		for i := range 1001 {
			r.pass(call(strconv.Itoa(i), "tool-"+strconv.Itoa(i), `{}`))
		}
		r.answer(result("0", text("a")), result("1", text("b")))
		r.end()
		assert.Len(t, r.recorded.all(), 1000)
		assert.True(t, strings.HasPrefix(r.recorded.String(), "tool-1({}) = b\ntool-2({}) failed: "))
		assert.Contains(t, log.String(), `tool=tool-0 why="too many calls are unanswered"`)
	})
}

// A recording that takes too long is given up.
func TestRecordingIsLimited(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]mcpproxy.ResultBlock{"beside": mcpproxy.BlockNowhere, "before the answer": mcpproxy.BlockAfter} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, mcpproxy.Options{ResultBlock: at}, middleware.Options{Extractor: &blocked{make(chan struct{})}})
				began := time.Now()
				r.pass(call("1", "find", `{}`))
				r.answer(result("1", text("a")))
				r.end()
				assert.Equal(t, mcpproxy.DefaultRecordTimeout, time.Since(began))
			})
		})
	}
}

// Requests that are pending when the client ends are answered, within the grace period.
func TestEndOfClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcpproxy.Options{}, middleware.Options{})
		r.pass(call("1", "find", `{}`), request("2", "ping", `{}`))
		require.NoError(t, r.client.w.Close())
		time.Sleep(mcpproxy.DefaultGrace / 2)
		r.answer(result("1", text("a")), result("2", `{}`))
		r.server.ended()
		require.NoError(t, <-r.done)
		assert.Equal(t, "find({}) = a\n", r.recorded.String())
	})
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcpproxy.Options{}, middleware.Options{})
		r.pass(call("1", "find", `{}`))
		began := time.Now()
		require.NoError(t, r.client.w.Close())
		require.NoError(t, <-r.done, "neither an answer nor an end")
		assert.Equal(t, 2*mcpproxy.DefaultGrace, time.Since(began))
	})
}

// An answer that waits for its recording is sent, even if both ends are over.
func TestEndBeforeTheRecording(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := &blocked{make(chan struct{})}
		r := start(t, mcpproxy.Options{ResultBlock: mcpproxy.BlockAfter}, middleware.Options{Extractor: x})
		r.pass(call("1", "find", `{}`))
		r.server.send(result("1", text("a")))
		require.NoError(t, r.client.w.Close())
		r.server.ended()
		time.Sleep(mcpproxy.DefaultRecordTimeout / 2)
		close(x.release)
		assert.Equal(t, result("1", text("a")), r.client.receive())
		require.NoError(t, <-r.done)
		assert.Equal(t, "find({}) = a\n", r.recorded.String())
	})
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, mcpproxy.Options{}, middleware.Options{})
		r.pass(call("1", "find", `{}`))
		r.cancel()
		r.server.ended()
		require.ErrorIs(t, <-r.done, context.Canceled)
		assert.Contains(t, r.recorded.String(), "the server ended before it answered")
	})
}

// broken fails to read or write.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

// An error of a connection ends the proxy.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	b := broken{errors.New("broken pipe")}
	for name, c := range map[string]struct {
		clientIn, serverIn   string
		clientOut, serverOut io.Writer
		want                 string
	}{
		"from the client": {serverIn: "wait", want: "receiving from the client"},
		"from the server": {clientIn: "wait", want: "receiving from the server"},
		"to the client":   {clientIn: "wait", serverIn: "{}\n", clientOut: b, serverOut: io.Discard, want: "sending to the client"},
		"to the server":   {clientIn: "{}\n", serverIn: "wait", clientOut: io.Discard, serverOut: b, want: "sending to the server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				reader := func(in string) io.Reader {
					if in == "" {
						return b
					}
					open, _ := io.Pipe()
					return struct {
						io.Reader
						io.Closer
					}{io.MultiReader(strings.NewReader(strings.TrimPrefix(in, "wait")), open), open}
				}
				client, server := mcpproxy.NewStream(reader(c.clientIn), c.clientOut), mcpproxy.NewStream(reader(c.serverIn), c.serverOut)
				err := mcpproxy.Run(t.Context(), new(middleware.Recorder), client, server, nil)
				require.ErrorIs(t, err, b.err)
				require.ErrorContains(t, err, "mcpproxy: "+c.want)
			})
		})
	}
}

// Whatever the proxy does not know passes byte for byte, in both directions.
func TestBytesAreUnchanged(t *testing.T) {
	t.Parallel()
	value := rapid.OneOf(
		rapid.SampledFrom([]string{`null`, `9007199254740993.000`, `1e400`, `-0`, `"\u00e9\ud800 \/"`, `{"b":1,"a":2,"b":3}`, `[ 1 , 2 ]`, "\"\xff\"", `{"_meta":{"progressToken":"x"}}`}),
		rapid.Map(rapid.String(), func(s string) string { quoted, _ := json.Marshal(s); return string(quoted) }),
	)
	method := rapid.SampledFrom([]string{"ping", "prompts/get", "resources/subscribe", "completion/complete", "notifications/progress", "logging/setLevel", "x/new", "sampling/createMessage", "elicitation/create", "roots/list", "tasks/list"})
	message := rapid.Custom(func(t *rapid.T) string {
		members := []string{`"jsonrpc": "2.0"`}
		id := `"id":` + rapid.SampledFrom([]string{`1`, `"a"`, `null`, `1.50`, `{}`}).Draw(t, "id")
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			members = append(members, id, `"method" :"`+method.Draw(t, "method")+`"`, `"params":`+value.Draw(t, "params"))
		case 1:
			members = append(members, `"method":"`+method.Draw(t, "method")+`"`)
		case 2:
			members = append(members, `"result":`+value.Draw(t, "result"), id)
		case 3:
			members = append(members, id, `"error":{"code":-1,"message":`+value.Draw(t, "text")+`}`)
		case 4:
			return rapid.StringMatching(`[^\n]{0,40}`).Draw(t, "garbage")
		}
		members = append(members, `"more":`+value.Draw(t, "more"))
		return rapid.SampledFrom([]string{"", " ", "["}).Draw(t, "before") + "{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}" + rapid.SampledFrom([]string{"", " ", "\r", "]"}).Draw(t, "after")
	})
	for _, opts := range []mcpproxy.Options{{}, {ResultBlock: mcpproxy.BlockBefore}} {
		r := start(t, opts, middleware.Options{})
		rapid.Check(t, func(rt *rapid.T) {
			client, server := message.Draw(rt, "client"), message.Draw(rt, "server")
			r.client.send(client)
			require.Equal(rt, client, r.server.receive())
			r.server.send(server)
			require.Equal(rt, server, r.client.receive())
		})
		r.cancel()
		r.server.ended()
		require.ErrorIs(t, <-r.done, context.Canceled)
	}
}
