package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// wmem runs the command.
func wmem(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// explained is a result with values of many kinds.
const explained = `{"issues": [
	{"id": 10002, "key": "ED-1", "fields": {"summary": "Login broken", "status": "open", "api_key": "not-for-any-eyes-1"},
	 "project_id": "P-77", "html_url": "https://tracker.example/ED-1", "updated_at": "2026-01-02", "labels": ["red", "art_02"],
	 "body": "See ED-7 and the file /srv/data/export.csv, please."}],
	"counts": {"SFO": "San Francisco", "LAX": "Los Angeles"}, "etag": "W/abc123def456"}`

func TestOutput(t *testing.T) {
	t.Parallel()
	const traces, handles, session = "testdata/traces.jsonl", "testdata/handles.jsonl", "testdata/session.jsonl"
	for _, tc := range []struct {
		name  string
		stdin string
		args  []string
		code  int
	}{
		{"extract", "", []string{"extract", "--tool", "cms_getPage", "testdata/page.json"}, exitOK},
		{"extract-json", "", []string{"extract", "--tool", "cms_getPage", "--args", `{"id":"page-1"}`, "--json", "testdata/page.json"}, exitOK},
		{"extract-tiers", `{"issue":{"id":10002,"key":"ED-1","title":"Login broken","archive":"/data/backup_2024.tar.gz"}}`, []string{"extract", "--tool", "get_issue"}, exitOK},
		{"extract-explain", explained, []string{"extract", "--tool", "search_issues", "--explain"}, exitOK},
		{"extract-explain-json", explained, []string{"extract", "--tool", "search_issues", "--explain", "--json"}, exitOK},
		{"extract-explain-text", "Created order W-1001 for Anna (cust_77)", []string{"extract", "--tool", "create_order", "--explain"}, exitOK},
		{"extract-nothing", "Done, have a nice day.", []string{"extract", "--tool", "cms_getPage"}, exitOK},
		{"extract-deleted", `{"success":true}`, []string{"extract", "--tool", "delete_page", "--args", `{"page_id":"page-40017"}`, "-"}, exitOK},
		{"extract-rules", `{"rows":[{"f01":"R-2024-1","f02":"Paper"}]}`, []string{"extract", "--tool", "erp_q17", "--recipes", "testdata/recipes"}, exitOK},
		{"extract-lines", "", []string{"extract", "--jsonl", "testdata/lines.jsonl"}, exitFailure},
		{"replay", "", []string{"replay", "--budget", "60", traces}, exitOK},
		{"eval", "", []string{"eval", "--prefix", "--misses", "--per-type", "1", traces}, exitOK},
		{"eval-summary", "", []string{"eval", "--summary", traces, traces}, exitOK},
		{"eval-chars", "", []string{"eval", "--encoding", "chars/4", "--budget", "20,40", traces}, exitOK},
		{"eval-blocks", "", []string{"eval", "--blocks", "testdata/replay.golden", traces}, exitOK},
		{"eval-part", "", []string{"eval", "--part", "1/2", "--budget", "20", "--no-baselines", traces}, exitOK},
		{"replay-part", "", []string{"replay", "--part", "2/2", traces}, exitOK},
		{"eval-misses", "", []string{"eval", "--misses", "1", "--budget", "20", traces}, exitOK},
		{"eval-misses", "", []string{"eval", traces, "--misses=1", "--budget", "20"}, exitOK},
		{"replay-handles", "", []string{"replay", "--handles", "--budget", "40", handles}, exitOK},
		{"replay-handles-constants", "", []string{"replay", "--handles", handles}, exitOK},
		{"eval-handles", "", []string{"eval", "--handles", "--budget", "40", "--misses", handles}, exitOK},
		{"eval-handles-blocks", "", []string{"eval", "--blocks", "testdata/replay-handles.golden", handles}, exitOK},
		{"eval-handles-summary", "", []string{"eval", "--summary", "--handles", "--prefix", "--budget", "20,60", handles}, exitOK},
		{"eval-session", "", []string{"eval", "--budget", "40", "--encoding", "chars/4", "--misses=2", session}, exitOK},
		{"replay-session", "", []string{"replay", "--budget", "40", session}, exitOK},
		{"eval-offload", "", []string{"eval", "--offload", "200", "--handles=readable", "--budget", "60", "--no-baselines", handles}, exitOK},
		{"eval-offload-summary", "", []string{"eval", "--summary", "--offload", "200,5000", handles}, exitOK},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, _ := wmem(t, tc.stdin, tc.args...)
			assert.Equal(t, tc.code, code)
			golden(t, tc.name, stdout)
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	require.NoError(t, os.WriteFile(bad, []byte(`{"id":1,"steps":[]}`+"\n"+`{"id":"a secret"`), 0o600))
	silent := filepath.Join(t.TempDir(), "silent.jsonl")
	require.NoError(t, os.WriteFile(silent, []byte(`{"id":1,"steps":[{"kind":"user","text":"Hello"}]}`), 0o600))
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"fly"}, exitUsage, "unknown command \"fly\"\nSee 'wmem --help'."},
		{[]string{"serv"}, exitUsage, `unknown command "serv"; did you mean serve?`},
		{[]string{"--fly"}, exitUsage, "unknown flag: --fly\nSee 'wmem --help'."},
		{[]string{"extract"}, exitUsage, "--tool is required"},
		{[]string{"extract", "--tool", "x", "a", "b"}, exitUsage, "at most one FILE"},
		{[]string{"extract", "--tool", "x", "--args", "{"}, exitUsage, "--args is not JSON"},
		{[]string{"extract", "--jsonl", "--json"}, exitUsage, "--jsonl cannot be combined with"},
		{[]string{"extract", "--tool", "x", "no-such-file"}, exitFailure, "no-such-file"},
		{[]string{"extract", "--tool", "x", "--recipes", "testdata/badrecipes"}, exitFailure, "oven.yaml: extractor: rule 0 (\"oven\"): error parsing regexp"},
		{[]string{"extract", "--tool", "x", "--recipes", "testdata/recipes/erp.yaml"}, exitFailure, "recipes: must be a folder with .yaml files"},
		{[]string{"replay"}, exitUsage, "TRACES is required"},
		{[]string{"replay", "--budget", "-1", bad}, exitUsage, "--budget must not be negative"},
		{[]string{"eval", "--budget", "0", "--tools", bad, bad}, exitUsage, "--tools requires a budget"},
		{[]string{"replay", "--budget", "9", "--capacity", "9", bad}, exitUsage, "--budget cannot be combined with --capacity"},
		{[]string{"replay", "--encoding", "morse", bad}, exitUsage, "morse"},
		{[]string{"replay", bad}, exitFailure, "bad.jsonl: evaluation: line 2: not a JSON object"},
		{[]string{"eval"}, exitUsage, "TRACES is required"},
		{[]string{"eval", "--misses=-1", bad}, exitUsage, "--misses must not be negative"},
		{[]string{"eval", "--part", "4/3", bad}, exitUsage, `"4/3" is not a part such as 1/3`},
		{[]string{"eval", "--part", "1/99", "testdata/traces.jsonl"}, exitFailure, "no episodes found in this part"},
		{[]string{"eval", "--misses=3", "3"}, exitFailure, "open 3: "},
		{[]string{"eval", os.DevNull}, exitFailure, os.DevNull + ": no traces found"},
		{[]string{"eval", "--summary", "testdata/traces.jsonl", silent}, exitFailure, "silent.jsonl: no tool calls found"},
		{[]string{"eval", "--summary", "--misses", bad}, exitUsage, "--summary cannot be combined with"},
		{[]string{"eval", "--offload", "0", bad}, exitUsage, "--offload must be positive"},
		{[]string{"eval", "--handles=all", bad}, exitUsage, "must be opaque or readable"},
		{[]string{"eval", "--blocks", "x", "--handles", bad}, exitUsage, "--blocks takes one TRACES"},
		{[]string{"eval", "--blocks", "x", "--prefix", bad}, exitUsage, "--blocks takes one TRACES"},
		{[]string{"eval", "--blocks", "no-such-file", bad}, exitFailure, "no-such-file"},
		{[]string{"eval", bad}, exitFailure, "bad.jsonl: evaluation: line 2: not a JSON object"},
		{[]string{"recall", "traces.jsonl"}, exitUsage, "recall takes no arguments"},
	} {
		t.Run(strings.Join(tc.args, " "), func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := wmem(t, "", tc.args...)
			assert.Equal(t, tc.code, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tc.want)
			assert.Equal(t, 1, strings.Count(stderr, "wmem: "), "errors are reported once: %s", stderr)
			assert.NotContains(t, stderr, "secret")
		})
	}
}

