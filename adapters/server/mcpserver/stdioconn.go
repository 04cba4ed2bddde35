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

// maxPending limits the unanswered calls of a stream. At the limit, reading pauses.
const maxPending = 1000

// lineConn is a connection with one message or batch on each line.
type lineConn struct {
	server *Server
	ctx    context.Context
	out    io.Writer
	lines  chan line
	queue  []jsonrpc.Message // messages of a line that Read has not returned yet; used by Read alone

	close    sync.Once
	closed   chan struct{}
	answered chan struct{} // receives a value after an answer

	mu      sync.Mutex            // guards pending, its batches, and writes to out
	pending map[jsonrpc.ID]*batch // unanswered calls; the value is nil outside of a batch
}

// batch collects the answers of calls that came on one line.
type batch struct {
	calls   int
	answers []json.RawMessage
}

// line is a line of input, or the error that ended it.
type line struct {
	text []byte
	long bool // too long: text is empty
	err  error
}

// readLines reads lines until the input or the connection ends.
func (c *lineConn) readLines(from io.Reader) {
	in := bufio.NewReaderSize(from, 64<<10)
	var text []byte // of the current line
	skip := false   // the rest of the current line
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
		if l != nil && !c.deliver(*l) || whole && err != nil && !c.deliver(line{err: err}) {
			return
		}
		if whole && err != nil {
			return
		}
	}
}

// deliver passes a line to Read, and reports false if the connection is closed.
func (c *lineConn) deliver(l line) bool {
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

// drain waits until all calls are answered, because the SDK cancels them once Read returns an
// error.
func (c *lineConn) drain() error {
	timer := time.NewTimer(c.server.opts.Timeout)
	defer timer.Stop()
	return c.wait(1, timer.C)
}

// wait waits until fewer than limit calls are unanswered, or until the timeout.
func (c *lineConn) wait(limit int, timeout <-chan time.Time) error {
	for c.unanswered() >= limit {
		select {
		case <-c.answered:
		case <-timeout:
			return nil
		case <-c.ctx.Done():
			return c.ctx.Err()
		case <-c.closed:
			return io.EOF
		}
	}
	return nil
}

func (c *lineConn) unanswered() int {
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

// signalAnswered wakes wait.
func (c *lineConn) signalAnswered() {
	select {
	case c.answered <- struct{}{}:
	default:
	}
}

// writeLine writes a line. The caller holds c.mu.
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
