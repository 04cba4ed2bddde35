package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// server stores messages. On each third append it may fail before or after storing, or lose the
// messages.
type server struct {
	mu                    sync.Mutex
	sessions              map[string][]wire.Message
	n                     int
	refuses, hides, loses bool
}

func (s *server) append(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var a wire.Append
	if wire.Decode(body, &a) != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	third := s.n%3 == 0
	if third && s.refuses {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if !third || !s.loses {
		s.keep(r.PathValue("sid"), a.Messages)
	}
	if third && s.hides {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, `{}`)
}

func (s *server) keep(sid string, messages []wire.Message) {
	for _, m := range messages {
		known := false
		for _, old := range s.sessions[sid] {
			known = known || old.ID == m.ID
		}
		if !known {
			s.sessions[sid] = append(s.sessions[sid], m)
		}
	}
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, _ := wire.Encode(&wire.Session{SessionID: r.PathValue("sid"), Messages: s.sessions[r.PathValue("sid")]})
	_, _ = w.Write(data)
}

func TestLoad(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		server *server
		args   []string
		status int
		says   []string
	}{
		{"all is well", &server{}, nil, 0, []string{"4 clients, 3 sessions", "latency: p50", "0 messages missing, 0 changed, 0 duplicated, 0 sessions"}},
		{"errors are errors", &server{refuses: true}, nil, 1, []string{"errors: status 503: ", "never acknowledged", "0 messages missing"}},
		{"answers are lost", &server{hides: true}, []string{"--tolerate-errors", "--messages", "3", "--delete"}, 0, []string{"0 messages missing, 0 changed, 0 duplicated"}},
		{"messages are lost", &server{loses: true}, []string{"--tolerate-errors"}, 1, []string{"the first: load-"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.server.sessions = map[string][]wire.Message{}
			mux := http.NewServeMux()
			mux.HandleFunc("POST /v1/working-memory/{sid}/messages", c.server.append)
			mux.HandleFunc("GET /v1/working-memory/{sid}", c.server.get)
			s := httptest.NewServer(mux)
			defer s.Close()
			var out, wrong bytes.Buffer
			args := append([]string{"--url", s.URL, "--clients", "4", "--sessions", "3", "--duration", "100ms", "--token", "t"}, c.args...)
			require.Equal(t, c.status, run(t.Context(), args, &out, &wrong), "%s%s", &out, &wrong)
			for _, text := range c.says {
				assert.Contains(t, out.String(), text)
			}
		})
	}
}
