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

// patience is the maximum time for a server to start or to stop.
const patience = 60 * time.Second

// Server is a server process. Its methods fail the test on errors. Only the goroutine of the
// test may call them.
type Server struct {
	tb      testing.TB
	name    string
	address string
	url     string
	log     string                          // the path of the server's output
	command func() *exec.Cmd                // returns a new command
	ready   func(ctx context.Context) error // returns nil once the server serves
	leave   syscall.Signal                  // the signal for an orderly end that does not wait for clients

	process *process // nil if none runs
}

// Address returns host:port.
func (s *Server) Address() string { return s.address }

// URL returns the URL for clients: redis://… or postgres://….
func (s *Server) URL() string { return s.url }

// Start starts the server on its data, and returns when it serves.
func (s *Server) Start() {
	s.tb.Helper()
	if err := s.start(); err != nil {
		s.tb.Fatalf("servers: %s does not start: %v\n%s", s.name, err, s.output())
	}
}

// start starts processes until one serves: the remains of a killed one may prevent that for a
// moment.
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

// Kill kills the server (SIGKILL).
func (s *Server) Kill() {
	s.tb.Helper()
	s.running().kill()
	s.process = nil
}

// Stop ends the server in an orderly way. It cuts connections.
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

// Pause stops the process (SIGSTOP): connections stay open, and the system accepts new ones,
// but the server does not answer until Resume.
func (s *Server) Pause() {
	s.tb.Helper()
	s.running().signal(syscall.SIGSTOP)
}

// Resume continues a paused server.
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

// end ends the server at the end of the test.
func (s *Server) end() {
	if s.process != nil {
		s.process.kill()
		s.process = nil
	}
}

// output returns the end of the server's output.
func (s *Server) output() string {
	const limit = 4 << 10
	text, _ := os.ReadFile(s.log)
	return string(text[max(0, len(text)-limit):])
}

// directory returns a directory that is removed with the test.
func directory(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "drivertest")
	if err != nil {
		tb.Fatalf("servers: %v", err)
	}
	tb.Cleanup(func() { removeAll(tb, dir) })
	return dir
}

// removeAll removes a directory, in which ending processes may still create files.
func removeAll(tb testing.TB, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := poll(ctx, func() error { return os.RemoveAll(dir) }); err != nil {
		tb.Errorf("servers: %v", err)
	}
}

// asked skips the test unless the environment variable is set.
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
