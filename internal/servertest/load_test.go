package servertest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
)

// loadTime is how long each run of TestLoad takes: WORKINGMEMORY_TEST_LOAD, else a moment.
func loadTime(t *testing.T) time.Duration {
	t.Helper()
	if set := os.Getenv("WORKINGMEMORY_TEST_LOAD"); set != "" {
		d, err := time.ParseDuration(set)
		require.NoError(t, err)
		return d
	}
	if !thorough() {
		t.Skip("it takes PostgreSQL, and its time")
	}
	return 3 * time.Second
}

// TestLoad appends from 64 clients, in a process of their own, to 1,000 sessions: with every
// store, and with each once more while it ends and starts again in the middle. What was
// acknowledged is there afterwards.
func TestLoad(t *testing.T) {
	duration := loadTime(t)
	load := filepath.Join(t.TempDir(), "load")
	out, err := exec.Command("go", "build", "-o", load, "./load").CombinedOutput()
	require.NoError(t, err, "%s", out)

	run := func(t *testing.T, p *process, meanwhile func(), flags ...string) {
		var said bytes.Buffer
		args := append([]string{"--url", p.base, "--duration", duration.String(), "--namespace", "load"}, flags...)
		cmd := exec.Command(load, args...)
		cmd.Stdout, cmd.Stderr = &said, &said
		require.NoError(t, cmd.Start())
		meanwhile()
		err := cmd.Wait()
		t.Logf("\n%s", &said)
		require.NoError(t, err)
	}
	interrupted := func(t *testing.T, p *process, end, begin func()) {
		run(t, p, func() {
			time.Sleep(duration / 3)
			end()
			time.Sleep(duration / 10)
			begin()
		}, "--tolerate-errors")
	}

	t.Run("memory", func(t *testing.T) {
		run(t, start(t, settings{store: "memory:"}), func() {})
	})
	t.Run("SQLite", func(t *testing.T) {
		s := settings{dir: t.TempDir()}
		p := start(t, s)
		run(t, p, func() {})
		t.Run("killed", func(t *testing.T) {
			s.args = append(s.args, "--listen", strings.TrimPrefix(p.base, "http://"))
			interrupted(t, p, p.kill, func() { start(t, s) })
		})
	})
	t.Run("Redis", func(t *testing.T) {
		redis := servers.StartRedis(t)
		p := start(t, settings{store: redis.URL(), index: "memory:"})
		run(t, p, func() {})
		t.Run("restarted", func(t *testing.T) { interrupted(t, p, redis.Kill, redis.Start) })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		postgres := servers.StartPostgres(t)
		p := start(t, settings{store: postgres.URL()})
		run(t, p, func() {})
		t.Run("restarted", func(t *testing.T) { interrupted(t, p, postgres.Kill, postgres.Start) })
	})
}
