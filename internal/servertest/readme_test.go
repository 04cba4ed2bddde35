//go:build unix

package servertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// usualPort is the port in the README. It may be taken on this machine, so the test lets wmem
// choose a free one and replaces it in the commands.
const usualPort = "8000"

// fence matches a block of code: its language and its lines.
var fence = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// TestREADME runs the quickstart of the README's section on the server in an empty directory. It
// leaves out go install, because the program is built from this tree, and runs wmem serve in the
// background.
func TestREADME(t *testing.T) {
	t.Parallel()
	requirePrograms(t, "bash", "curl")
	blocks := fence.FindAllStringSubmatch(serverSection(t), -1)
	var languages []string
	for _, block := range blocks {
		languages = append(languages, block[1])
	}
	require.Equal(t, []string{"sh", "sh", ""}, languages, "commands, commands, the block")
	start, script, shown := blocks[0][2], blocks[1][2], blocks[2][2]
	line := startLine(t)

	commands := strings.Split(strings.TrimSpace(start), "\n")
	require.Equal(t, "go install github.com/go-workingmemory/workingmemory/cmd/wmem@latest", commands[0])
	require.Len(t, commands, 2)
	dir := t.TempDir()
	p := quickstart(t, dir, commands[1])
	port := p.base[strings.LastIndex(p.base, ":")+1:]
	said, _, _ := strings.Cut(p.logs.String(), "\n")
	require.Equal(t, strings.TrimSpace(line), strings.Replace(said, ":"+port, ":"+usualPort, 1))

	out := bash(t, dir, strings.ReplaceAll(script, ":"+usualPort, ":"+port))
	answers := strings.Split(strings.TrimSuffix(out, endOfAnswer), endOfAnswer)
	require.Len(t, answers, strings.Count(script, "curl "))
	assert.Equal(t, strings.TrimSpace(shown), strings.TrimSpace(answers[len(answers)-1]))
	assert.FileExists(t, filepath.Join(dir, "wmem.db"), "where the README says")
}

// TestREADMEFlags checks that the flags and variables named in the section and in docs/server.md
// exist.
func TestREADMEFlags(t *testing.T) {
	t.Parallel()
	var help strings.Builder
	for _, args := range [][]string{{"serve", "--help"}, {"token", "create", "--help"}, {"inspect", "--help"}} {
		out, err := command(t.TempDir(), nil, args...).CombinedOutput()
		require.NoError(t, err)
		help.Write(out)
	}
	require.Contains(t, help.String(), "(default 127.0.0.1:"+usualPort+")")
	guide, err := os.ReadFile("../../docs/server.md")
	require.NoError(t, err)
	section := serverSection(t) + strings.ReplaceAll(string(guide), "REDIS_URL", "") // which it names as ignored
	names := regexp.MustCompile(`--[a-z][a-z-]+|\b[A-Z]+_[A-Z_]+\b`).FindAllString(section, -1)
	require.Greater(t, len(names), 40)
	for _, name := range names {
		if name != "--help" {
			assert.Regexp(t, regexp.QuoteMeta(name)+`\b`, help.String())
		}
	}
}

// startLine returns the line that docs/server.md shows for a start without settings.
func startLine(t *testing.T) string {
	t.Helper()
	guide, err := os.ReadFile("../../docs/server.md")
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^wmem: listening on .*$`).FindString(string(guide))
	require.NotEmpty(t, line)
	return line
}

// serverSection returns the README's section on the server.
func serverSection(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "\n## Server\n")
	require.True(t, ok, "the README has a section on the server")
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// quickstart starts a server that runs until the test ends, and waits until it is ready.
func quickstart(t *testing.T, dir, line string) *process {
	t.Helper()
	p := &process{t: t, logs: &logs{}, done: make(chan struct{})}
	p.cmd = shell(dir, "exec "+line)
	p.cmd.Env = append(p.cmd.Env, "WMEM_LISTEN=127.0.0.1:0")
	p.begin()
	p.awaitAddress()
	return p
}

// endOfAnswer follows the output of each curl.
const endOfAnswer = "\n\x1e\n"

// bash runs a script and returns its output. The script ends when a command fails; curl fails on
// error statuses.
func bash(t *testing.T, dir, script string) string {
	t.Helper()
	var errs strings.Builder
	cmd := shell(dir, "set -euo pipefail\ncurl() { command curl --silent --show-error --fail \"$@\"; printf '\\n\\x1e\\n'; }\n"+script)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, &errs)
	return string(out)
}

// shell returns a bash command with wmem on its path.
func shell(dir, script string) *exec.Cmd {
	cmd := command(dir, nil)
	path, _ := exec.LookPath("bash")
	cmd.Path, cmd.Args = path, []string{"bash", "-c", script}
	cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"), "NO_PROXY=localhost")
	return cmd
}

// requirePrograms skips a test if a program is missing.
func requirePrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
}
