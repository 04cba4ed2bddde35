package prose_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/go-workingmemory/workingmemory/extractor/internal/prose"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// mentions formats the mentions of a text, one a line: type, id and label in quotes, a
// candidate with a "?" in front, an element of a screen with a "~".
func mentions(text string, topic prose.Topic) string {
	var out strings.Builder
	prose.Read([]byte(text), topic, func(m prose.Mention) bool {
		if !m.Sure {
			out.WriteByte('?')
		}
		if m.View {
			out.WriteByte('~')
		}
		typ := m.Type
		if typ == "" {
			typ = "-"
		}
		fmt.Fprintf(&out, "%s %s %q", typ, m.ID, m.Label)
		if len(m.Subject) > 0 {
			fmt.Fprintf(&out, " of %q", m.Subject)
		}
		out.WriteByte('\n')
		return true
	})
	return out.String()
}

// topicOf reads what is behind the bar in a text's name: the tool's noun, "created",
// "lists", "several", "field".
func topicOf(name string) (topic prose.Topic) {
	_, options, _ := strings.Cut(name, "|")
	for option := range strings.FieldsSeq(options) {
		switch option {
		case "created":
			topic.Created = true
		case "lists":
			topic.Lists = true
		case "several":
			topic.Several = true
		case "field":
			topic.Field = true
		default:
			topic.Noun = option
		}
	}
	return topic
}

// TestRead reads the texts of the archives in testdata. Each text is followed by what is
// found in it.
func TestRead(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			golden := txtar.Archive{Comment: archive.Comment}
			for i, f := range archive.Files {
				if f.Name == "want" {
					continue
				}
				got := mentions(string(f.Data), topicOf(f.Name))
				golden.Files = append(golden.Files, f, txtar.File{Name: "want", Data: []byte(got)})
				if !*update {
					require.Less(t, i+1, len(archive.Files), f.Name)
					assert.Equal(t, string(archive.Files[i+1].Data), got, f.Name)
				}
			}
			if *update {
				require.NoError(t, os.WriteFile(file, txtar.Format(&golden), 0o644))
			}
		})
	}
}
