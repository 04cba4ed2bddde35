// Package child starts the program of a test again, as child processes that do a part
// of the test and can be killed, for tests of what several processes share.
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

// Main does the part of a child process, if this is one that was started with the same
// variable, and ends it. Else it returns. It is called in TestMain, before the tests
// are run. do gets what the parent gave to Start in job, prepares, calls begin, which
// waits until the parent lets it begin, and does the job.
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

// begin says that the process is ready, and waits until it may begin.
func begin() error {
	parent := bufio.NewReader(os.Stdin)
	Say(readyLine)
	if _, err := parent.ReadString('\n'); err != nil {
		return err
	}
	go func() { // for as long as the process lives, which is not longer than the parent
		_, _ = io.Copy(io.Discard, parent)
		os.Exit(3)
	}()
	return nil
}

const readyLine = "ready"

// Say tells the parent something, in one write.
func Say(words ...string) { _, _ = os.Stdout.WriteString(strings.Join(words, " ") + "\n") }

// Process is a child process as its parent sees it.
type Process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors *bytes.Buffer
	reap   func() error
}

// lifetime is how long a child may take at most: it is a deadline for hangs.
const lifetime = 10 * time.Minute

// Start starts a child process and waits until it is ready. It ends with the context, if
// nobody ends it before. The caller calls End or Reap.
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
	// Without Main it would run the tests: it is asked for none.
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
		return nil, fmt.Errorf("a child process said %q and not that it is ready (does TestMain do its part?): %w", line, p.End())
	}
	return p, nil
}

// Begin lets a child that is ready begin.
func (p *Process) Begin() error {
	_, err := io.WriteString(p.in, "\n")
	return err
}

// Hear returns the next line that the child says; at its end io.EOF. A line that
// was cut off by the child's end was not said.
func (p *Process) Hear() (string, error) {
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", io.EOF
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// Kill ends the child at once, as kill -9 does. What it said before can still be
// heard; then call Reap or Buried.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

// Reap waits for a child that has nothing more to say.
func (p *Process) Reap() error { return p.reap() }

// Buried waits for a child that was killed. Races that were detected in it are an
// error still.
func (p *Process) Buried() error {
	_ = p.reap()
	if bytes.Contains(p.errors.Bytes(), []byte("DATA RACE")) {
		return fmt.Errorf("in a child process: %s", bytes.TrimSpace(p.errors.Bytes()))
	}
	return nil
}

// End waits for the child, which has nothing more to say, and says how it failed.
func (p *Process) End() error {
	_, _ = io.Copy(io.Discard, p.out)
	if err := p.reap(); err != nil {
		return fmt.Errorf("a child process failed: %w: %s", err, bytes.TrimSpace(p.errors.Bytes()))
	}
	return nil
}
