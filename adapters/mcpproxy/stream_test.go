package mcpproxy_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// copied returns what the server and the client receive if the client sends a text and the server,
// which ends after the client, another one.
func copied(t *testing.T, opts mcpproxy.Options, fromClient, fromServer io.Reader) (toServer, toClient string) {
	t.Helper()
	open, end := io.Pipe()
	client, server := new(syncbuffer.Buffer), new(syncbuffer.Buffer)
	err := mcpproxy.Run(t.Context(), new(middleware.Recorder),
		mcpproxy.NewStream(fromClient, client),
		mcpproxy.NewStream(io.MultiReader(fromServer, open), struct {
			io.Writer
			io.Closer
		}{server, end}), &opts)
	require.NoError(t, err)
	return server.String(), client.String()
}

// A message that is too long to be recorded is copied, in both directions, with those around it.
func TestLongMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := new(syncbuffer.Buffer)
		short := request("7", "ping", `{}`)
		for _, size := range []int{mcpproxy.MaxRecorded - 1, mcpproxy.MaxRecorded + 1, 2*mcpproxy.MaxRecorded + 100_000} {
			long := result("1", `"`+strings.Repeat("x", size-len(result("1", `""`)))+`"`)
			require.Len(t, long, size)
			in := strings.Join([]string{short, long, "", long}, "\n")
			toServer, toClient := copied(t, mcpproxy.Options{Grace: 1, Logger: slog.New(slog.NewTextHandler(log, nil))}, strings.NewReader(in), strings.NewReader(""))
			require.Empty(t, toClient)
			require.True(t, in+"\n" == toServer, "%d bytes to the server", size)
			toServer, toClient = copied(t, mcpproxy.Options{}, strings.NewReader(""), strings.NewReader(in))
			require.Empty(t, toServer)
			require.True(t, in+"\n" == toClient, "%d bytes to the client", size)
		}
		assert.Contains(t, log.String(), `msg="mcpproxy: a long message is not recorded" limit=16777216`)
		assert.NotContains(t, log.String(), "xxx")
	})
}

// Where a message cannot be copied as it arrives, it is put together, if it is not too long.
func TestLongMessagesForAHub(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, server := new(syncbuffer.Buffer), new(syncbuffer.Buffer)
		open, end := io.Pipe()
		hub := mcpproxy.NewHub(map[string]mcpproxy.Conn{"a": mcpproxy.NewStream(open, struct {
			io.Writer
			io.Closer
		}{server, end})}, slog.New(slog.NewTextHandler(log, nil)))
		notify := func(size int) string {
			return `{"jsonrpc":"2.0","method":"notifications/x","params":"` + strings.Repeat("x", size) + `"}` + "\n"
		}
		fits, last := notify(mcpproxy.MaxRecorded), notify(1)
		in := io.MultiReader(strings.NewReader(fits), strings.NewReader(notify(4*mcpproxy.MaxRecorded)), strings.NewReader(last))
		err := mcpproxy.Run(t.Context(), new(middleware.Recorder), mcpproxy.NewStream(in, io.Discard), hub, nil)
		require.NoError(t, err)
		require.True(t, fits+last == server.String())
		assert.Contains(t, log.String(), "a message is longer than 67108864 bytes")
	})
}

// However the bytes arrive, the messages are the same.
func TestPartialReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in := strings.Repeat(request("7", "ping", `{"x":"ä"}`)+"\r\n\n", 100) + "rest"
		for _, reader := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			toServer, toClient := copied(t, mcpproxy.Options{}, reader(strings.NewReader(in)), reader(strings.NewReader(in)))
			assert.Equal(t, in+"\n", toServer)
			assert.Equal(t, in+"\n", toClient)
		}
	})
}

// FuzzRun sends any bytes in both directions.
func FuzzRun(f *testing.F) {
	f.Add(request("1", "tools/list", `{}`)+"\n"+call("2", "find", `{}`), result("1", `{"tools":[{"outputSchema":{}}]}`)+"\n"+result("2", text(order)))
	f.Add(request("1", "initialize", `{}`)+"\nhello\n[1]\n", result("1", `{"capabilities":{},"serverInfo":{"name":"a"}}`)+"\r\n\n")
	f.Add(call("1", "working_memory_block", `{}`)+"\n"+request("2", "resources/read", `{"uri":"memory://session/block"}`), failure("1", -32601, "x"))
	f.Add(request("1", "tools/call", `{"task":{},"name":"a"}`)+"\n"+request("2", "tasks/result", `{"taskId":"t"}`), result("1", `{"task":{"taskId":"t"}}`)+"\n"+result("2", text("\xff")))
	f.Fuzz(func(t *testing.T, fromClient, fromServer string) {
		synctest.Test(t, func(t *testing.T) {
			toServer, toClient := copied(t, mcpproxy.Options{}, strings.NewReader(fromClient), strings.NewReader(""))
			answered := 0
			for line := range strings.Lines(fromClient) {
				line = strings.TrimSuffix(line, "\n") + "\n"
				if strings.HasPrefix(toServer, line) {
					toServer = toServer[len(line):]
				} else if json.Valid([]byte(line)) {
					answered++
				} else {
					t.Fatalf("%q is lost", line)
				}
			}
			require.Empty(t, toServer)
			require.Equal(t, answered, strings.Count(toClient, "\n"), "own answers")

			_, toClient = copied(t, mcpproxy.Options{}, strings.NewReader(""), strings.NewReader(fromServer))
			if fromServer != "" && !strings.HasSuffix(fromServer, "\n") {
				fromServer += "\n"
			}
			require.Equal(t, fromServer, toClient, "nothing was asked")

			_, toClient = copied(t, mcpproxy.Options{ResultBlock: mcpproxy.BlockBefore}, strings.NewReader(fromClient), strings.NewReader(fromServer))
			require.GreaterOrEqual(t, strings.Count(toClient, "\n"), strings.Count(fromServer, "\n"))
		})
	})
}
