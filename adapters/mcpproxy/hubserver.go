package mcpproxy

import (
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// hubServer is a server of a Hub, which guards its fields.
type hubServer struct {
	index     int
	name      string
	conn      Conn
	gone      bool
	err       error                   // with which it ended
	asks      map[string]chan message // own requests without an answer
	forwarded map[string]message      // requests of the client without an answer
}

// ownID returns the id that a server's request has for the client: its own, behind the server's
// index.
func (s *hubServer) ownID(raw []byte) []byte {
	return quoted(strconv.Itoa(s.index) + ":" + string(raw))
}

// pump receives the messages of a server until it ends.
func (h *Hub) pump(s *hubServer) error {
	for {
		p, err := s.conn.Receive(h.ctx)
		if err != nil {
			return err
		}
		if p.Rest == nil {
			if p.Text = h.fromServer(s, p.Text); p.Text == nil {
				continue
			}
		}
		if !h.deliver(p) {
			return h.ctx.Err()
		}
	}
}

// fromServer returns a server's message for the client, or nil if it is for the Hub.
func (h *Hub) fromServer(s *hubServer, text []byte) []byte {
	m, ok := parse(text)
	switch {
	case !ok:
		return text
	case m.isAnswer():
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(s.forwarded, m.id)
		if answer, ok := s.asks[m.id]; ok {
			delete(s.asks, m.id)
			answer <- m // it has room
			return nil
		}
		return text
	case m.isRequest():
		return apply(text, []edit{{m.idAt, s.ownID(m.idAt.of(text))}})
	case m.method == methodCancelled:
		found, _ := members(text, m.params, "requestId")
		if found[0].isPresent() {
			return apply(text, []edit{{found[0], s.ownID(found[0].of(text))}})
		}
	case strings.HasSuffix(m.method, "/list_changed"):
		h.mu.Lock()
		defer h.mu.Unlock()
		clear(h.targets)
	}
	return text
}

// end leaves a server out, and answers what it has not.
func (h *Hub) end(s *hubServer, received error) {
	err := s.conn.Close()
	if err == nil && !errors.Is(received, io.EOF) && h.ctx.Err() == nil {
		err = received
	}
	h.mu.Lock()
	s.gone, s.err = true, err
	left := slices.Collect(maps.Values(s.forwarded))
	for _, answer := range s.asks {
		close(answer)
	}
	s.forwarded, s.asks = map[string]message{}, map[string]chan message{}
	clear(h.targets)
	if !h.closing {
		h.logger.Warn("mcpproxy: a server ended", slog.String("server", s.name), slog.Any("error", err))
	}
	h.mu.Unlock()
	for i := range left {
		h.deliver(Packet{Text: errorFor(&left[i], codeInternalError, "The server "+s.name+" has ended")})
	}
}
