package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhyOutput(t *testing.T) {
	t.Parallel()
	const traces = "testdata/traces.jsonl"
	for _, tc := range []struct {
		name string
		args []string
	}{
		{"why", []string{"--why", "page-40018", traces}},
		{"why-episode", []string{"--why", "page-40018", "--episode", "2", traces}},
		{"why-budgets", []string{"--why", "page-40018", "--budget", "20", "--budget", "40", "--episode", "site-1", traces}},
		{"why-json", []string{"--why", "page-39001", "--capacity", "1", "--json", traces}},
		{"why-never", []string{"--why", "page-0\x1b", traces}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := wmem(t, "", append([]string{"eval"}, tc.args...)...)
			assert.Equal(t, exitOK, code, stderr)
			golden(t, tc.name, stdout)
		})
	}
}

func TestWhyNeverSeenIsAnEmptyList(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := wmem(t, `{"id":1,"steps":[]}`, "eval", "--why", "x", "--json", "-")
	require.Equal(t, exitOK, code, stderr)
	var reports []whyReport
	require.NoError(t, json.Unmarshal([]byte(stdout), &reports))
	assert.NotNil(t, reports)
	assert.Empty(t, reports)
}

func TestWhyErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--why", "", "-"}, exitUsage, "--why must not be empty"},
		{[]string{"--episode", "1", "-"}, exitUsage, "--episode requires --why"},
		{[]string{"--why", "x", "--episode", "none", "testdata/traces.jsonl"}, exitFailure, "no episode none"},
		{[]string{"--why", "x", "--misses", "-"}, exitUsage, "--why cannot be combined with"},
		{[]string{"--why", "x", "-"}, exitFailure, "-: evaluation: line 1: not a JSON object"},
	} {
		t.Run(strings.Join(tc.args, " "), func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := wmem(t, "{", append([]string{"eval"}, tc.args...)...)
			assert.Equal(t, tc.code, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tc.want)
		})
	}
}
