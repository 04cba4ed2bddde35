package rest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
)

const sessionPath = "/v1/working-memory/s"

func TestContentTypes(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, ok := range []string{"", "application/json", "Application/JSON; charset=UTF-8", "application/merge-patch+json", "application/json;charset=utf-8"} {
		headers := []string{"Content-Type: " + ok}
		if ok == "" {
			headers = nil
		}
		s.do("PUT", sessionPath, oneMessage, headers...).is(200)
	}
	for _, wrong := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx", "image/svg+json", "application/json; charset=latin1", ";;", "*/*"} {
		s.do("PUT", sessionPath, oneMessage, "Content-Type: "+wrong).fails(415, "Content-Type must be application/json")
	}
	for _, coding := range []string{"gzip", "deflate", "br", "identity, gzip"} {
		got := s.do("PUT", sessionPath, oneMessage, "Content-Encoding: "+coding)
		got.fails(415, "Compressed bodies are not supported")
		assert.Equal(t, "identity", got.Header().Get("Accept-Encoding"))
	}
	s.do("PUT", sessionPath, oneMessage, "Content-Encoding: identity").is(200)
	// The JavaScript client sends this header without a body, too.
	s.do("GET", sessionPath, "", "Content-Type: application/json").is(200)
	s.do("DELETE", sessionPath, "", "Content-Type: application/json").is(200)
}

func TestBodiesUpToTheLimit(t *testing.T) {
	t.Parallel()
	s := start(t, with(func(o *rest.Options) { o.MaxBodyBytes = 1000 }))
	body := func(n int) string { return `{"context":"` + strings.Repeat("x", n-14) + `"}` }
	s.do("PUT", sessionPath, body(1000)).is(200)
	s.do("PUT", sessionPath, body(1001)).fails(413, "Request body is too large")
	chunked := httptest.NewRequest("PUT", sessionPath, strings.NewReader(body(1001)))
	chunked.ContentLength = -1
	s.send(chunked).fails(413, "Request body is too large")
	chunked = httptest.NewRequest("PUT", sessionPath, strings.NewReader(body(1000)))
	chunked.ContentLength = -1
	s.send(chunked).is(200)
}

// endless is an endless body that counts the bytes read.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, bytes.Repeat([]byte(" "), len(p)))
	e.read.Add(int64(n))
	return n, nil
}

func TestHugeBodiesAreCutEarly(t *testing.T) {
	t.Parallel()
	s := start(t, with(func(o *rest.Options) { o.MaxBodyBytes = 1 << 20 }))
	web := httptest.NewServer(s.handler)
	defer web.Close()
	const gigabyte = 1 << 30
	for name, length := range map[string]int64{"announced": gigabyte, "chunked": -1} {
		t.Run(name, func(t *testing.T) {
			sent := &endless{}
			r, err := http.NewRequest("PUT", web.URL+sessionPath, io.LimitReader(sent, gigabyte))
			require.NoError(t, err)
			r.ContentLength = length
			got, err := web.Client().Do(r)
			if err == nil { // or the connection was closed before the client looked for an answer
				defer func() { require.NoError(t, got.Body.Close()) }()
				assert.Equal(t, 413, got.StatusCode)
			}
			assert.Less(t, sent.read.Load(), int64(64<<20))
		})
	}
	got, err := web.Client().Get(web.URL + "/v1/health")
	require.NoError(t, err)
	require.NoError(t, got.Body.Close())
}

// raw sends text over a connection and returns all data until the server closes it.
func raw(t *testing.T, conn net.Conn, text string) string {
	t.Helper()
	defer func() { _ = conn.Close() }()
	assert.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err := io.WriteString(conn, text)
	assert.NoError(t, err)
	all, err := io.ReadAll(conn)
	assert.NoError(t, err, "%s", all)
	return string(all)
}

func TestUnreadBodiesDoNotBlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		connections := piped(t, start(t, withTokens).handler)
		for _, text := range []string{
			"PUT " + sessionPath + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
			"PUT /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
			"GET /v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
		} { // raw gives up after a while
			assert.Regexp(t, `HTTP/1.1 (401|404|200)`, raw(t, connections.dial(), text))
		}
	})
}

func TestBodiesThatEndEarly(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := httptest.NewRequest("PUT", sessionPath, io.MultiReader(strings.NewReader("{"), broken{}))
	s.send(r).fails(400, "Request body is incomplete")
	r = httptest.NewRequest("PUT", sessionPath, io.MultiReader(strings.NewReader("{"), broken{&http.MaxBytesError{Limit: 1}}))
	s.send(r).fails(413, "Request body is too large")
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	return 0, errors.New("the connection is gone")
}

func TestClientsThatLeave(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	s := start(t, with(func(o *rest.Options) { o.Observe = func(got rest.Observation) { seen.Store(int64(got.Status)) } }))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := s.send(httptest.NewRequest("PUT", sessionPath, io.MultiReader(strings.NewReader("{"), broken{})).WithContext(ctx))
	got.fails(503, "Request was stopped")
	assert.EqualValues(t, 499, seen.Load())
}

func TestBodiesThatNeverFit(t *testing.T) {
	t.Parallel()
	s := start(t, with(func(o *rest.Options) { o.MaxBodiesBytes = 100_000 }))
	body := fmt.Sprintf(`{"data":{"a":[%s1]}}`, strings.Repeat("1,", 10_000))
	s.do("PUT", sessionPath, body).fails(413, "Request body would take too much memory")
	s.do("PUT", sessionPath, oneMessage).is(200)
}
