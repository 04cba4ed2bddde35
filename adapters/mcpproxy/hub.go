package mcpproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// askTimeout limits the requests of a Hub whose answers it joins, so that a server that does not
// answer delays the others by less than clients wait.
const askTimeout = 30 * time.Second

// Hub joins several servers to one connection, so that a client sees the tools, prompts and
// resources of all of them.
//
// Tools and prompts keep their names. If several servers have one of the same name, each is listed
// and called as SERVER__NAME. Lists have one page. A request for a resource goes to the server that
// listed it; one that belongs to no known server, such as for an unlisted resource, goes to the
// servers in the order of their names until one does not answer with an error. Notifications of the
// client go to all servers. The version of the protocol is the oldest that a server chooses, up to
// 2025-11-25. A message of the client has at most 64 MiB; a longer one is dropped. A server that
// fails or ends is left out. Calls are recorded with the name of their
// server as the source.
type Hub struct {
	servers []*hubServer // by name
	logger  *slog.Logger
	ctx     context.Context // of the goroutines
	stop    context.CancelFunc
	work    sync.WaitGroup // requests in progress
	got     chan Packet
	ended   chan struct{} // closed when no server is left

	initialization gate

	mu      sync.Mutex
	closing bool                         // after CloseSend
	targets map[string]map[string]target // by the method of the list, and by the listed name or URI
	asked   int                          // number of own requests
}

// target is a server, and the name that a tool or prompt has there.
type target struct {
	server *hubServer
	name   string
}

var _ Conn = (*Hub)(nil)

// NewHub returns a connection to servers, given by name. The Hub closes them. If logger is nil,
// nothing is logged; it receives the names of servers and errors, never contents.
func NewHub(servers map[string]Conn, logger *slog.Logger) *Hub {
	h := &Hub{logger: logger, got: make(chan Packet), ended: make(chan struct{}), targets: map[string]map[string]target{}}
	if logger == nil {
		h.logger = slog.New(slog.DiscardHandler)
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	for i, name := range slices.Sorted(maps.Keys(servers)) {
		h.servers = append(h.servers, &hubServer{
			index: i, name: name, conn: servers[name], asks: map[string]chan message{}, forwarded: map[string]message{},
		})
	}
	var pumps sync.WaitGroup
	for _, s := range h.servers {
		pumps.Go(func() { h.end(s, h.pump(s)) })
	}
	go func() { pumps.Wait(); close(h.ended) }()
	return h
}

// source returns the name of the server that a tool belongs to, or "" if it is unknown.
func (h *Hub) source(tool string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, ok := h.targets[methodListTools][tool]; ok {
		return t.server.name
	}
	return ""
}

// Receive implements Conn.
func (h *Hub) Receive(ctx context.Context) (Packet, error) {
	select {
	case p := <-h.got:
		return p, nil
	case <-h.ended:
		return Packet{}, io.EOF
	case <-ctx.Done():
		return Packet{}, ctx.Err()
	}
}

// Send implements Conn. Failures of servers are answers to the client; the error is nil.
func (h *Hub) Send(ctx context.Context, p Packet) error {
	text, err := p.whole()
	if err != nil {
		h.logger.WarnContext(ctx, "mcpproxy: a message of the client is dropped", slog.Any("error", err))
		return nil
	}
	m, ok := parse(text)
	switch {
	case !ok:
		h.logger.WarnContext(ctx, "mcpproxy: a message of the client belongs to no server")
	case m.isAnswer():
		h.sendAnswer(ctx, &m)
	case m.isRequest():
		wait, open := h.initialization.waiting(), func() {}
		if m.method == methodInitialize {
			open = h.initialization.shut()
		}
		h.work.Go(func() {
			defer open()
			wait(h.ctx)
			h.serve(&m)
		})
	case m.method == methodCancelled:
		h.sendCancelled(ctx, &m)
	default:
		h.initialization.waiting()(h.ctx)
		for _, s := range h.alive() {
			_ = s.conn.Send(ctx, Packet{Text: text}) // its pump sees the end
		}
	}
	return nil
}

// sendAnswer sends the client's answer to the server whose request it answers: see ownID.
func (h *Hub) sendAnswer(ctx context.Context, m *message) {
	index, id, ok := strings.Cut(strings.TrimPrefix(m.id, `"`), ":")
	i, err := strconv.Atoi(index)
	if !ok || err != nil || i < 0 || i >= len(h.servers) {
		return
	}
	text := apply(m.text, []edit{{m.idAt, []byte(id)}})
	_ = h.servers[i].conn.Send(ctx, Packet{Text: text})
}

// sendCancelled sends a notification that a request is cancelled to the server that has it.
func (h *Hub) sendCancelled(ctx context.Context, m *message) {
	found, _ := members(m.text, m.params, "requestId")
	id := canonicalID(found[0].of(m.text))
	for _, s := range h.alive() {
		h.mu.Lock()
		_, ok := s.forwarded[id]
		delete(s.forwarded, id)
		h.mu.Unlock()
		if ok {
			_ = s.conn.Send(ctx, Packet{Text: m.text})
		}
	}
}

// alive returns the servers that have not ended.
func (h *Hub) alive() (all []*hubServer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.servers {
		if !s.gone {
			all = append(all, s)
		}
	}
	return all
}

func (h *Hub) deliver(p Packet) bool {
	select {
	case h.got <- p:
		return true
	case <-h.ctx.Done():
		return false
	}
}

// CloseSend implements Conn.
func (h *Hub) CloseSend() error {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	for _, s := range h.servers {
		_ = s.conn.CloseSend()
	}
	return nil
}

// Close implements Conn. It returns the errors of the servers if all of them ended by themselves.
func (h *Hub) Close() error {
	h.mu.Lock()
	byThemselves := !h.closing
	h.mu.Unlock()
	_ = h.CloseSend()
	var closing sync.WaitGroup
	for _, s := range h.servers {
		closing.Go(func() { _ = s.conn.Close() })
	}
	closing.Wait()
	h.stop()
	<-h.ended
	h.work.Wait()
	if !byThemselves {
		return nil
	}
	var all []error
	for _, s := range h.servers {
		if s.err != nil {
			all = append(all, fmt.Errorf("%s: %w", s.name, s.err))
		}
	}
	return errors.Join(all...)
}
