package drivertest

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// echo is a server that answers each line with itself. It tells what it received.
func echo(t *testing.T) (address string, received <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	lines := make(chan string, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				reader := bufio.NewReader(conn)
				for {
					line, err := reader.ReadString('\n')
					if err != nil {
						return
					}
					lines <- line
					_, _ = io.WriteString(conn, line)
				}
			}()
		}
	}()
	return listener.Addr().String(), lines
}

// ask sends a line and reads the answer.
func ask(t *testing.T, conn net.Conn, line string, timeout time.Duration) (string, error) {
	t.Helper()
	require.NoError(t, conn.SetDeadline(time.Now().Add(timeout)))
	if _, err := io.WriteString(conn, line); err != nil {
		return "", err
	}
	return bufio.NewReader(conn).ReadString('\n')
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.Address())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func requireEcho(t *testing.T, conn net.Conn) {
	t.Helper()
	answer, err := ask(t, conn, "hello\n", long)
	require.NoError(t, err)
	require.Equal(t, "hello\n", answer)
}

func isCut(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) }

func TestProxyRefuses(t *testing.T) {
	t.Parallel()
	address, _ := echo(t)
	p := NewProxy(t, address)
	conn := dial(t, p)
	requireEcho(t, conn)
	p.Refuse()
	_, err := ask(t, conn, "hello\n", long)
	require.Error(t, err)
	assert.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	_, err = net.Dial("tcp", p.Address())
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.NoError(t, p.Heal())
	requireEcho(t, dial(t, p))
}

func TestProxyIsSilent(t *testing.T) {
	t.Parallel()
	address, received := echo(t)
	p := NewProxy(t, address)
	conn := dial(t, p)
	requireEcho(t, conn)
	require.Equal(t, "hello\n", <-received)
	p.Silence()
	_, err := ask(t, conn, "held\n", 50*time.Millisecond)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	assert.Empty(t, received, "what is held back arrived")
	require.NoError(t, p.Heal())
	require.Equal(t, "held\n", <-received)
}

func TestProxyLosesAnswers(t *testing.T) {
	t.Parallel()
	address, received := echo(t)
	p := NewProxy(t, address)
	conn := dial(t, p)
	p.LoseAnswer(2, false)
	requireEcho(t, conn)
	assert.False(t, p.Lost())
	_, err := ask(t, conn, "lost\n", long)
	require.True(t, isCut(err), err)
	assert.True(t, p.Lost())
	assert.Equal(t, "hello\n", <-received)
	assert.Equal(t, "lost\n", <-received, "what is asked arrives")
	requireEcho(t, dial(t, p))

	p.LoseAnswer(1, true)
	for range 3 {
		_, err := ask(t, dial(t, p), "lost\n", long)
		require.True(t, isCut(err), err)
	}
	require.NoError(t, p.Heal())
	requireEcho(t, dial(t, p))
}

func TestProxyDelaysAndCuts(t *testing.T) {
	t.Parallel()
	address, _ := echo(t)
	p := NewProxy(t, address)
	conn := dial(t, p)
	const delay = 30 * time.Millisecond
	p.Delay(delay)
	start := time.Now()
	requireEcho(t, conn)
	assert.GreaterOrEqual(t, time.Since(start), delay)
	p.Cut()
	_, err := ask(t, conn, "hello\n", long)
	require.Error(t, err)
	assert.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	requireEcho(t, dial(t, p))
}
