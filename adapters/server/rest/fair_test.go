package rest_test

import (
	"bufio"
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
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// peer is the client's side of a connection.
type peer struct {
	net.Conn
	status atomic.Int64 // of the answer, 0 before there is one
	ended  chan []byte  // receives the body of the answer
}

func newPeer(t *testing.T, p *pipes) *peer {
	conn := p.dial()
	t.Cleanup(func() { _ = conn.Close() })
	return &peer{Conn: conn, ended: make(chan []byte, 1)}
}

// put sends the beginning of a body and reads the answer in the background.
func (p *pipes) put(t *testing.T, id string, length int, begin string) *peer {
	c := newPeer(t, p)
	go c.read()
	// The server may refuse it before all is written.
	_, _ = fmt.Fprintf(c, "PUT /v1/working-memory/%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", id, length, begin)
	return c
}

// ask sends a request without a body and does not read the answer.
func (p *pipes) ask(t *testing.T, method, path string) *peer {
	c := newPeer(t, p)
	_, err := fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\n\r\n", method, path)
	require.NoError(t, err)
	return c
}

// read reads the answer until it ends or breaks off.
func (c *peer) read() {
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		close(c.ended)
		return
	}
	c.status.Store(int64(answer.StatusCode))
	body, _ := io.ReadAll(answer.Body)
	c.ended <- body
}

// contextOf returns a body of so many bytes.
func contextOf(length int) string { return `{"context":"` + strings.Repeat("x", length-14) + `"}` }

// Clients that stop sending large bodies use only the memory for large requests, and only until
// BodyTimeout.
func TestSlowSendersLeaveRoomForSmallRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, with(func(o *rest.Options) { o.MaxBodiesBytes = 4 << 20 }))
		p := piped(t, s.handler)
		var slow []*peer
		for n := range 40 {
			slow = append(slow, p.put(t, fmt.Sprint("slow", n), 600_000, contextOf(600_000)[:300_000]))
		}
		const told = 2 * time.Second // in the bubble: what is refused is told when no more of it comes
		time.Sleep(told)
		count := func(status int64) (n int) {
			for _, c := range slow {
				if c.status.Load() == status {
					n++
				}
			}
			return n
		}
		stalled, refused := count(0), count(503)
		require.Positive(t, stalled)
		require.Positive(t, refused, "the memory is short")
		require.Equal(t, len(slow), stalled+refused)
		for _, c := range slow {
			if c.status.Load() == 503 {
				assert.JSONEq(t, `{"detail":"Memory for request bodies is exhausted: try again"}`, string(<-c.ended))
			}
		}
		large := s.do("PUT", "/v1/working-memory/large", contextOf(1_000_000))
		large.fails(503, "Memory for request bodies is exhausted: try again")
		assert.Equal(t, "1", large.Header().Get("Retry-After"))

		body := contextOf(10_000)
		for n := range 30 {
			c := p.put(t, fmt.Sprint("other", n), len(body), body)
			<-c.ended
			require.EqualValues(t, 200, c.status.Load())
		}
		s.do("GET", "/v1/working-memory", "").is(200)

		time.Sleep(rest.DefaultBodyTimeout + 10*time.Second) // 64 KiB more a second were allowed to them
		synctest.Wait()
		assert.Equal(t, stalled, count(408))
		s.do("PUT", "/v1/working-memory/large", contextOf(1_000_000)).is(200) // all is back
	})
}

