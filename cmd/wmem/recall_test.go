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
			for _, form := range mode.Forms {
				asked += form.Questions
			}
			assert.Equal(t, report.Questions, mode.Questions)
			assert.Equal(t, report.Questions, asked, "%s, %s: each question has one form", index.Index, mode.Mode)
		}
	}
	assert.Equal(t, report.Indexes[0].Modes, report.Indexes[1].Modes, "the indexes rank alike")

	text, err := os.ReadFile(page)
	require.NoError(t, err)
	filled := string(text)
	assert.NotContains(t, filled, "old")
	assert.Contains(t, filled, "| search | recall@5 | MRR |\n|---|---:|---:|\n| in the process, newest | 0.")
	assert.Contains(t, filled, "| form | questions | newest | keyword | vector | hybrid |\n")
	assert.Equal(t, 2+8+8, strings.Count(filled, "\n| "), "two headers, 8 searches, 8 forms")

	all := string(report.text())
	figures, misses, ok := strings.Cut(all, "\nnot found: ")
	require.True(t, ok)
	assert.Regexp(t, `^\d+ memories, \d+ questions\n\n +recall@5 +MRR +search\n`, figures)
	for _, search := range []string{"in the process, keyword", "in the process, hybrid", "SQLite, newest", "SQLite, vector"} {
		assert.Regexp(t, ` +0\.\d{3} +0\.\d{3}  `+search+"\n", figures)
	}
	assert.Contains(t, misses, "\nnot found: SQLite, keyword\n")
	assert.Contains(t, misses, `  paraphrase: "girlfriend": ben-partner; found: `)
	if soak.Enabled() {
		code, stdout, stderr = wmem(t, "", "recall")
		require.Equal(t, exitOK, code, stderr)
		assert.Equal(t, figures, stdout, "without --misses")
	}
}
