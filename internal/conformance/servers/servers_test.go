//go:build unix

package servers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRedisKeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	s := StartRedis(t)
	set := func(key string) {
		answer, err := redisCommand(t.Context(), s.Address(), "SET", key, "kept")
		require.NoError(t, err)
		require.Equal(t, "OK", answer)
	}
	requireKept := func(key string) {
		answer, err := redisCommand(t.Context(), s.Address(), "GET", key)
		require.NoError(t, err)
		require.Equal(t, "kept", answer)
	}

	set("killed")
	s.Kill()
	_, err := redisCommand(t.Context(), s.Address(), "PING")
	require.Error(t, err, "a killed server answers")
	s.Start()
	requireKept("killed")

	set("stopped")
	s.Stop()
	_, err = redisCommand(t.Context(), s.Address(), "PING")
	require.Error(t, err, "a stopped server answers")
	s.Start()
	requireKept("stopped")

	s.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = redisCommand(ctx, s.Address(), "PING")
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "a server that hangs answers")
	s.Resume()
	requireKept("stopped")
	s.Pause()
	s.Stop()
}

func TestRedisClusterServesEverySlot(t *testing.T) {
	t.Parallel()
	cluster := StartRedisCluster(t)
	require.Len(t, cluster, 3)
	served := make(map[string]bool)
	for _, key := range []string{"a", "b", "c"} { // one slot of each node
		for _, node := range cluster {
			answer, err := redisCommand(t.Context(), node.Address(), "SET", key, "x")
			if err != nil {
				require.ErrorContains(t, err, "MOVED")
				continue
			}
			assert.Equal(t, "OK", answer)
			assert.False(t, served[key], "two nodes have the slot")
			served[key] = true
		}
	}
	assert.Len(t, served, 3)
}

func TestPostgresKeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	s := StartPostgres(t)
	psql := find(t, "psql")
	query := func(ctx context.Context, sql string) (string, error) {
		out, err := exec.CommandContext(ctx, psql, "-X", "-A", "-t", "-c", sql, s.URL()).CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	_, err := query(t.Context(), "create table kept(how text)")
	require.NoError(t, err)
	for _, how := range []struct {
		name string
		end  func()
	}{{"killed", s.Kill}, {"stopped", s.Stop}} {
		_, err := query(t.Context(), "insert into kept values ('"+how.name+"')")
		require.NoError(t, err)
		how.end()
		_, err = query(t.Context(), "select 1")
		require.Error(t, err, "a server that was %s answers", how.name)
		s.Start()
	}
	s.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = query(ctx, "select 1")
	require.Error(t, err, "a server that hangs answers")
	s.Resume()
	out, err := query(t.Context(), "select string_agg(how, ' ') from kept")
	require.NoError(t, err, out)
	assert.Equal(t, "killed stopped", out)
}

func TestServersEndWithTheirTest(t *testing.T) {
	t.Parallel()
	var s *Server
	t.Run("inner", func(t *testing.T) { s = StartRedis(t) })
	if s == nil {
		t.Skip("the inner test was skipped")
	}
	_, err := redisCommand(t.Context(), s.Address(), "PING")
	require.Error(t, err)
	_, err = os.Stat(filepath.Dir(s.log))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAGuardKillsWhatItsOwnerLeft(t *testing.T) {
	t.Parallel()
	left := exec.Command("sleep", "600")
	require.NoError(t, left.Start())
	g, err := watch(left.Process.Pid)
	require.NoError(t, err)
	require.NoError(t, g.alive.Close(), "as the system does when the owner ends")
	assert.ErrorContains(t, left.Wait(), "killed")
	g.stop()
}
