package servertest

import (
	"path/filepath"
	"testing"

	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	s := &store{settings: settings{store: "memory:", args: estimate}}
	s.without = start(t, settings{store: "memory:", args: append([]string{"--long-term=off"}, estimate...)})
	conform(t, s)
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	file := "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")
	conform(t, &store{settings: settings{store: file}, tokens: true})
}

func TestRedis(t *testing.T) {
	t.Parallel()
	index := "sqlite:" + filepath.Join(t.TempDir(), "index.db")
	conform(t, &store{settings: settings{store: servers.StartRedis(t).URL(), index: index, args: estimate}, tokens: true})
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	conform(t, &store{settings: settings{store: servers.StartPostgres(t).URL(), args: estimate}, tokens: true})
}

// conform starts what the suite needs of a store, and runs it.
func conform(t *testing.T, s *store) {
	s.open = start(t, s.settings)
	locked := s.settings
	locked.auth = "token"
	if !s.tokens {
		locked.store = "" // a file of its own
	}
	s.auth = start(t, locked)
	runSuite(t, s)
}
