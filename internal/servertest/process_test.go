package servertest

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience limits the time that a process takes to start, to recover or to stop.
const patience = 60 * time.Second

// marker is part of the contents that tests send. No log may contain it.
const marker = "zebrafinch"

// estimate starts a process without an encoding, which takes time and memory to load.
var estimate = []string{"--encoding", "estimate"}

var address = regexp.MustCompile(`listening on (http://[^, \n"]+)`)

// settings configure a process.
type settings struct {
	store, index string // flags; empty if not given
	auth         string // flag; empty if not given
	args, env    []string
	dir          string // working directory; a temporary one if empty
}

// process is a running wmem serve.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	base string // http://host:port
	logs *logs
	done chan struct{} // closed once it has ended
}

// start starts a process that stops with the test, and waits until it is ready.
func start(t testing.TB, s settings) *process {
	t.Helper()
	p := launch(t, s)
	p.awaitAddress()
	return p
}

// awaitAddress waits until the process has logged its address and is ready.
func (p *process) awaitAddress() {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		found := address.FindStringSubmatch(p.logs.String())
		if found != nil {
			p.base = found[1]
		}
		return found != nil || p.ended()
	}, patience, 5*time.Millisecond, "no address in the logs")
	require.NotEmpty(p.t, p.base, "the process has exited:\n%s", p.logs)
	p.waitReady()
}

// launch starts a process without waiting for it.
func launch(t testing.TB, s settings) *process {
	t.Helper()
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	args := []string{"serve", "--listen", "127.0.0.1:0", "--promote-after", "0"}
	for flag, value := range map[string]string{"--store": s.store, "--index": s.index, "--auth": s.auth} {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	p := &process{t: t, logs: &logs{}, done: make(chan struct{})}
	p.cmd = command(s.dir, s.env, append(args, s.args...)...)
	p.begin()
	return p
}

// begin starts the command, which stops with the test.
func (p *process) begin() {
	p.t.Helper()
	p.cmd.Stdout, p.cmd.Stderr = p.logs, p.logs
	require.NoError(p.t, p.cmd.Start())
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	p.t.Cleanup(p.end)
}

// command returns a wmem command with its own environment, which has no settings of the machine
// and cannot reach the network.
func command(dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	const nowhere = "http://127.0.0.1:1"
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir(),
		"HTTP_PROXY=" + nowhere, "HTTPS_PROXY=" + nowhere,
	}, env...)
	return cmd
}

// waitReady waits until the process reports that it is ready.
func (p *process) waitReady() {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		res, err := http.Get(p.base + "/v1/ready")
		if err != nil {
			return false
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, patience, 10*time.Millisecond, "the process is not ready")
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// kill kills the process.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// terminate sends SIGTERM and waits until the process has exited with status 0.
func (p *process) terminate() {
	p.t.Helper()
	if p.ended() {
		return
	}
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-p.done:
		assert.Equal(p.t, 0, p.cmd.ProcessState.ExitCode(), "exit status after SIGTERM:\n%s", p.logs.tail())
	case <-time.After(patience):
		p.kill()
		p.t.Errorf("the process does not stop on SIGTERM:\n%s", p.logs.tail())
	}
}

// end stops the process and requires that its logs contain no panic, race or contents.
func (p *process) end() {
	p.t.Helper()
	p.terminate()
	text := p.logs.String()
	for _, word := range append([]string{"panic", "DATA RACE", "fatal error", marker}, p.logs.secret()...) {
		if at := strings.Index(text, word); at >= 0 {
			p.t.Errorf("%q is in the logs:\n%s", word, text[max(0, at-500):min(len(text), at+2000)])
		}
	}
}

// logs collect the output of a process, and the secrets that it must not contain.
type logs struct {
	mu      sync.Mutex
	text    bytes.Buffer
	secrets []string
}

// Write implements io.Writer.
func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the output so far.
func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logs) tail() string {
	text := l.String()
	return text[max(0, len(text)-4000):]
}

// forbid adds a text that the logs must not contain.
func (l *logs) forbid(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.secrets = append(l.secrets, secret)
}

func (l *logs) secret() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.secrets
}
