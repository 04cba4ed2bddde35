package rest_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
)

// conversation sends text over one connection and reads answers until the server closes it or
// there are as many as wanted. It checks that each error has a detail.
func conversation(t *testing.T, conn net.Conn, text string, wanted int) (statuses []int, closed bool) {
	t.Helper()
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	go func() { _, _ = io.WriteString(conn, text) }()
	in := bufio.NewReader(conn)
	for len(statuses) < wanted {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses, true
		}
		if answer.StatusCode == http.StatusContinue {
			continue
		}
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		statuses = append(statuses, answer.StatusCode)
		assert.Equal(t, "application/json", answer.Header.Get("Content-Type"))
		var read map[string]any
		require.NoError(t, json.Unmarshal(body, &read), "%s", body)
		assert.Equal(t, answer.StatusCode >= 400, read["detail"] != nil, "%s", body)
		if answer.Close {
			_, err := in.ReadByte()
			require.ErrorIs(t, err, io.EOF, "it said that it closes")
			return statuses, true
		}
	}
	return statuses, false
}

// After a refused request, the server reads the next request or closes the connection. It never
// takes a body for a request.
func TestConnectionsAfterRefusals(t *testing.T) {
	t.Parallel()
	const smuggled = "DELETE /v1/working-memory/victim HTTP/1.1\r\nHost: x\r\n\r\n"
	const next = "GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n"
	put := func(headers, body string) string {
		return "PUT " + sessionPath + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n" + body
	}
	announced := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n", len(body)) }
	long := smuggled + strings.Repeat(" ", 2000)
	huge := smuggled + strings.Repeat(" ", 1<<20)
	chunk := func(body string) string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body) }
	const chunked = "Transfer-Encoding: chunked\r\n"
	for name, c := range map[string]struct {
		text  string
		first int
		// more reports whether the next request is answered. If false, the connection is closed.
		more bool
	}{
		"too large by its header":   {put(announced(long), long), 413, true},
		"far too large":             {put(announced(huge), huge), 413, false},
		"too large in chunks":       {put(chunked, chunk(long)), 413, true},
		"wrong type":                {put("Content-Type: text/plain\r\n"+announced(smuggled), smuggled), 415, true},
		"compressed":                {put("Content-Encoding: gzip\r\n"+announced(smuggled), smuggled), 415, true},
		"compressed chunks":         {put("Content-Encoding: gzip\r\n"+chunked, chunk(smuggled)), 415, true},
		"no JSON":                   {put(announced(smuggled), smuggled), 422, true},
		"no route":                  {"PUT /nothing HTTP/1.1\r\nHost: x\r\n" + announced(smuggled) + "\r\n" + smuggled, 404, true},
		"no such method":            {"BREW " + sessionPath + " HTTP/1.1\r\nHost: x\r\n" + announced(smuggled) + "\r\n" + smuggled, 405, true},
		"GET with a body":           {"GET /v1/health HTTP/1.1\r\nHost: x\r\n" + announced(smuggled) + "\r\n" + smuggled, 200, true},
		"DELETE with chunks":        {"DELETE " + sessionPath + " HTTP/1.1\r\nHost: x\r\n" + chunked + "\r\n" + chunk(smuggled), 200, true},
		"expected, too large":       {put("Expect: 100-continue\r\n"+announced(long), ""), 413, false},
		"expected, wrong type":      {put("Expect: 100-continue\r\nContent-Type: text/plain\r\n"+announced(smuggled), ""), 415, false},
		"expected and sent":         {put("Expect: 100-continue\r\n"+announced(oneMessage), oneMessage), 200, true},
		"chunks that are none":      {put(chunked, "zz\r\n"+smuggled), 400, false},
		"HTTP/1.0":                  {"PUT " + sessionPath + " HTTP/1.0\r\n" + announced(oneMessage) + "\r\n" + oneMessage, 200, false},
		"HTTP/1.0 kept":             {"PUT " + sessionPath + " HTTP/1.0\r\nConnection: keep-alive\r\n" + announced(oneMessage) + "\r\n" + oneMessage, 200, true},
		"HTTP/1.0 without a length": {"PUT " + sessionPath + " HTTP/1.0\r\n\r\n", 422, false},
		"nothing":                   {put("", ""), 422, true},
		"asked to close":            {put("Connection: close\r\n"+announced(oneMessage), oneMessage), 200, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := start(t, with(func(o *rest.Options) { o.MaxBodyBytes, o.BodyTimeout = 1000, 100*time.Millisecond }))
				statuses, closed := conversation(t, piped(t, s.handler).dial(), c.text+next, 2)
				if c.more {
					assert.Equal(t, []int{c.first, 200}, statuses)
				} else {
					assert.Equal(t, []int{c.first}, statuses)
					assert.True(t, closed)
				}
			})
		})
	}
}