// Answers that are not read count until their time is over.
func TestSlowReadersLeaveRoomForSmallAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New(nil)
		writer := start(t, func(o *setup) { o.store = store })
		for id, size := range map[string]int{"large": 300_000, "small": 60_000, "giant": 900_000} {
			writer.do("PUT", "/v1/working-memory/"+id, contextOf(size)).is(200)
		}
		s := start(t, func(o *setup) { o.store = store }, with(func(o *rest.Options) { o.MaxBodiesBytes = 1_400_000 }))
		p := piped(t, s.handler)
		var large []*peer
		for range 2 {
			large = append(large, p.ask(t, "GET", "/v1/working-memory/large"))
			synctest.Wait() // reading a session takes twice its size, sending it once
		}
		s.do("GET", "/v1/working-memory/large", "").fails(503, "Memory for reads is exhausted: try again")
		for _, method := range []string{"GET", "HEAD"} {
			assert.Equal(t, 413, s.do(method, "/v1/working-memory/giant", "").Code, method)
		}
		for range 20 {
			c := p.ask(t, "GET", "/v1/working-memory/small")
			go c.read()
			assert.Len(t, <-c.ended, s.do("GET", "/v1/working-memory/small", "").Body.Len())
			assert.EqualValues(t, 200, c.status.Load())
		}
		go large[0].read()
		assert.Greater(t, len(<-large[0].ended), 300_000, "whole: the client is slow, and in time")
		time.Sleep(rest.DefaultBodyTimeout + 5*time.Second)
		synctest.Wait()
		go large[1].read()
		assert.Less(t, len(<-large[1].ended), 300_000, "it was cut")
		for range 2 {
			large := p.ask(t, "GET", "/v1/working-memory/large")
			go large.read()
			assert.Greater(t, len(<-large.ended), 300_000)
			synctest.Wait() // until the memory is returned
		}
	})
}

// A client has as much time to read the bytes of an answer as to send those of a body.
func TestUnreadAnswersAreAborted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, with(func(o *rest.Options) { o.BodyTimeout = 10 * time.Second }))
		s.do("PUT", sessionPath, contextOf(640<<10)).is(200)
		p := piped(t, s.handler)
		steady := p.ask(t, "GET", sessionPath)
		for range 9 {
			_, err := io.CopyN(io.Discard, steady, 64<<10)
			require.NoError(t, err)
			time.Sleep(time.Second)
		}
		time.Sleep(9 * time.Second)
		_, err := io.CopyN(io.Discard, steady, 60<<10)
		require.NoError(t, err, "late, but 64 KiB a second on the whole")

		c := p.ask(t, "GET", sessionPath)
		time.Sleep(10*time.Second + time.Second - time.Nanosecond) // the first 64 KiB
		synctest.Wait()
		one := make([]byte, 1)
		_, err = c.Read(one)
		require.NoError(t, err)
		require.Equal(t, "H", string(one))
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		more, err := io.ReadAll(c)
		require.NoError(t, err)
		assert.Less(t, len(more), 64<<10, "it broke off")
	})
}

// Over HTTP/2, too, the memory of a stalled body is freed after BodyTimeout.
func TestSlowStreamsEnd(t *testing.T) {
	t.Parallel()
	s := start(t, with(func(o *rest.Options) { o.MaxBodiesBytes, o.BodyTimeout = 400_000, 100*time.Millisecond }))
	web := httptest.NewUnstartedServer(s.handler)
	web.EnableHTTP2 = true
	web.StartTLS()
	t.Cleanup(web.Close)
	put := func(body io.Reader) int {
		r, err := http.NewRequest("PUT", web.URL+sessionPath, body)
		require.NoError(t, err)
		answer, err := web.Client().Do(r)
		require.NoError(t, err)
		defer func() { _ = answer.Body.Close() }()
		assert.Equal(t, 2, answer.ProtoMajor)
		return answer.StatusCode
	}
	reader, writer := io.Pipe()
	slow := make(chan int)
	go func() { slow <- put(reader) }()
	_, err := io.WriteString(writer, contextOf(120_000)[:80_000]) // more than fits into the stream's window
	require.NoError(t, err)
	assert.Equal(t, 408, <-slow)
	require.NoError(t, writer.Close())
	status := 408
	for status == 408 { // on a machine that takes more than BodyTimeout to send it
		status = put(strings.NewReader(contextOf(120_000)))
	}
	assert.Equal(t, 200, status)
}
