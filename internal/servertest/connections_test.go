//go:build linux

package servertest

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
)

// dial opens a connection that closes with the test.
func dial(t *testing.T, p *process) net.Conn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.base, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// raw sends bytes and returns the status of the answer, or 0 if the connection was closed without
// an answer.
func raw(t *testing.T, p *process, text string) int {
	conn := dial(t, p)
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	go func() { _, _ = io.WriteString(conn, text) }() // the server may close the connection early
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		var late net.Error
		require.False(t, errors.As(err, &late) && late.Timeout(), "no answer to %.200q", text)
		return 0
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
	return res.StatusCode
}

// slowHeaders sends headers that never end.
func slowHeaders(t *testing.T, p *process) {
	dripping(t, p, "GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
}

// slowBodies sends bodies that never end.
func slowBodies(t *testing.T, p *process) {
	dripping(t, p, "PUT /v1/working-memory/slow HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{\"context\":\"")
}

// dripping opens connections that send a byte now and then.
func dripping(t *testing.T, p *process, begin string) {
	var conns []net.Conn
	for range 200 {
		conn := dial(t, p)
		_, err := io.WriteString(conn, begin)
		require.NoError(t, err)
		conns = append(conns, conn)
	}
	drip := time.NewTicker(100 * time.Millisecond)
	defer drip.Stop()
	rounds := soak.Times(5, 600) // in a soak run until the server gives up
	open := len(conns)
	for range rounds {
		<-drip.C
		open = 0
		for _, conn := range conns {
			if _, err := io.WriteString(conn, "z"); err == nil {
				open++
			}
		}
		if open == 0 {
			break
		}
	}
	call(t, p).get("/v1/health").ok()
	if soak.Enabled() {
		assert.Zero(t, open, "the server closes slow connections")
	}
}

func headerFloods(t *testing.T, p *process) {
	const begin, end = "GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n", "\r\n\r\n"
	refused := []int{0, http.StatusRequestHeaderFieldsTooLarge, http.StatusRequestEntityTooLarge, http.StatusBadRequest}
	assert.Contains(t, refused, raw(t, p, begin+strings.Repeat("X-Flood: "+strings.Repeat("z", 1000)+"\r\n", 10_000)+end))
	assert.Contains(t, refused, raw(t, p, begin+strings.Repeat("A:b\r\n", 500_000)+end))
	assert.Contains(t, refused, raw(t, p, begin+"X-Long: "+strings.Repeat("z", 4<<20)+end))
	assert.Contains(t, append(refused, http.StatusRequestURITooLong), raw(t, p, "GET /v1/working-memory/"+strings.Repeat("z", 4<<20)+" HTTP/1.1\r\nHost: 127.0.0.1"+end))
	assert.Contains(t, append(refused, http.StatusUnauthorized, 200), raw(t, p, begin+"Authorization: Bearer "+strings.Repeat("z", 100_000)+end))
}

// idleConnections opens connections that send nothing, or nothing more.
func idleConnections(t *testing.T, p *process) {
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	wanted := min(soak.Times(1000, 10_000), int(limit.Cur)*3/4)
	for i := range wanted {
		conn := dial(t, p)
		if i%2 == 0 {
			_, err := io.WriteString(conn, "GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
			require.NoError(t, err)
		}
	}
	c := call(t, p)
	c.client.Transport = &http.Transport{DisableKeepAlives: true}
	for range 20 {
		c.post(c.of("s", "messages"), `{"messages":`+talk(1)+`}`).ok()
	}
}
