package extractor_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"encoding/json"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden extracts the results in testdata/golden. Each file has a call, its result, and
// in "entities" and "candidates" what is in it, written by hand, as a block shows it: type
// "label" (ids). Where the extractor falls short of that, "found" has what it finds.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/golden/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	x := extractor.Default(extractor.WideLimits())
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			var call struct {
				Tool string
				Args json.RawMessage
			}
			require.NoError(t, json.Unmarshal([]byte(parts["call.json"]), &call))
			out, err := x.Extract(t.Context(), extractor.Input{Tool: call.Tool, Arguments: []byte(call.Args), Result: parts["result"]})
			require.NoError(t, err)
			found, right := foundIn(out), parts["entities"]
			for line := range strings.Lines(parts["candidates"]) {
				right += strings.TrimSuffix(line, "\n") + " candidate\n"
			}
			if *update {
				archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "found" })
				if found != right {
					archive.Files = append(archive.Files, txtar.File{Name: "found", Data: []byte(found)})
				}
				require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o600))
				return
			}
			if known, short := parts["found"]; short {
				assert.NotEqual(t, right, known, "nothing is missing: run the test with -update")
				right = known
			}
			assert.Equal(t, right, found, "run the test with -update if this is better")
		})
	}
}

// foundIn returns the entities of an extraction, one a line.
func foundIn(out extractor.Extraction) string {
	var b strings.Builder
	for _, e := range out.Entities {
		mark := ""
		if e.Role != memory.RoleRecord {
			mark = " " + string(e.Role)
		}
		fmt.Fprintf(&b, "%s %q (%s)%s\n", e.Type, labelOf(e), strings.Join(idsOf(e), ", "), mark)
	}
	return b.String()
}

// labelOf returns the label of an entity in a block, empty if it says nothing. A name that is
// the id is not repeated.
func labelOf(e memory.Entity) string {
	if e.Name == "" || e.Name == e.ID {
		return e.StatePrefix() + e.Description
	}
	return e.StatePrefix() + e.Name
}

// idsOf returns the identifiers of an entity, the one to show first in front.
func idsOf(e memory.Entity) []string {
	ids := []string{e.ID}
	for _, alias := range e.Aliases {
		if alias == e.Preferred {
			ids = append([]string{alias}, ids...)
		} else {
			ids = append(ids, alias)
		}
	}
	return ids
}
