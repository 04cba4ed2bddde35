package web_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/web"
)

func TestListen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		address string
		local   bool
	}{
		{"127.0.0.1:0", true}, {"127.9.9.9:0", true}, {"localhost:0", true}, {"[::1]:0", true}, {"[::ffff:127.0.0.1]:0", true},
		{":0", false}, {"0.0.0.0:0", false}, {"[::]:0", false}, {"10.1.2.3:0", false}, {"[::ffff:10.1.2.3]:0", false}, {"[2001:db8::1]:0", false},
	} {
		t.Run(tc.address, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.local, web.IsLoopback(tc.address))
			l, err := web.Listen(t.Context(), tc.address, false)
			if !tc.local {
				require.ErrorIs(t, err, web.ErrPublic)
				return
			}
			if err != nil {
				require.NotErrorIs(t, err, web.ErrPublic) // a machine without IPv6
				return
			}
			require.NoError(t, l.Close())
		})
	}
	l, err := web.Listen(t.Context(), "0.0.0.0:0", true)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	_, err = web.Listen(t.Context(), "no port", true)
	require.ErrorIs(t, err, web.ErrAddress)
	_, err = web.Listen(t.Context(), "127.0.0.1:65536", false)
	require.ErrorIs(t, err, web.ErrAddress)
	_, err = web.Listen(t.Context(), "127.0.0.1:no-such-service", false)
	require.Error(t, err)
}

func TestGuard(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, method, host string
		header             map[string]string
		local, passes      bool
	}{
		{name: "a program", method: "POST", host: "localhost:8000", local: true, passes: true},
		{name: "IPv6", method: "POST", host: "[::1]:8000", local: true, passes: true},
		{name: "a port of its own", method: "GET", host: "127.0.0.1", local: true, passes: true},
		{name: "a name below localhost", method: "GET", host: "wmem.localhost:1", local: true, passes: true},
		{name: "a name that was bound to this machine", method: "GET", host: "evil.example:8000", local: true},
		{name: "a name like it", method: "GET", host: "localhost.evil.example", local: true},
		{name: "no host", method: "GET", host: "", local: true},
		{name: "another address", method: "GET", host: "10.0.0.1:8000", local: true},
		{name: "a name where there are tokens", method: "GET", host: "memory.example", passes: true},
		{name: "a form on another page", method: "POST", host: "localhost:8000", header: map[string]string{"Origin": "http://evil.example"}, local: true},
		{name: "another site", method: "POST", host: "memory.example", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		{name: "a page of ours", method: "POST", host: "memory.example", header: map[string]string{"Sec-Fetch-Site": "same-origin"}, passes: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			refused := 0
			h := web.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }), tc.local, func(int) { refused++ })
			r := httptest.NewRequest(tc.method, "/v1/health", nil)
			r.Host = tc.host
			for name, text := range tc.header {
				r.Header.Set(name, text)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if tc.passes {
				assert.Equal(t, http.StatusNoContent, w.Code)
				assert.Zero(t, refused)
				return
			}
			assert.Equal(t, http.StatusForbidden, w.Code)
			assert.Contains(t, w.Body.String(), `{"detail":`)
			assert.Equal(t, 1, refused)
		})
	}
}

// The value of a panic may have contents.
func TestRecover(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h := web.Recover(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(errors.New("hunter2")) }), logger)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/hunter2", nil))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.JSONEq(t, `{"detail":"Internal Server Error"}`, w.Body.String())
	assert.Contains(t, log.String(), "*errors.errorString")
	assert.NotContains(t, log.String(), "hunter2")

	aborts := web.Recover(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), logger)
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { aborts.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil)) })
}

func TestLimit(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := web.Limit(inner, 2)
	accepted := make(chan net.Conn)
	ended := make(chan error, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- c
		}
	}()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", inner.Addr().String())
		require.NoError(t, err)
		return c
	}
	for range 3 {
		defer dial().Close()
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Fatal("a third was accepted")
	default:
	}
	require.NoError(t, first.Close())
	_ = first.Close() // a second Close frees nothing
	third := <-accepted
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-ended, net.ErrClosed)
	require.NoError(t, second.Close())
	require.NoError(t, third.Close())
}

func TestRunFinishesRequests(t *testing.T) {
	t.Parallel()
	l, err := web.Listen(t.Context(), "127.0.0.1:0", false)
	require.NoError(t, err)
	begun, release := make(chan struct{}), make(chan struct{})
	s := &web.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(begun)
			<-release
			_, _ = io.WriteString(w, "done")
		}),
		RequestTimeout: time.Minute, Grace: time.Minute, Logger: slog.New(slog.DiscardHandler),
	}
	ctx, stop := context.WithCancel(t.Context())
	ended, answered := make(chan error, 1), make(chan string, 1)
	go func() { ended <- s.Run(ctx, l) }()
	go func() {
		r, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		defer r.Body.Close()
		body, _ := io.ReadAll(r.Body)
		answered <- string(body)
	}()
	<-begun
	stop()
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			c.Close()
		}
		return err != nil
	}, time.Minute, time.Millisecond)
	close(release)
	assert.Equal(t, "done", <-answered)
	require.NoError(t, <-ended)
}
