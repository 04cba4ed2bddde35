package servertest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
		"checklist": checklistChecks(), "tokens": authChecks(), "python client": pythonChecks(), "typescript client": typescriptChecks(),
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

// checklist is the conformance checklist of the API.
const checklist = "health · empty list `[],0` · limit 0 and 101 → 422 · filters by namespace and user · expired not listed · " +
	"deleted → 404 · missing GET → 404 · missing DELETE → ok · new PUT 200 · second PUT replaces · server ids · deprecation header · " +
	"future created_at · blank content · null percentages · window 1 → until = 100 · window decides over model · caps at 100 · " +
	"summarisation shortens and fills context · exactly at threshold → none · previous context reaches the next summary · " +
	"giant message unchanged · over-limit GET leaves the store alone · recent 3 of 8 · recent 0/−1 · by created_at · data null/{} · " +
	"ttl 1 → 404 after expiry, renewed by rewrite · tenant separation · pending memory becomes searchable, once · same id replaces · " +
	"same text one record · prompt order · 401s · tokenizer unavailable → estimate, never 500"

func TestChecklistIsCovered(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range checklistChecks() {
		names = append(names, k.name)
	}
	require.Equal(t, strings.Split(checklist, " · "), names)
}
