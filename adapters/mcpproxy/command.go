package mcpproxy

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// DefaultExitGrace limits how long a process may take to exit by itself, and then again after it was
// terminated. Clients kill the proxy a few seconds after they close its input, and the process would
// be left behind.
const DefaultExitGrace = time.Second

// linger limits how long the output of a process is read after it has exited, if a process that it
// started holds it open.
const linger = time.Second

// Command is a connection to a server that runs as a child process.
type Command struct {
	*Stream
	cmd    *exec.Cmd
	stdin  io.Closer
	grace  time.Duration
	exited chan struct{}
	err    error // of the exit, set before exited is closed

	stopping sync.Once
	forced   atomic.Bool // the process did not exit by itself
}

var _ Conn = (*Command)(nil)

// Start starts a server. The command's Stdin and Stdout must be nil. Grace is how long the process
// may take to exit after CloseSend, which then terminates it, and again before it is killed; zero or
// less means DefaultExitGrace.
func Start(cmd *exec.Cmd, grace time.Duration) (*Command, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("mcpproxy: starting a server: %w", err)
	}
	stdout, theirs, err := os.Pipe() // not StdoutPipe, which Wait would close before it is read
	if err != nil {
		return nil, fmt.Errorf("mcpproxy: starting a server: %w", err)
	}
	cmd.Stdout = theirs
	cmd.WaitDelay = cmp.Or(cmd.WaitDelay, linger) // for a Stderr that is not a file
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		_ = stdout.Close()
		return nil, fmt.Errorf("mcpproxy: starting a server: %w", err)
	}
	out := &output{file: stdout}
	c := &Command{Stream: NewStream(out, stdin), cmd: cmd, stdin: stdin, grace: cmp.Or(max(grace, 0), DefaultExitGrace), exited: make(chan struct{})}
	go func() {
		if err := cmd.Wait(); !errors.Is(err, exec.ErrWaitDelay) {
			c.err = err
		}
		out.end()
		close(c.exited)
	}()
	return c, nil
}

// CloseSend implements Conn. It closes the input of the process, and ends the process if it does not
// exit then.
func (c *Command) CloseSend() error {
	err := c.stdin.Close()
	c.stopping.Do(func() { go c.stop() }) // until the exit
	return err
}

// stop ends the process if it does not exit by itself.
func (c *Command) stop() {
	if c.wait() {
		return
	}
	c.forced.Store(true)
	if c.cmd.Process.Signal(syscall.SIGTERM) != nil || !c.wait() {
		_ = c.cmd.Process.Kill() // fails only after the exit
	}
}

// Close implements Conn. It waits for the exit. The error is nil for a process that had to be
// terminated.
func (c *Command) Close() error {
	defer c.Stream.Close()
	_ = c.CloseSend()
	<-c.exited
	if c.forced.Load() {
		return nil
	}
	return c.err
}

// wait waits for the exit and reports whether it came within the grace period.
func (c *Command) wait() bool {
	timer := time.NewTimer(c.grace)
	defer timer.Stop()
	select {
	case <-c.exited:
		return true
	case <-timer.C:
		return false
	}
}

// output is the output of a process, which ends with the process even if others hold it open.
type output struct {
	file   *os.File
	exited atomic.Bool
}

// end is called after the exit.
func (o *output) end() {
	_ = o.file.SetReadDeadline(time.Now()) // wakes a Read
	o.exited.Store(true)
}

// Read implements io.Reader.
func (o *output) Read(p []byte) (int, error) {
	for {
		exited := o.exited.Load()
		if exited {
			_ = o.file.SetReadDeadline(time.Now().Add(linger))
		}
		n, err := o.file.Read(p)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if exited {
			return 0, io.EOF
		}
	}
}

// Close implements io.Closer.
func (o *output) Close() error { return o.file.Close() }
