package drivertest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// tableServer serves a table in the process, with a line of JSON for each call and each reply.
type tableServer struct {
	tb      testing.TB
	address string

	mu       sync.Mutex
	table    *table
	replies  map[uint64]reply // by the token of a call, if it has one
	listener net.Listener
	conns    map[net.Conn]bool
	hung     chan struct{} // closed unless the server hangs
	wg       sync.WaitGroup
}

var _ Server = (*tableServer)(nil)

func startTable(tb testing.TB) *tableServer {
	tb.Helper()
	s := &tableServer{
		tb: tb, address: "127.0.0.1:0", table: newTable(), replies: make(map[uint64]reply),
		conns: make(map[net.Conn]bool), hung: make(chan struct{}),
	}
	close(s.hung)
	s.Start()
	tb.Cleanup(s.Kill)
	return s
}

func (s *tableServer) Address() string { return s.address }
func (s *tableServer) Stop()           { s.Kill() }

func (s *tableServer) Start() {
	listener, err := net.Listen("tcp", s.address)
	require.NoError(s.tb, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listener, s.address = listener, listener.Addr().String()
	s.wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() { s.serve(conn) })
		}
	})
}

func (s *tableServer) Kill() {
	s.mu.Lock()
	_ = s.listener.Close()
	for conn := range s.conns {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
}

func (s *tableServer) Pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hung = make(chan struct{})
}

func (s *tableServer) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.hung)
}

// sent is a request.
type sent struct {
	Call  call
	Token uint64 // of a call that may be sent again, else 0
}

func (s *tableServer) serve(conn net.Conn) {
	defer conn.Close()
	s.mu.Lock()
	s.conns[conn] = true
	s.mu.Unlock()
	lines := bufio.NewReader(conn)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var request sent
		if json.Unmarshal(line, &request) != nil {
			return
		}
		answer, _ := json.Marshal(s.do(request))
		if _, err := conn.Write(append(answer, '\n')); err != nil {
			return
		}
	}
}

func (s *tableServer) do(request sent) reply {
	s.mu.Lock()
	hung := s.hung
	s.mu.Unlock()
	<-hung
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.replies[request.Token]; ok {
		return known
	}
	r := s.table.do(request.Call)
	if request.Token != 0 {
		s.replies[request.Token] = r
	}
	return r
}

// remote is a store that uses a tableServer, with a new connection for each call.
type remote struct {
	address string
	flaw    string
	mu      sync.Mutex
	broken  bool
}

// Flaws of a remote store.
const (
	flawless  = "sends once"
	resending = "sends again what has a token" // is right
	blind     = "sends again what has none"
	deaf      = "ignores its deadline"
	sulking   = "does not recover"
	boasting  = "reports success without an answer"
	nameless  = "returns no ErrUnavailable"
	doubling  = "adds messages again when it sends again"
)

func openRemote(address, flaw string) driver.Store {
	r := &remote{address: address, flaw: flaw}
	return caller(r.do)
}

func (r *remote) do(ctx context.Context, c call) (reply, error) {
	r.mu.Lock()
	request := sent{Call: c}
	if r.flaw == resending {
		request.Token = rand.Uint64()
	}
	broken := r.broken
	r.mu.Unlock()
	if broken {
		return reply{}, fmt.Errorf("%w: still", session.ErrUnavailable)
	}
	answer, err := r.ask(ctx, request)
	for err != nil && ctx.Err() == nil && (r.flaw == resending || r.flaw == blind || r.flaw == doubling) {
		request.Call.Doubles = r.flaw == doubling
		answer, err = r.ask(ctx, request)
	}
	switch {
	case err == nil:
		return answer, answer.err()
	case r.flaw == nameless:
		return reply{}, fmt.Errorf("something is wrong")
	case r.flaw == boasting && c.Load == nil:
		return reply{}, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = r.flaw == sulking
	if ctx.Err() != nil {
		return reply{}, fmt.Errorf("%w: %w", session.ErrUnavailable, ctx.Err())
	}
	return reply{}, fmt.Errorf("%w: %w", session.ErrUnavailable, err)
}

func (r *remote) ask(ctx context.Context, request sent) (reply, error) {
	if r.flaw == deaf {
		ctx = context.WithoutCancel(ctx)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", r.address)
	if err != nil {
		return reply{}, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	text, err := json.Marshal(request)
	if err != nil {
		return reply{}, err
	}
	if _, err := conn.Write(append(text, '\n')); err != nil {
		return reply{}, err
	}
	line, err := bufio.NewReader(conn).ReadBytes('\n')
	if err != nil {
		return reply{}, err
	}
	var answer reply
	err = json.Unmarshal(line, &answer)
	return answer, err
}
