package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionHeader carries the id that a client gets when it begins a session of the protocol.
const sessionHeader = "Mcp-Session-Id"

// newID returns a new id of a session or a memory: 26 letters and digits, 130 random bits.
func newID() string { return rand.Text() }

// madeID matches the ids that newID returns.
var madeID = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// ownKey is the context key of the session of calls that name none.
type ownKey struct{}

// ownSession returns the session of calls that name none, or "" if the client has none.
func ownSession(ctx context.Context) string {
	id, _ := ctx.Value(ownKey{}).(string)
	return id
}

// withOwnSession returns a context with the session of calls that name none: that of the options,
// or else that of the connection, or else one of the process.
func (s *Server) withOwnSession(ctx context.Context, connection *mcp.ServerSession) context.Context {
	id := s.opts.SessionID
	if r, ok := ctx.Value(requestKey{}).(request); id == "" && ok {
		id = r.session
	} else if id == "" {
		if id = s.made; connection.ID() != "" {
			id = connection.ID()
		}
	}
	return context.WithValue(ctx, ownKey{}, id)
}

// beginSession returns the session of an HTTP request. A request that begins one gets an id in the
// header of its answer, which the client sends from then on. The server keeps nothing for it, and
// it is no credential: the tenant of each request decides what the request reaches.
func beginSession(w http.ResponseWriter, r *http.Request, body []byte) string {
	if id := r.Header.Get(sessionHeader); madeID.MatchString(id) {
		return id
	}
	var message struct{ Method string }
	if bytes.Contains(body, []byte(`"initialize"`)) && json.Unmarshal(body, &message) == nil && message.Method == "initialize" {
		w.Header().Set(sessionHeader, newID())
	}
	return ""
}
