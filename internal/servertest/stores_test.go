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
	testStore(t, settings{store: "sqlite:" + filepath.Join(t.TempDir(), "wmem.db")})
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

// testStore runs every check on a store, each in its own namespace.
func testStore(t *testing.T, s settings) {
	locked := s
	locked.auth = "token"
	st := &store{settings: s, open: start(t, s), auth: start(t, locked)}
	for part, checks := range map[string][]check{
		"store": storeChecks(), "tokens": authChecks(), "python client": pythonChecks(), "typescript client": typescriptChecks(),
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			for _, k := range checks {
				t.Run(k.name, func(t *testing.T) {
					t.Parallel()
					k.run(call(t, st.open), st)
				})
			}
		})
	}
}
