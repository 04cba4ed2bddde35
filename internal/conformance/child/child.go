// Package child starts the test binary again, as child processes that do a part of a test and
// can be killed, to test what several processes share.
package child

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Main runs the job of a child process and exits, if this process was started with the same
// variable. Otherwise it returns. TestMain calls it before it runs the tests. do gets the job
// that the parent passed to Start, prepares, calls begin, which waits for Process.Begin, and
// does the job.
func Main[J any](variable string, do func(job J, begin func() error) error) {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	var job J
	if err := json.Unmarshal([]byte(text), &job); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := do(job, begin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// begin reports that the process is ready, and waits for Process.Begin.
func begin() error {
	parent := bufio.NewReader(os.Stdin)
	Say(readyLine)
	if _, err := parent.ReadString('\n'); err != nil {
		return err
	}
	go func() { // runs until the process ends, at the latest with its parent
		_, _ = io.Copy(io.Discard, parent)
		os.Exit(3)
	}()
	return nil
}

const readyLine = "ready"

// Say writes a line to the parent, in one write.
func Say(words ...string) { _, _ = os.Stdout.WriteString(strings.Join(words, " ") + "\n") }

// Process is a child process as its parent sees it.
type Process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors *bytes.Buffer
	reap   func() error
}

// lifetime is the maximum time that a child runs, in case it hangs.
const lifetime = 10 * time.Minute

// Start starts a child process and waits until it is ready. The process ends with the context
// at the latest. The caller calls End or Reap.
func Start(ctx context.Context, variable string, job any) (*Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lifetime)
	// The child runs no tests if TestMain does not call Main.
	cmd := exec.CommandContext(ctx, program, "-test.run=^$")
	p := &Process{cmd: cmd, errors: new(bytes.Buffer)}
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	cmd.Stderr = p.errors
	if p.in, err = cmd.StdinPipe(); err != nil {
		cancel()
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	p.out = bufio.NewReader(out)
	p.reap = sync.OnceValue(func() error { defer cancel(); return cmd.Wait() })
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	if line, err := p.Hear(); err != nil || line != readyLine {
		p.Kill()
		return nil, fmt.Errorf("a child process wrote %q before it was ready (does TestMain call Main?): %w", line, p.End())
	}
	return p, nil
}

// Begin lets a child that is ready begin its job.
func (p *Process) Begin() error {
	_, err := io.WriteString(p.in, "\n")
	return err
}

// Hear returns the next line that the child wrote, io.EOF at the end. It drops a line that was
// cut off.
func (p *Process) Hear() (string, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", io.EOF
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// Kill kills the child, as kill -9 does. What it wrote before can still be read; then call
// Reap or Buried.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

// Reap waits for a child that writes nothing more.
func (p *Process) Reap() error { return p.reap() }

// Buried waits for a child that was killed. It returns an error if the race detector found a
// race in it.
func (p *Process) Buried() error {
	_ = p.reap()
	if bytes.Contains(p.errors.Bytes(), []byte("DATA RACE")) {
		return fmt.Errorf("in a child process: %s", bytes.TrimSpace(p.errors.Bytes()))
	}
	return nil
}

// End waits for a child that writes nothing more, and returns an error if it failed.
func (p *Process) End() error {
	_, _ = io.Copy(io.Discard, p.out)
	if err := p.reap(); err != nil {
		return fmt.Errorf("a child process failed: %w: %s", err, bytes.TrimSpace(p.errors.Bytes()))
	}
	return nil
}
