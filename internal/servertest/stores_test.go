package servertest

import (
	"path/filepath"
	"testing"

	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
)

// store is a store and the servers that use it.
type store struct {
	settings
	open *process // without authentication
	auth *process // with tokens
}

// check is a test of the suite. Its name is the requirement.
type check struct {
	name string
	run  func(c *caller, s *store)
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	st := testStore(t, settings{store: "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")})
	for client, checks := range map[string][]check{"python client": pythonChecks(), "typescript client": typescriptChecks(), "methods of clients": methodChecks()} {
		runChecks(t, client, checks, st)
	}
}

func TestRedis(t *testing.T) {
	t.Parallel()
	index := "sqlite:" + filepath.Join(t.TempDir(), "index.db")
	testStore(t, settings{store: servers.StartRedis(t).URL(), index: index, args: estimate})
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	testStore(t, settings{store: servers.StartPostgres(t).URL(), args: estimate})
}

// testStore starts servers on a store and runs every check of a store.
func testStore(t *testing.T, s settings) *store {
	locked := s
	locked.auth = "token"
	st := &store{settings: s, open: start(t, s), auth: start(t, locked)}
	runChecks(t, "store", append(storeChecks(), authChecks()...), st)
	return st
}

// runChecks runs each check in its own namespace.
func runChecks(t *testing.T, name string, checks []check, st *store) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		for _, k := range checks {
			t.Run(k.name, func(t *testing.T) {
				t.Parallel()
				k.run(call(t, st.open), st)
			})
		}
	})
}
