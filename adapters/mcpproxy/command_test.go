package mcpproxy_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/internal/syncbuffer"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// serverEnv tells the test binary which server to be.
const serverEnv = "WORKINGMEMORY_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	switch how := os.Getenv(serverEnv); how {
	case "":
		os.Exit(m.Run())
	case "proxy":
		if err := proxy(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(serve(how))
	}
}

// serve is a server that echoes lines to standard output.
func serve(how string) int {
	switch how {
	case "deaf": // ends only when it is killed
		signal.Ignore(syscall.SIGTERM)
	case "held": // a descendant holds the output open
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), serverEnv+"=holds")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if child.Start() != nil {
			return 1
		}
	case "holds":
		time.Sleep(10 * time.Second)
		return 0
	}
	fmt.Fprintln(os.Stderr, "the server's log")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if in.Text() == "exit" {
			return 7
		}
		fmt.Println(in.Text())
	}
	if how == "deaf" || how == "stays" {
		select {}
	}
	return 0
}

// child starts a server.
func child(t *testing.T, how string, grace time.Duration, errs io.Writer) *mcpproxy.Command {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), serverEnv+"="+how), errs
	c, err := mcpproxy.Start(cmd, grace)
	require.NoError(t, err)
	return c
}

// endOnce is a reader that ends once a condition holds.
type endOnce func() bool

func (is endOnce) Read([]byte) (int, error) {
	for !is() {
		time.Sleep(time.Millisecond)
	}
	return 0, io.EOF
}

// A server that stops ends the proxy with its exit code; others end with the client.
func TestCommand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		how, in string
		code    int
	}{
		"ends":                {"echo", "a\nb\n", 0},
		"fails":               {"echo", "a\nb\nexit\n", 7},
		"must be terminated":  {"stays", "a\nb\n", 0},
		"must be killed":      {"deaf", "a\nb\n", 0},
		"leaves a descendant": {"held", "a\nb\nexit\n", 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, errs := new(syncbuffer.Buffer), new(syncbuffer.Buffer)
			server := child(t, c.how, 200*time.Millisecond, errs)
			var rest io.Reader = endOnce(func() bool { return out.String() == "a\nb\n" }) // a process may start slowly
			if c.code != 0 {
				rest, _ = io.Pipe() // the client goes on
			}
			in := io.MultiReader(strings.NewReader(c.in), rest)
			err := mcpproxy.Run(t.Context(), new(middleware.Recorder), mcpproxy.NewStream(in, out), server, &mcpproxy.Options{Grace: time.Second})
			assert.Equal(t, "a\nb\n", out.String())
			assert.Contains(t, errs.String(), "the server's log")
			var exit *exec.ExitError
			if c.code == 0 {
				require.NoError(t, err)
			} else if assert.ErrorAs(t, err, &exit) {
				assert.Equal(t, c.code, exit.ExitCode())
			}
		})
	}
}

func TestCommandThatCannotStart(t *testing.T) {
	t.Parallel()
	_, err := mcpproxy.Start(exec.Command("/nonexistent/server"), 0)
	require.ErrorContains(t, err, "mcpproxy: starting a server: ")
	require.ErrorIs(t, err, os.ErrNotExist)
}
