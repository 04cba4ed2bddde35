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

func TestPendingRequestsFinish(t *testing.T) {
	t.Parallel()
	s := settings{store: "sqlite:" + filepath.Join(t.TempDir(), "wmem.db"), args: estimate}
	p := start(t, s)
	c := call(t, p)
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	body := `{"messages":` + talk(3) + `}`
	// 100 Continue shows that the server has begun to serve the request.
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