func TestVersionAndHelp(t *testing.T) {
	t.Parallel()
	code, stdout, _ := wmem(t, "", "--version")
	assert.Equal(t, exitOK, code)
	assert.Regexp(t, `^wmem \S+`, stdout)
	for _, cmd := range []string{"", "token"} {
		code, stdout, stderr := wmem(t, "", strings.Fields(cmd)...)
		assert.Equal(t, exitOK, code)
		assert.Contains(t, stdout, "Available Commands:")
		assert.Empty(t, stderr)
	}
	for _, cmd := range []string{"extract", "replay", "eval", "recall"} {
		code, stdout, stderr := wmem(t, "", cmd, "--help")
		assert.Equal(t, exitOK, code)
		assert.Contains(t, stdout, "Usage:\n  wmem "+cmd)
		assert.Empty(t, stderr)
	}
}

// TestEvalWritesFiles fills the marks of a file twice: equal figures give equal files.
func TestEvalWritesFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page, image := filepath.Join(dir, "evaluation.md"), filepath.Join(dir, "evaluation.svg")
	const marked = "# Figures\n\n<!-- begin survival o200k_base -->\nold\n<!-- end survival o200k_base -->\n\nText.\n\n" +
		"<!-- begin survival chars/4 -->\n<!-- end survival chars/4 -->\n<!-- begin placement o200k_base -->\n<!-- end placement o200k_base -->\n" +
		"<!-- begin summary chars/4 -->\n<!-- end summary chars/4 -->\n"
	require.NoError(t, os.WriteFile(page, []byte(marked), 0o600))
	for range 2 {
		for _, args := range [][]string{{"--prefix", "--plot", image}, {"--encoding", "chars/4"}, {"--summary", "--budget", "60"}} {
			code, _, stderr := wmem(t, "", append([]string{"eval", "--markdown", page, "testdata/traces.jsonl"}, args...)...)
			require.Equal(t, exitOK, code, stderr)
		}
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		golden(t, "evaluation.md", string(text))
		drawn, err := os.ReadFile(image)
		require.NoError(t, err)
		require.NoError(t, xml.Unmarshal(drawn, new(struct{})), "well-formed")
		golden(t, "evaluation.svg", string(drawn))
	}
}

