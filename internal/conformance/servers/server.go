//go:build unix

package servers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// patience is how long a server may take to start or to stop.
const patience = 60 * time.Second

// Server is a server process. Its methods fail the test if they cannot do what they
// say. They are called by the goroutine of the test, not concurrently.
type Server struct {
	tb      testing.TB
	name    string
	address string
	url     string
	log     string                          // path of the file that the server's output goes to
	command func() *exec.Cmd                // a new process of it
	ready   func(ctx context.Context) error // nil once it serves
	leave   syscall.Signal                  // asks for an orderly end, without waiting for clients

	process *process // nil: none runs
}

// Address is host:port.
func (s *Server) Address() string { return s.address }

// URL is what a client connects to: redis://… or postgres://….
func (s *Server) URL() string { return s.url }

// Start starts the server, with the data that it has, and returns when it serves.
func (s *Server) Start() {
	s.tb.Helper()
	if err := s.start(); err != nil {
		s.tb.Fatalf("servers: %s does not start: %v\n%s", s.name, err, s.output())
	}
}

// start starts processes until one serves: what a killed one left behind can keep
// the next from starting for a moment.
func (s *Server) start() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		p, err := begin(s.command(), s.log)
		if err != nil {
			return err
		}
		err = poll(ctx, func() error {
			if p.hasExited() {
				return nil
			}
			return s.ready(ctx)
		})
		if err == nil && !p.hasExited() {
			s.process = p
			return nil
		}
		p.kill()
		if err != nil {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// Kill ends the server at once (SIGKILL): it can write nothing any more.
func (s *Server) Kill() {
	s.tb.Helper()
	s.running().kill()
	s.process = nil
}

// Stop ends the server in an orderly way: it cuts the connections it has.
func (s *Server) Stop() {
	s.tb.Helper()
	p := s.running()
	p.signal(syscall.SIGCONT)
	_ = p.cmd.Process.Signal(s.leave)
	select {
	case <-p.exited:
	case <-time.After(patience):
		s.tb.Fatalf("servers: %s does not stop\n%s", s.name, s.output())
	}
	p.kill()
	s.process = nil
}

// Pause makes the server hang (SIGSTOP): connections stay open, and are accepted by
// the system, but nothing is answered until Resume.
func (s *Server) Pause() {
	s.tb.Helper()
	s.running().signal(syscall.SIGSTOP)
}

// Resume lets a server that hangs go on.
func (s *Server) Resume() {
	s.tb.Helper()
	s.running().signal(syscall.SIGCONT)
}

func (s *Server) running() *process {
	s.tb.Helper()
	if s.process == nil {
		s.tb.Fatalf("servers: %s does not run", s.name)
	}
	return s.process
}

// end is for the end of the test.
func (s *Server) end() {
	if s.process != nil {
		s.process.kill()
		s.process = nil
	}
}

// output is the end of what the server wrote.
func (s *Server) output() string {
	const limit = 4 << 10
	text, _ := os.ReadFile(s.log)
	return string(text[max(0, len(text)-limit):])
}

// directory makes a directory that goes with the test.
func directory(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "drivertest")
	if err != nil {
		tb.Fatalf("servers: %v", err)
	}
	tb.Cleanup(func() { removeAll(tb, dir) })
	return dir
}

// removeAll removes a directory in which processes that are just ending may still
// make files.
func removeAll(tb testing.TB, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := poll(ctx, func() error { return os.RemoveAll(dir) }); err != nil {
		tb.Errorf("servers: %v", err)
	}
}

// asked skips the test unless the environment asks for servers of this kind.
func asked(tb testing.TB, variable string) {
	tb.Helper()
	if os.Getenv(variable) == "" {
		tb.Skipf("%s is not set", variable)
	}
}

// find returns the path of a program, in the PATH or in one of some directories.
func find(tb testing.TB, program string, directories ...string) string {
	tb.Helper()
	for _, dir := range directories {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		tb.Fatalf("servers: the tests against servers are asked for, but %s is not installed: %v", program, err)
	}
	return path
}
