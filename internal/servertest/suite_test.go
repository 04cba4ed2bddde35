package servertest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// store is a place where sessions and memories are kept, and the servers that use it.
type store struct {
	settings
	// tokens says whether wmem token and wmem serve can share it.
	tokens bool

	open    *process // without authentication
	auth    *process // with tokens; nil where there can be none
	without *process // without long-term memory; nil: another store has one
}

// check is a test of the suite: its name is what the contract says.
type check struct {
	name string
	run  func(c *caller, s *store)
}

// parts are all checks by the part of the contract that they are of.
func parts() map[string][]check {
	return map[string][]check{
		"checklist":          checklistChecks(),
		"common":             commonChecks(),
		"working memory":     workingChecks(),
		"if match":           matchChecks(),
		"ours":               oursChecks(),
		"long-term memory":   longtermChecks(),
		"search":             searchChecks(),
		"filters":            filterChecks(),
		"changes of records": recordChecks(),
		"prompt":             promptChecks(),
		"auth":               authChecks(),
		"decisions":          decisionChecks(),
		"python client":      pythonChecks(),
		"typescript client":  scriptChecks(),
	}
}

// runSuite runs every check on a store, each in a namespace of its own.
func runSuite(t *testing.T, s *store) {
	for part, checks := range parts() {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			for _, k := range checks {
				t.Run(k.name, func(t *testing.T) {
					t.Parallel()
					k.run(call(t, s.open), s)
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

func TestChecksHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for part, checks := range parts() {
		for _, k := range checks {
			require.False(t, seen[k.name], "%s: %s", part, k.name)
			seen[k.name] = true
		}
	}
}
