package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxPending is how many calls of a client may wait for their answers on a stream: while as many
// do, nothing more is read.
const maxPending = 1000

// lineConn is a connection on which each message is a line.
type lineConn struct {
	server *Server
	ctx    context.Context
	out    io.Writer
	lines  chan line
	queue  []jsonrpc.Message // of a line, what was not handed on yet: only Read has it

	close    sync.Once
	closed   chan struct{}
	answered chan struct{} // has a value after an answer

	mu      sync.Mutex            // guards pending, what is in it, and writing
	pending map[jsonrpc.ID]*batch // calls without an answer; nil: of no batch
}

// batch is what calls are answered with that came together.
type batch struct {
	calls   int
	answers []json.RawMessage
}

// line is a line that was read, or why there are no more.
type line struct {
	text []byte
	long bool // it is too long, and not in text
	err  error
}

// readLines reads lines until there are no more.
func (c *lineConn) readLines(from io.Reader) {
	in := bufio.NewReaderSize(from, 64<<10)
	var text []byte // of this line
	skip := false   // the rest of it
	for {
		part, err := in.ReadSlice('\n')
		whole := !errors.Is(err, bufio.ErrBufferFull)
		var l *line
		switch {
		case skip:
		case int64(len(text)+len(bytes.TrimRight(part, "\r\n"))) > c.server.opts.MaxBodyBytes:
			l, skip = &line{long: true}, true
		default:
			if text = append(text, part...); whole {
				l = &line{text: text}
			}
		}
		if whole || skip {
			text, skip = nil, skip && !whole
		}
		if l != nil && !c.handOn(*l) || whole && err != nil && !c.handOn(line{err: err}) {
			return
		}
		if whole && err != nil {
			return
		}
	}
}

// handOn gives Read a line; false if the connection is closed.
func (c *lineConn) handOn(l line) bool {
	select {
	case c.lines <- l:
		return true
	case <-c.closed:
		return false
	}
}

// Read implements mcp.Connection.
func (c *lineConn) Read(context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		if err := c.wait(maxPending, nil); err != nil {
			return nil, err
		}
		select {
		case l := <-c.lines:
			if l.err != nil {
				return nil, errors.Join(l.err, c.drain())
			}
			if err := c.acceptLine(l); err != nil {
				return nil, err
			}
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		}
	}
	message := c.queue[0]
	c.queue = c.queue[1:]
	return message, nil
}

// drain waits until all calls are answered: when Read returns an error, the SDK cancels them.
func (c *lineConn) drain() error {
	patience := time.NewTimer(c.server.opts.Timeout)
	defer patience.Stop()
	return c.wait(1, patience.C)
}

// wait waits until fewer calls wait for their answers, or until the time is over.
func (c *lineConn) wait(fewer int, until <-chan time.Time) error {
	for c.waiting() >= fewer {
		select {
		case <-c.answered:
		case <-until:
			return nil
		case <-c.ctx.Done():
			return c.ctx.Err()
		case <-c.closed:
			return io.EOF
		}
	}
	return nil
}

func (c *lineConn) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

// Write implements mcp.Connection.
func (c *lineConn) Write(_ context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	answer, ok := message.(*jsonrpc.Response)
	if !ok {
		return c.writeLine(data)
	}
	b := c.pending[answer.ID]
	delete(c.pending, answer.ID)
	defer c.signalAnswered()
	if b == nil {
		return c.writeLine(data)
	}
	if b.answers = append(b.answers, data); len(b.answers) < b.calls {
		return nil
	}
	all, err := json.Marshal(b.answers)
	if err != nil {
		return err
	}
	return c.writeLine(all)
}

// signalAnswered wakes a goroutine that waits for an answer.
func (c *lineConn) signalAnswered() {
	select {
	case c.answered <- struct{}{}:
	default:
	}
}

// writeLine writes a line; the caller holds the lock.
func (c *lineConn) writeLine(data []byte) error {
	_, err := c.out.Write(append(data, '\n'))
	return err
}

// SessionID implements mcp.Connection.
func (c *lineConn) SessionID() string { return "" }

// Close implements mcp.Connection.
func (c *lineConn) Close() error {
	c.close.Do(func() { close(c.closed) })
	return nil
}
