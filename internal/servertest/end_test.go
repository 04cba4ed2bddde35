package servertest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequestsThatHaveBegunAreFinished(t *testing.T) {
	t.Parallel()
	s := settings{store: "sqlite:" + filepath.Join(t.TempDir(), "wmem.db"), args: estimate}
	p := start(t, s)
	c := call(t, p)
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	body := `{"messages":` + talk(3) + `}`
	// The server says that it reads: then the request has begun.
	_, err = fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", c.wm("s"), len(body))
	require.NoError(t, err)
	answers := bufio.NewReader(conn)
	line, err := answers.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "100 Continue")
	_, err = answers.ReadString('\n')
	require.NoError(t, err)

	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	c.eventually(func() bool {
		another, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
		if err == nil {
			_ = another.Close()
		}
		return err != nil
	})
	_, err = io.WriteString(conn, body)
	require.NoError(t, err)
	res, err := http.ReadResponse(answers, nil)
	require.NoError(t, err, "%s", p.logs)
	assert.Equal(t, http.StatusOK, res.StatusCode)
	_ = res.Body.Close()
	<-p.done
	assert.Zero(t, p.cmd.ProcessState.ExitCode())
	c.p = start(t, s)
	require.Equal(t, ids(0, 3), c.get(c.wm("s")).ok().all("id", "messages"))
}

func TestStartSaysWhatIsUsed(t *testing.T) {
	t.Parallel()
	p := start(t, settings{store: "memory:", args: append([]string{"--long-term=off"}, estimate...)})
	line, _, _ := strings.Cut(p.logs.String()[strings.Index(p.logs.String(), "wmem: listening"):], "\n")
	for _, word := range []string{p.base, "sessions memory:", "long-term memory off", "model none", "embedder none", "auth none"} {
		assert.Contains(t, line, word)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	p := start(t, settings{store: "memory:", args: estimate})
	c := call(t, p)
	c.put(c.wm("a-session-of-someone"), `{"messages":`+talk(1)+`}`).ok()
	a := c.get("/metrics").ok()
	assert.Contains(t, a.header.Get("Content-Type"), "text/plain")
	assert.Contains(t, string(a.raw), "# TYPE ")
	assert.NotContains(t, string(a.raw), "a-session-of-someone")
	assert.NotContains(t, string(a.raw), c.ns)
}
