package prose_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/extractor/internal/prose"
)

// checkMentions checks what is true of the mentions of any text: each is a part of
// it, is one line, and is a candidate in a field.
func checkMentions(t assert.TestingT, text []byte, topic prose.Topic) {
	prose.Read(text, topic, func(m prose.Mention) bool {
		for part := range strings.SplitSeq(string(m.ID), ".") { // of the address of a block: "aws_vpc" "main"
			assert.Contains(t, string(text), part)
		}
		assert.NotEmpty(t, m.ID)
		assert.NotContains(t, string(m.ID), "\n")
		assert.Equal(t, string(bytes.TrimSpace(m.Label)), string(m.Label))
		assert.False(t, m.Sure && topic.Field)
		return true
	})
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(f, err)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(f, err)
		for _, text := range archive.Files {
			f.Add(text.Data, "order", false)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, noun string, field bool) {
		checkMentions(t, text, prose.Topic{Noun: noun, Field: field})
	})
}

// pieces are what texts are made of.
var pieces = []string{
	"order ", "#1001", " - ", "\n", "- ", "1. ", "ID: ", "(", ")", "[ref=e1]", "](", "[", "usr_9fK3a2", "=", ": ", ",", "a/b.txt",
	"https://x.example/", "```", "\t", "  ", "commit ", "9fceb02", "Title: ", "Ann Lee ", "\\", "é", "\xff", "\"", "2024-01-01", ".", "|",
}

func TestMentionsStandInTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
		noun := rapid.SampledFrom([]string{"", "order", "pull_request", "x_"}).Draw(t, "noun")
		checkMentions(t, []byte(text), prose.Topic{Noun: noun, Field: rapid.Bool().Draw(t, "field")})
	})
}

func TestReadStops(t *testing.T) {
	t.Parallel()
	n := 0
	prose.Read([]byte("usr_9fK3a2 usr_9fK3a3\nusr_9fK3a4\nID: 12\n"), prose.Topic{Noun: "user"}, func(prose.Mention) bool {
		n++
		return false
	})
	assert.Equal(t, 1, n)
}

// A row may have more cells than are read of it.
func TestReadManyCells(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, id := range []string{"web-7d9f8b", "web-8c0a1d", "web-9e2b3f"} {
		text.WriteString(id + " x" + strings.Repeat("  -", 20) + "\n")
	}
	assert.Equal(t, 3, strings.Count(mentions(text.String(), prose.Topic{Noun: "pod"}), "pod web-"))
}
