package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

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
