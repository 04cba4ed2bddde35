package middleware_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// TestFoundInFormats shows what is found in results of every format that has an outline. The
// texts are those of the outlines' golden files.
func TestFoundInFormats(t *testing.T) {
	const golden = "testdata/found.txtar"
	texts, err := filepath.Glob("../internal/outline/testdata/*.txtar")
	require.NoError(t, err)
	require.Greater(t, len(texts), 20)
	got := new(txtar.Archive)
	for _, path := range texts {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		rec := newRecorder(t, &middleware.Options{Block: prompt.Options{Budget: 256}})
		require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "run", Result: string(archive.Files[0].Data)}))
		block := strings.TrimPrefix(rec.Block(), prompt.Title+"\n")
		got.Files = append(got.Files, txtar.File{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), Data: []byte(block + "\n")})
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, txtar.Format(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(txtar.Format(got)), "run the test with -update if this is better")
}