func TestEvalNeedsMarks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, page, want string }{
		{"none", "# Figures\n<!-- begin placement o200k_base -->\n<!-- end placement o200k_base -->\n",
			"no marks for any of the tables: survival o200k_base"},
		{"no end", "<!-- begin survival o200k_base -->\n<!-- end survival chars/4 -->\n",
			`"<!-- begin survival o200k_base -->" is not followed by "<!-- end survival o200k_base -->"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			page := filepath.Join(t.TempDir(), "page.md")
			require.NoError(t, os.WriteFile(page, []byte(tc.page), 0o600))
			code, _, stderr := wmem(t, "", "eval", "--encoding", "o200k_base", "--markdown", page, "testdata/traces.jsonl")
			assert.Equal(t, exitFailure, code)
			assert.Contains(t, stderr, tc.want)
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			assert.Equal(t, tc.page, string(text), "left as it was")
		})
	}
}

// oneCall is an episode.
const oneCall = `{"id":1,"steps":[{"kind":"tool","name":"ping","args":{},"result":"pong"}]}`

// TestPlotTakesAnyName: file names are escaped in the plot.
func TestPlotTakesAnyName(t *testing.T) {
	t.Parallel()
	traces := filepath.Join(t.TempDir(), "<b>&\"\u202e.jsonl")
	require.NoError(t, os.WriteFile(traces, []byte(oneCall), 0o600))
	image := filepath.Join(t.TempDir(), "plot.svg")
	code, _, stderr := wmem(t, "", "eval", "--plot", image, traces, traces, traces)
	require.Equal(t, exitOK, code, stderr)
	drawn, err := os.ReadFile(image)
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(drawn, new(struct{})))
	assert.NotContains(t, string(drawn), "<b>")
}

func TestProgress(t *testing.T) {
	t.Parallel()
	traces := strings.Repeat(oneCall+"\n", 250)
	_, _, stderr := wmem(t, traces, "eval", "--progress", "--no-baselines", "-")
	assert.Equal(t, "-: 100 episodes\n-: 200 episodes\n", stderr)
	_, _, stderr = wmem(t, traces, "eval", "--no-baselines", "-")
	assert.Empty(t, stderr)
}

// TestInterrupt: an interrupted command does not wait for input.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"extract", "--tool", "x"}, {"extract", "--jsonl"}, {"replay", "-"}, {"eval", "-"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			never, w := io.Pipe()
			defer w.Close()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var errs bytes.Buffer
			assert.Equal(t, exitFailure, run(ctx, args, never, io.Discard, &errs))
			assert.Equal(t, "wmem: interrupted\n", errs.String())
		})
	}
}

// TestLinesAreWrittenAsTheyCome: a caller can converse with the command line by line.
func TestLinesAreWrittenAsTheyCome(t *testing.T) {
	t.Parallel()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(t.Context(), []string{"extract", "--jsonl"}, inR, outW, io.Discard)
	}()
	out := json.NewDecoder(outR)
	for range 3 {
		_, err := io.WriteString(inW, `{"tool":"get_page","result":{"id":"page-40017","title":"Home"}}`+"\n")
		require.NoError(t, err)
		var got lineOutput
		require.NoError(t, out.Decode(&got))
		require.Len(t, got.Entities, 1)
		assert.Equal(t, "Home", got.Entities[0].Name)
	}
	inW.Close()
	assert.Equal(t, exitOK, <-done)
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `Größe "1" \u{1b}[31m\u{a}\u{202e}`, printable("Größe \"1\" \x1b[31m\n\u202e"))
}