// A body that does not arrive is answered 408, and its rest is never taken for a request.
func TestConnectionsAfterTimeouts(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{"announced": "Content-Length: 5000", "chunked": "Transfer-Encoding: chunked"} {
		synctest.Test(t, func(t *testing.T) {
			s := start(t, with(func(o *rest.Options) { o.BodyTimeout = 50 * time.Millisecond }))
			conn := piped(t, s.handler).dial()
			require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
			_, err := io.WriteString(conn, "PUT "+sessionPath+" HTTP/1.1\r\nHost: x\r\n"+header+"\r\n\r\n")
			require.NoError(t, err)
			in := bufio.NewReader(conn)
			answer, err := http.ReadResponse(in, nil)
			require.NoError(t, err, name)
			assert.Equal(t, http.StatusRequestTimeout, answer.StatusCode, name)
			body, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			assert.JSONEq(t, `{"detail":"Request body took too long"}`, string(body))
			assert.True(t, answer.Close, "%s: nobody knows where the next request begins", name)
			_, err = in.ReadByte()
			assert.Error(t, err, name)
			require.NoError(t, conn.Close())
		})
	}
}

// A client that is fast enough may send beyond BodyTimeout, until Timeout.
func TestBodiesThatKeepComing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, with(func(o *rest.Options) { o.BodyTimeout, o.Timeout = 200*time.Millisecond, 600*time.Millisecond }))
		reader, writer := io.Pipe()
		var sending sync.WaitGroup
		sending.Go(func() {
			_, _ = io.WriteString(writer, `{"context":"x"`)
			beat := time.NewTicker(5 * time.Millisecond)
			defer beat.Stop()
			for range beat.C { // far more than 64 KiB a second, without an end
				if _, err := io.WriteString(writer, strings.Repeat(" ", 4<<10)); err != nil {
					return
				}
			}
		})
		r, err := http.NewRequest("PUT", "http://memory.test"+sessionPath, reader)
		require.NoError(t, err)
		begun := time.Now()
		answer, err := piped(t, s.handler).client(t).Do(r)
		_ = reader.Close()
		if err == nil { // or the client was cut off while it wrote
			assert.Equal(t, http.StatusRequestTimeout, answer.StatusCode)
			require.NoError(t, answer.Body.Close())
		}
		assert.Equal(t, 600*time.Millisecond, time.Since(begun))
		sending.Wait()
	})
}

// A client that has closed its side of the connection looks like one that has left, but its
// answer must not be a success.
func TestHalfClosedConnections(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *setup) { o.store = slow{o.store} })
	web := httptest.NewServer(s.handler)
	t.Cleanup(web.Close)
	conn, err := net.DialTCP("tcp", nil, web.Listener.Addr().(*net.TCPAddr))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", sessionPath, len(oneMessage), oneMessage)
	require.NoError(t, err)
	require.NoError(t, conn.CloseWrite())
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	assert.JSONEq(t, `{"detail":"Request was stopped"}`, string(body))
}
