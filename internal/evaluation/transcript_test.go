package evaluation_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// TestTranscripts: each of the files has the same conversation, in the form of an API or of a session.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/transcripts/*")
	require.NoError(t, err)
	require.Len(t, files, 6)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var ids []string
			for ep, err := range evaluation.Episodes(iotest.HalfReader(strings.NewReader("\n" + string(data)))) {
				require.NoError(t, err)
				ids = append(ids, ep.ID.Text)
				var said []string
				for i := range ep.Steps {
					s := &ep.Steps[i]
					if said = append(said, s.Kind+" "+s.Text); s.Kind == evaluation.KindTool {
						var args bytes.Buffer
						require.NoError(t, json.Compact(&args, s.Args))
						said[i] = s.Tool + args.String() + "\n" + s.ResultText()
					}
				}
				assert.Equal(t, []string{
					"user Raise the temperature.", "assistant I look.",
					"bash{\"command\":\"git ls-files\"}\nREADME.md\nsrc/kiln/fire.py\nsrc/kiln/glaze.py\n",
					"bash{\"command\":\"git log --oneline -1\"}\n3f2a9c1 Fire slowly",
					"bash{\"command\":\"sed -i s/900/940/ src/kiln/fire.py\"}\n", "assistant Done.",
				}, said)
			}
			if want, ok := map[string][]string{"conversations.jsonl": {"first", "3"}, "session.jsonl": {"kiln-1"}}[filepath.Base(file)]; ok {
				assert.Equal(t, want, ids)
			} else {
				assert.Equal(t, []string{"session"}, ids)
			}
		})
	}
}

// TestTranscriptsThatAreNone: an error tells the line, and what was expected there.
func TestTranscriptsThatAreNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[1]":                                   "evaluation: line 1: message 0: message is not an object with a role or a type",
		"[{\"role\":\"user\"},\n{\"x\":1}]":     "evaluation: line 2: message 1: message is not an object with a role or a type",
		"[\n{\"role\":\"user\"},\n{":            "evaluation: line 3: not a JSON object",
		"[{\"role\":\"user\"}] x":               "evaluation: line 1: not a JSON object",
		"{\n\"messages\": 1\n}":                 "evaluation: line 1: message is not an object with a role or a type",
		"{\n\"a\": 1\n}":                        "evaluation: line 1: " + evaluation.ErrForm.Error(),
		"{\"type\":\"summary\"}\n{\"a\":1}":     "evaluation: line 2: " + evaluation.ErrForm.Error(),
		"{\"messages\":[{\"role\":\"x\"},[]]}":  "evaluation: line 1: message 1: message is not an object with a role or a type",
		"{\"type\":\"user\",\"message\":{}}\n[": "evaluation: line 2: not a JSON object",
	} {
		var got []string
		for _, err := range evaluation.Episodes(strings.NewReader(text)) {
			if err != nil {
				got = append(got, err.Error())
			}
		}
		assert.Equal(t, []string{want}, got, text)
	}
}

// FuzzEpisodes: any file is read to its end, or yields errors.
func FuzzEpisodes(f *testing.F) {
	for _, seed := range []string{"[", `[{"role":"tool"}]`, "{\n}", `{"type":"function_call","call_id":"1","name":"x"}`, `{"role":"user","content":[{"type":"tool_use","name":"x"}]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for ep, err := range evaluation.Episodes(strings.NewReader(text)) {
			require.True(t, (ep == nil) == (err != nil))
		}
	})
}
