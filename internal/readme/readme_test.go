package readme_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// Every Go snippet of the README stands, line for line, in a file that the
// tests compile and run: an example program or a testable Example.
func TestSnippetsAreCompiled(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	sources := exampleSources(t)
	snippets := goBlock.FindAllStringSubmatch(string(readme), -1)
	require.GreaterOrEqual(t, len(snippets), 4)
	for _, snippet := range snippets {
		want := normal(snippet[1])
		found := false
		for _, source := range sources {
			found = found || strings.Contains(source, want)
		}
		assert.True(t, found, "no example holds this snippet:\n%s", snippet[1])
	}
}

// The first program is short, and is the one in examples/hello.
func TestFirstProgram(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	program := goBlock.FindStringSubmatch(string(readme))[1]
	assert.LessOrEqual(t, strings.Count(strings.TrimSpace(program), "\n")+1, 20)
	hello, err := os.ReadFile(filepath.Join(root, "examples/hello/main.go"))
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(hello), program))
}

func exampleSources(t *testing.T) []string {
	t.Helper()
	var sources []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "example_test.go") && !(strings.Contains(path, "examples") && strings.HasSuffix(path, ".go")) {
			return err
		}
		text, err := os.ReadFile(path)
		sources = append(sources, normal(string(text)))
		return err
	})
	require.NoError(t, err)
	return sources
}

// normal is code without indentation and blank lines.
func normal(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
