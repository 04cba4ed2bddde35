package extractor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/go-workingmemory/workingmemory/extractor"
)

// TestRecipes runs the samples of the built-in rules. Beside each file of rules is one of samples: a
// command behind "$", what it prints, and in "found" what is in it, as a block shows it: type "label"
// (ids). A line of what the command made or edited ends in "made", one of what is gone begins with "gone".
func TestRecipes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("recipes/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	x := extractor.Default(extractor.WideLimits())
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml"), func(t *testing.T) {
			t.Parallel()
			rules, err := os.Open(name)
			require.NoError(t, err)
			_, err = extractor.ReadRules(rules)
			require.NoError(t, err)
			require.NoError(t, rules.Close())
			samples := strings.TrimSuffix(name, ".yaml") + ".txtar"
			archive, err := txtar.ParseFile(samples)
			require.NoError(t, err)
			require.NotEmpty(t, archive.Files)
			for i := 0; i < len(archive.Files); i++ {
				command, ok := strings.CutPrefix(archive.Files[i].Name, "$ ")
				require.True(t, ok && i+1 < len(archive.Files) && archive.Files[i+1].Name == "found", "%s: expected a command and \"found\"", archive.Files[i].Name)
				args, err := json.Marshal(map[string]string{"command": command})
				require.NoError(t, err)
				out, err := x.Extract(t.Context(), extractor.Input{Tool: "bash", Arguments: args, Result: string(archive.Files[i].Data)})
				require.NoError(t, err)
				i++
				if *update {
					archive.Files[i].Data = []byte(doneAndFound(out))
					continue
				}
				assert.Equal(t, string(archive.Files[i].Data), doneAndFound(out), command)
			}
			if *update {
				require.NoError(t, os.WriteFile(samples, txtar.Format(archive), 0o600))
			}
		})
	}
}

// TestRulesOfToolNames: the words of a tool's name that a rule is for choose the rule, and name no things.
func TestRulesOfToolNames(t *testing.T) {
	t.Parallel()
	x := extractor.Default(extractor.WideLimits())
	for _, tool := range []string{"docker_rm_all", "git_tag_create", "helm_install_chart"} {
		out, err := x.Extract(t.Context(), extractor.Input{Tool: tool, Arguments: map[string]any{"dry": false}, Result: `{"ok": true}`})
		require.NoError(t, err)
		assert.Empty(t, out.Entities, tool)
		assert.Empty(t, out.Removed, tool)
	}
}

// doneAndFound returns what foundIn does, with what the call made and what is gone.
func doneAndFound(out extractor.Extraction) string {
	var b strings.Builder
	for _, ref := range out.Removed {
		fmt.Fprintf(&b, "gone %s (%s)\n", ref.Type, ref.ID)
	}
	lines := strings.SplitAfter(foundIn(out), "\n")
	for i, line := range lines {
		if i < len(out.Entities) && out.Entities[i].Made {
			line = strings.TrimSuffix(line, "\n") + " made\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
