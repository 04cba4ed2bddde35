package sessiontest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Opener opens a store on what an address names, as each process does that shares
// it: a path, a URL, or whatever the tests of a store give. It returns what closes it.
type Opener func(address string) (store session.Store, close func() error, err error)

// Main runs the tests of a package, as TestMain, if the package uses RunWriters or
// RunCrashes: these start the program of the test again, as child processes that
// use the store too. There Main does their part.
//
//	func TestMain(m *testing.M) { sessiontest.Main(m, open) }
func Main(m *testing.M, open Opener) {
	text := os.Getenv(jobVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := j.do(open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

const jobVariable = "WORKINGMEMORY_SESSIONTEST_JOB"

// job is what a child process is to do.
type job struct {
	Address string
	Key     session.Key
	Writers *writersJob `json:",omitempty"`
	Life    *lifeJob    `json:",omitempty"`
}

// do opens the store, says that it is ready, waits until it may begin, and does the job.
func (j *job) do(open Opener) (err error) {
	store, closeStore, err := open(j.Address)
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	parent := bufio.NewReader(os.Stdin)
	say(readyLine)
	if _, err := parent.ReadString('\n'); err != nil {
		return err
	}
	go func() { // for as long as the process lives, which is not longer than the parent
		_, _ = io.Copy(io.Discard, parent)
		os.Exit(3)
	}()
	if j.Writers != nil {
		return j.Writers.do(store, j.Key)
	}
	return j.Life.do(store, j.Key)
}

const readyLine = "ready"

// say tells the parent something, in one write.
func say(words ...string) { _, _ = os.Stdout.WriteString(strings.Join(words, " ") + "\n") }

// child is a child process as its parent sees it.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors *bytes.Buffer
	reap   func() error
}

// lifetime is how long a child may take at most: it is a deadline for hangs.
const lifetime = 10 * time.Minute

// startChild starts a child process and waits until it is ready. It ends with the
// context, if nobody ends it before. The caller calls end.
func startChild(ctx context.Context, j job) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lifetime)
	// Without Main it would run the tests: it is asked for none.
	cmd := exec.CommandContext(ctx, program, "-test.run=^$")
	c := &child{cmd: cmd, errors: new(bytes.Buffer)}
	cmd.Env = append(os.Environ(), jobVariable+"="+string(text))
	cmd.Stderr = c.errors
	if c.in, err = cmd.StdinPipe(); err != nil {
		cancel()
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	c.out = bufio.NewReader(out)
	c.reap = sync.OnceValue(func() error { defer cancel(); return cmd.Wait() })
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	if line, err := c.hear(); err != nil || line != readyLine {
		c.kill()
		return nil, fmt.Errorf("a child process said %q and not that it is ready (does TestMain call sessiontest.Main?): %w", line, c.end())
	}
	return c, nil
}

// begin lets a child that is ready begin.
func (c *child) begin() error {
	_, err := io.WriteString(c.in, "\n")
	return err
}

// hear returns the next line that the child says; at its end io.EOF. A line that
// was cut off by the child's end was not said.
func (c *child) hear() (string, error) {
	line, err := c.out.ReadString('\n')
	if err != nil {
		return "", io.EOF
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// kill ends the child at once, as kill -9 does. What it said before can still be
// heard; then call reap.
func (c *child) kill() { _ = c.cmd.Process.Kill() }

// buried waits for a child that was killed. Races that were detected in it are an
// error still.
func (c *child) buried() error {
	_ = c.reap()
	if bytes.Contains(c.errors.Bytes(), []byte("DATA RACE")) {
		return fmt.Errorf("in a child process: %s", bytes.TrimSpace(c.errors.Bytes()))
	}
	return nil
}

// end waits for the child, which has nothing more to say, and says how it failed.
func (c *child) end() error {
	_, _ = io.Copy(io.Discard, c.out)
	if err := c.reap(); err != nil {
		return fmt.Errorf("a child process failed: %w: %s", err, bytes.TrimSpace(c.errors.Bytes()))
	}
	return nil
}
