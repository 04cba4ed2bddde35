package outline_test

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

	"github.com/go-workingmemory/workingmemory/internal/outline"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares the outline and the excerpt of each file in testdata with those that
// follow its text. The last line break of a text belongs to the file.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, file := range goldenFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			text := archive.Files[0]
			got := show(strings.TrimSuffix(string(text.Data), "\n"))
			if *update {
				archive.Files = []txtar.File{text, {Name: "outline", Data: []byte(got)}}
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
				return
			}
			require.Len(t, archive.Files, 2)
			assert.Equal(t, string(archive.Files[1].Data), got, "run the test with -update if this is better")
		})
	}
}

func goldenFiles(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.Greater(t, len(files), 30)
	return files
}

// show returns an outline as a golden file has it.
func show(text string) string {
	o := outline.Of(text)
	return fmt.Sprintf("%s, lines: %d\n%s\n", o.Format, o.Lines, o.Structure)
}

// TestOf has texts that a golden file cannot hold.
func TestOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 100)
	var wide, lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&wide, `"ord_%d":{"id":%d,"note":"x"},`, i, i)
		lines.WriteString("x\n")
	}
	for _, test := range []struct{ name, text, format, structure string }{
		{"nothing", "", "empty", ""},
		{"white space", " \n\t\n", "empty", ""},
		{"binary", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "binary", "16 bytes, 5 of them not text"},
		{"a byte order mark", "\ufeff{\"a\":1}", "JSON", "object\n  \"a\": number"},
		{"a key that is long", `{"` + long + `":1}`, "JSON", "$: object\n  [\"" + long[:60] + "…\"]: number"},
		{"a key with line breaks", `{"a\nb\u0000\u202ec":1}`, "JSON", "$: object\n  [\"a\\nb\\u0000\\u202ec\"]: number"},
		{"a map", "{" + wide.String() + `"x":null}`, "JSON", "$: object of 10,001 keys (\"ord_0\", \"ord_1\", \"ord_2\", \"ord_3\", \"ord_4\", \"ord_5\", \"ord_6\", \"ord_7\", …)\n  [*].id: number\n  [*].note: string"},
		{"a string of 100 KB", `{"a":"` + strings.Repeat("x", 100<<10) + `","b":1}`, "JSON", "$: object\n  .a: string\n  .b: number"},
		{"a string of 100 KB at the end", `[{"a":"` + strings.Repeat("x", 100<<10) + `"}]`, "JSON", "$: array of 1 object\n  [*].a: string"},
		{"a cut string", `{"b":1,"a":"` + strings.Repeat("x", 100), "JSON", "cut after 112 bytes\n$: object\n  .b: number\n  .a: cut"},
		{"text behind JSON", `{"a":[]}` + "\nand more", "JSON", "not JSON from byte 8\n$: object\n  .a: empty array"},
		{"too deep", strings.Repeat("[", 20_000), "JSON", ""},
		{"headings on long lines", strings.Repeat("x", 10_000) + "\n# Title\n", "Markdown", "1 paragraph, 3 words\nline 4: # \"Title\""},
		{"lines", lines.String(), "text", "1 paragraph, 10,000 words"},
	} {
		got := outline.Of(test.text)
		assert.Equal(t, test.format, got.Format, test.name)
		if test.structure != "" || test.text == "" {
			assert.Equal(t, test.structure, got.Structure, test.name)
		}
	}
	assert.Equal(t, 10_000, outline.Of(lines.String()).Lines)
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 2100)
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 100, ""},
		{"a\nb\r\n\nc", 100, "1: a\n2: b\n3: \n4: c"},
		{"one\ntwo\nthree\nfour\nfive\nsix\nseven\n", 70, "1: one\n2: two\n… 4 lines between …\n7: seven"},
		{"a\nb", 10, ""},
		{"<|x|>\x00\ta", 100, "1: \\u003c|x|>\\u0000\ta"},
		{"a\n" + long, 700, "1: a\n… 1 line between …\n3+ " + strings.Repeat("é", 52)},
		{strings.Repeat("x", 600), 2000, "1: " + strings.Repeat("x", 500) + "…"},
	} {
		assert.Equal(t, test.want, outline.Excerpt(test.text, test.limit), "%.20q", test.text)
	}
}
