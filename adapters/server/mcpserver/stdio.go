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

// RunStdio calls RunIO with standard input and output. Nothing else may write to standard output
// until it returns.
func (s *Server) RunStdio(ctx context.Context) error { return s.RunIO(ctx, os.Stdin, os.Stdout) }

// RunIO serves one client, which sends one message on each line, until in or ctx ends. At the
// end of in, pending calls are answered first, within Options.Timeout. When ctx ends, pending
// calls are cancelled and RunIO returns ctx.Err(); a read of in that blocks is abandoned.
//
// A line that is not a message, or is longer than Options.MaxBodyBytes, is answered with an
// error and skipped. At most Options.MaxBodyBytes of a line are kept in memory.
func (s *Server) RunIO(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.mcp.Run(ctx, &lineTransport{server: s, ctx: ctx, in: in, out: out})
}

// lineTransport is the transport of RunIO. The SDK's own transport closes the connection at the
// first line that is not a message, and abandons pending calls when the input ends.
type lineTransport struct {
	server *Server
	ctx    context.Context // of RunIO: the one passed to Read does not end
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

// acceptLine queues the messages of a line, or answers with an error.
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
		return c.acceptMessages([]json.RawMessage{text}, nil)
	case countMessages(text) > maxBatch:
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "Too many messages in one batch")
	}
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil || len(all) == 0 {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "Batch has no messages")
	}
	return c.acceptMessages(all, new(batch))
}

// acceptMessages queues the messages of a line. They are a batch if b is not nil.
func (c *lineConn) acceptMessages(texts []json.RawMessage, b *batch) error {
	messages, calls := make([]jsonrpc.Message, len(texts)), map[jsonrpc.ID]*batch{}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, text := range texts {
		message, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			return c.refuseLocked(idOf(text), jsonrpc.CodeInvalidRequest, "Message is not JSON-RPC 2.0")
		}
		messages[i] = message
		request, ok := message.(*jsonrpc.Request)
		if !ok || !request.IsCall() || request.Method == listen {
			continue
		}
		_, duplicate := calls[request.ID]
		if _, running := c.pending[request.ID]; duplicate || running {
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

// listen is the method of a call that lasts as long as the connection and is never answered.
const listen = "subscriptions/listen"

// idOf returns the id of a malformed message, if it has one.
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

// refuse answers a malformed line with an error.
func (c *lineConn) refuse(id jsonrpc.ID, code int64, why string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refuseLocked(id, code, why)
}

func (c *lineConn) refuseLocked(id jsonrpc.ID, code int64, why string) error {
	c.server.opts.Logger.WarnContext(c.ctx, "mcpserver: line refused", slog.String("why", why))
	data, err := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"` // null if unknown
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", id.Raw(), &jsonrpc.Error{Code: code, Message: why}})
	if err != nil {
		return err
	}
	return c.writeLine(data)
}
