package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
)

// Measuring takes seconds, so it is done once unless in a soak run, and the textual output is
// rendered from the report.
func TestRecall(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	const marked = "# Search\n<!-- begin search forms -->\nold\n<!-- end search forms -->\n<!-- begin search -->\n<!-- end search -->\nEnd.\n"
	require.NoError(t, os.WriteFile(page, []byte(marked), 0o600))
	code, stdout, stderr := wmem(t, "", "recall", "--json", "--misses", "--markdown", page)
	require.Equal(t, exitOK, code, stderr)

	var report recallReport
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	require.Len(t, report.Indexes, 2)
	for _, index := range report.Indexes {
		for _, mode := range index.Modes {
			asked := 0
			for _, form := range mode.Categories {
				asked += form.Questions
			}
			assert.Equal(t, report.Questions, mode.Questions)
			assert.Equal(t, report.Questions, asked, "%s, %s: each question has one form", index.Index, mode.Search)
		}
	}
	assert.Equal(t, report.Indexes[0].Modes, report.Indexes[1].Modes, "the indexes rank alike")

	text, err := os.ReadFile(page)
	require.NoError(t, err)
	filled := string(text)
	assert.NotContains(t, filled, "old")
	assert.Contains(t, filled, "| search | recall@5 | recall@10 | recall@20 | MRR |\n|---|---:|---:|---:|---:|\n| in the process, newest | 0.")
	assert.Contains(t, filled, "| form | questions | newest | keyword | vector | hybrid |\n")
	assert.Equal(t, 2+8+8, strings.Count(filled, "\n| "), "two headers, 8 searches, 8 forms")

	all := string(report.text())
	figures, misses, ok := strings.Cut(all, "\nnot found: ")
	require.True(t, ok)
	assert.Regexp(t, `^\d+ memories, \d+ questions\n\n +recall@5 +recall@10 +recall@20 +MRR +search\n`, figures)
	for _, search := range []string{"in the process, keyword", "in the process, hybrid", "SQLite, newest", "SQLite, vector"} {
		assert.Regexp(t, `( +0\.\d{3}){4}  `+search+"\n", figures)
	}
	assert.Contains(t, misses, "\nnot found: SQLite, keyword\n")
	assert.Contains(t, misses, `  paraphrase: "girlfriend": ben-partner; found: `)
	if soak.Enabled() {
		code, stdout, stderr = wmem(t, "", "recall")
		require.Equal(t, exitOK, code, stderr)
		assert.Equal(t, figures, stdout, "without --misses")
	}
}

func TestRecallOfADataset(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, page := filepath.Join(dir, "set.json"), filepath.Join(dir, "page.md")
	require.NoError(t, os.WriteFile(page, []byte("<!-- begin small -->\n<!-- end small -->\n<!-- begin small notes -->\n<!-- end small notes -->\n"), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(`{"name": "small", "conversations": [{"id": "1", "records": [
		{"id": "t1", "text": "The violin is in the cupboard.", "session": "s1", "date": "2024-03-02T10:00:00Z"},
		{"id": "t2", "text": "The piano was sold.", "session": "s1", "date": "2024-03-02T10:01:00Z"}
	], "questions": [{"text": "Where is the violin?", "category": "where", "evidence": ["t1"]}, {"text": "What is for lunch?", "category": "what", "evidence": ["t2"]}]}]}`), 0o600))
	code, stdout, stderr := wmem(t, "", "recall", "--dataset", file, "--markdown", page, "--misses")
	require.Equal(t, exitOK, code, stderr)
	assert.Regexp(t, `^small: 1 conversations, 2 records, 2 questions\n\n +recall@5 +recall@10 +recall@20 +MRR +search\n`, stdout)
	assert.Regexp(t, `\nwhere: 1 questions\n\n.*\n.*newest\n +1\.000 +1\.000 +1\.000 +1\.000 +keyword\n`, stdout)
	assert.Contains(t, stdout, "\nnot found: FTS5\n  what: \"What is for lunch?\": t2; found: \n")
	assert.Contains(t, stdout, "a note needs\n")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(text), "| search | recall@5 | recall@10 | recall@20 | MRR | what (1) | where (1) |\n")
	assert.Contains(t, string(text), "| a note needs | recall | notes | misled |\n")

	code, stdout, stderr = wmem(t, "", "recall", "--dataset", file, "--json")
	require.Equal(t, exitOK, code, stderr)
	var report datasetReport
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	assert.Equal(t, 2, report.Questions)
	assert.Nil(t, report.Searches[1].Misses)

	require.NoError(t, os.WriteFile(file, []byte(`{"name": "none"}`), 0o600))
	code, _, stderr = wmem(t, "", "recall", "--dataset", file)
	assert.NotEqual(t, exitOK, code)
	assert.Contains(t, stderr, "no conversations")
}
