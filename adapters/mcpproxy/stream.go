package mcpproxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// MaxRecorded is the number of bytes of a message that are read at once: 16 MiB. A longer message
// of a Stream is copied as it arrives; it is neither recorded nor changed.
const MaxRecorded = 16 << 20

// Packet is a message as it is on the wire.
type Packet struct {
	// Text is the message, or its first MaxRecorded bytes, and the line break that ended it, if
	// any. It must not be modified.
	Text []byte
	// Rest reads what is left of a longer message, without the line break. It must be read before
	// the next Receive. It is nil otherwise.
	Rest io.Reader
}

// maxWhole is the size of the longest message that is put together: 64 MiB.
const maxWhole = 64 << 20

// whole returns the text of a message with its rest.
func (p Packet) whole() ([]byte, error) {
	if p.Rest == nil {
		return p.Text, nil
	}
	room := maxWhole - len(p.Text)
	rest, err := io.ReadAll(io.LimitReader(p.Rest, int64(room)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("mcpproxy: reading a message: %w", err)
	case len(rest) > room:
		_, _ = io.Copy(io.Discard, p.Rest) // the next message follows
		return nil, fmt.Errorf("mcpproxy: a message is longer than %d bytes", maxWhole)
	}
	return append(p.Text[:len(p.Text):len(p.Text)], rest...), nil
}

// Conn is a connection to a client or a server.
type Conn interface {
	// Receive returns the next message. After the last it returns io.EOF. One goroutine calls it.
	// When ctx ends, it returns ctx.Err().
	Receive(ctx context.Context) (Packet, error)
	// Send sends a message. It is safe for concurrent use.
	Send(ctx context.Context, p Packet) error
	// CloseSend announces that nothing follows. What the other side still sends can be received.
	CloseSend() error
	// Close ends the connection. For a Command, it returns an *exec.ExitError if the process
	// failed by itself.
	Close() error
}

// Stream is a connection with a message on each line. Lines that are not messages pass, too.
type Stream struct {
	w       io.Writer
	sending sync.Mutex

	packets chan Packet // closed at the end of r
	err     error       // of r, set before packets is closed
	r       io.Reader
	rest    atomic.Pointer[io.PipeWriter] // of a long message, while it is read
	closed  chan struct{}
	close   sync.Once
}

var _ Conn = (*Stream)(nil)

// NewStream returns a connection that reads lines from r and writes lines to w. It reads from r
// until Close; a read that blocks then is abandoned unless r is an io.Closer, which Close closes,
// as it closes w.
func NewStream(r io.Reader, w io.Writer) *Stream {
	s := &Stream{r: r, w: w, packets: make(chan Packet), closed: make(chan struct{})}
	go s.read()
	return s
}

// read reads lines until the input or the connection ends.
func (s *Stream) read() {
	defer close(s.packets)
	in := bufio.NewReaderSize(s.r, 64<<10)
	for s.err == nil {
		text, more, err := readLine(in, MaxRecorded)
		switch {
		case more:
			s.err = s.deliverLong(text, in)
		case len(text) > 0 && !s.deliver(Packet{Text: text}):
			return
		default:
			s.err = err
		}
	}
}

// readLine reads a line with its line break, or about its first limit bytes if more follow.
func readLine(in *bufio.Reader, limit int) (text []byte, more bool, err error) {
	for len(text) < limit {
		part, err := in.ReadSlice('\n')
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, false, err
		}
	}
	return text, true, nil
}

// deliverLong delivers a message whose beginning has been read, and copies the rest as it arrives.
func (s *Stream) deliverLong(text []byte, in *bufio.Reader) error {
	rest, to := io.Pipe()
	s.rest.Store(to)
	defer s.rest.Store(nil)
	if !s.deliver(Packet{Text: text, Rest: rest}) {
		return io.ErrClosedPipe
	}
	for {
		part, err := in.ReadSlice('\n')
		if _, failed := to.Write(bytes.TrimSuffix(part, []byte{'\n'})); failed != nil {
			return failed
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			_ = to.Close()
			return err
		}
	}
}

// deliver passes a message to Receive, and reports false if the connection is closed.
func (s *Stream) deliver(p Packet) bool {
	select {
	case s.packets <- p:
		return true
	case <-s.closed:
		return false
	}
}

// Receive implements Conn.
func (s *Stream) Receive(ctx context.Context) (Packet, error) {
	select {
	case p, ok := <-s.packets:
		if !ok {
			return Packet{}, s.err
		}
		return p, nil
	case <-s.closed:
		return Packet{}, io.EOF
	case <-ctx.Done():
		return Packet{}, ctx.Err()
	}
}

// Send implements Conn. It adds a missing line break. It ignores ctx, and takes as long as the write.
func (s *Stream) Send(_ context.Context, p Packet) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	text := p.Text
	if p.Rest == nil && !bytes.HasSuffix(text, []byte{'\n'}) {
		text = append(text[:len(text):len(text)], '\n')
	}
	if _, err := s.w.Write(text); err != nil || p.Rest == nil {
		return err
	}
	if _, err := io.Copy(s.w, p.Rest); err != nil {
		return err
	}
	_, err := s.w.Write([]byte{'\n'})
	return err
}

// CloseSend implements Conn. It closes w if w is an io.Closer.
func (s *Stream) CloseSend() error {
	if w, ok := s.w.(io.Closer); ok {
		return w.Close()
	}
	return nil
}

// Close implements Conn.
func (s *Stream) Close() error {
	s.close.Do(func() {
		close(s.closed)
		_ = s.CloseSend()
		if rest := s.rest.Load(); rest != nil {
			_ = rest.CloseWithError(io.ErrClosedPipe)
		}
		if r, ok := s.r.(io.Closer); ok {
			_ = r.Close()
		}
	})
	return nil
}
