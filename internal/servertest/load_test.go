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
	"github.com/go-workingmemory/workingmemory/internal/soak"
)

// loadTime returns the duration of each run of TestLoad: WORKINGMEMORY_TEST_LOAD, or 3 s in a soak
// run.
func loadTime(t *testing.T) time.Duration {
	t.Helper()
	if set := os.Getenv("WORKINGMEMORY_TEST_LOAD"); set != "" {
		d, err := time.ParseDuration(set)
		require.NoError(t, err)
		return d
	}
	if !soak.Enabled() {
		t.Skip("runs with make load and make soak")
	}
	return 3 * time.Second
}

// TestLoad appends to 1,000 sessions from 64 clients in another process, on every store, and again
// while the store or the server restarts. No acknowledged message may be lost.
func TestLoad(t *testing.T) {
	duration := loadTime(t)
	load := filepath.Join(t.TempDir(), "load")
	out, err := exec.Command("go", "build", "-o", load, "./load").CombinedOutput()
	require.NoError(t, err, "%s", out)

	run := func(t *testing.T, p *process, during func(), flags ...string) {
		var output bytes.Buffer
		args := append([]string{"--url", p.base, "--duration", duration.String(), "--namespace", "load"}, flags...)
		cmd := exec.Command(load, args...)
		cmd.Stdout, cmd.Stderr = &output, &output
		require.NoError(t, cmd.Start())
		during()
		err := cmd.Wait()
		t.Logf("\n%s", &output)
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
