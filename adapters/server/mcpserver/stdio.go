package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// RunStdio is RunIO on standard input and output. Nothing else may write to standard output
// meanwhile.
func (s *Server) RunStdio(ctx context.Context) error { return s.RunIO(ctx, os.Stdin, os.Stdout) }

// RunIO serves one client, whose messages are a line each, until its input or the context ends.
// Calls that came before the end of the input are answered first, within Options.Timeout. When
// the context ends they are cancelled, its error is returned, and a read of in that does not
// end is left behind.
//
// A line that is no message, or longer than Options.MaxBodyBytes, is answered with an error and
// passed over. No more of a line than that is kept in memory.
func (s *Server) RunIO(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.mcp.Run(ctx, &lineTransport{server: s, ctx: ctx, in: in, out: out})
}

// lineTransport is the transport of RunIO. The SDK's own ends the connection at the first line
// that is no message, and gives up calls that have no answer yet when the input ends.
type lineTransport struct {
	server *Server
	ctx    context.Context // of RunIO: Read is given one that does not end
	in     io.Reader
	out    io.Writer
}

// Connect implements mcp.Transport.
func (t *lineTransport) Connect(context.Context) (mcp.Connection, error) {
	c := &lineConn{
		server: t.server, ctx: t.ctx, out: t.out, lines: make(chan line), closed: make(chan struct{}),
		answered: make(chan struct{}, 1), pending: map[jsonrpc.ID]*batch{},
	}
	go c.readLines(t.in)
	return c, nil
}

// acceptLine takes a line: the messages that it has, or an error is written.
func (c *lineConn) acceptLine(l line) error {
	text := bytes.TrimSpace(l.text)
	switch {
	case l.long:
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, fmt.Sprintf("Message is longer than %d bytes", c.server.opts.MaxBodyBytes))
	case len(text) == 0:
		return nil
	case !json.Valid(text):
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeParseError, "Message is not JSON")
	case text[0] != '[':
		return c.accept([]json.RawMessage{text}, nil)
	case messagesIn(text) > maxBatch:
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "Too many messages in one batch")
	}
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil || len(all) == 0 {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "Batch has no messages")
	}
	return c.accept(all, new(batch))
}

// accept takes messages that came together; as a batch if b is not nil.
func (c *lineConn) accept(texts []json.RawMessage, b *batch) error {
	messages, calls := make([]jsonrpc.Message, len(texts)), map[jsonrpc.ID]*batch{}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, text := range texts {
		message, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			return c.refuseLocked(idOf(text), jsonrpc.CodeInvalidRequest, "Message is not of JSON-RPC 2.0")
		}
		messages[i] = message
		request, ok := message.(*jsonrpc.Request)
		if !ok || !request.IsCall() || request.Method == listen {
			continue
		}
		_, twice := calls[request.ID]
		if _, running := c.pending[request.ID]; twice || running {
			return c.refuseLocked(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "Id is in use")
		}
		calls[request.ID] = b
	}
	for id := range calls {
		c.pending[id] = b
	}
	if b != nil {
		b.calls = len(calls)
	}
	c.queue = messages
	return nil
}

// listen is a call that lasts as long as the connection: nobody waits for its answer.
const listen = "subscriptions/listen"

// idOf is the id of what is no message, if it has one.
func idOf(text []byte) (id jsonrpc.ID) {
	var m struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(text, &m) == nil {
		if made, err := jsonrpc.MakeID(m.ID); err == nil {
			id = made
		}
	}
	return id
}

// refuse answers what is no message.
func (c *lineConn) refuse(id jsonrpc.ID, code int64, why string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refuseLocked(id, code, why)
}

func (c *lineConn) refuseLocked(id jsonrpc.ID, code int64, why string) error {
	c.server.opts.Logger.WarnContext(c.ctx, "mcpserver: a line was refused", slog.String("why", why))
	data, err := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"` // null where it is not known
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", id.Raw(), &jsonrpc.Error{Code: code, Message: why}})
	if err != nil {
		return err
	}
	return c.writeLine(data)
}
