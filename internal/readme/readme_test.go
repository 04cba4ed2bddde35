package readme_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/race"
)

const module = "github.com/go-workingmemory/workingmemory"

// A program is the Go code of one section of a document.
type program struct {
	document, section string
	source            string
	output            string // what the document shows below the code
}

func (p program) String() string { return p.document + ": " + p.section }

// TestProgramsRun runs the Go code of every section of the README and the guides as a reader
// would: the blocks of a section, pasted one below the other, are one program. Where the section
// shows output, the program prints it.
func TestProgramsRun(t *testing.T) {
	t.Parallel()
	programs := readPrograms(t)
	binary := build(t, programs)
	model := newModel(t)
	for i, p := range programs {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), binary, fmt.Sprint(i))
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+model)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			stdout, err := cmd.Output()
			require.NoError(t, err, "%s", &stderr)
			if p.output != "" {
				assert.Equal(t, strings.TrimSpace(p.output), strings.TrimSpace(string(stdout)))
			}
		})
	}
}

// TestNoVariableHidesAPackage keeps the code from naming a variable as a package that a reader
// may need in the next line.
func TestNoVariableHidesAPackage(t *testing.T) {
	t.Parallel()
	packages := map[string]bool{}
	list, err := exec.CommandContext(t.Context(), "go", "list", module+"/...").Output()
	require.NoError(t, err)
	for p := range strings.FieldsSeq(string(list)) {
		if !strings.Contains(p, "/internal/") && !strings.Contains(p, "/examples/") {
			packages[path.Base(p)] = true
		}
	}
	for _, p := range readPrograms(t) {
		file, err := parser.ParseFile(token.NewFileSet(), "", p.source, 0)
		require.NoError(t, err, "%s\n%s", p, p.source)
		hides := maps.Clone(packages)
		for _, spec := range file.Imports {
			hides[path.Base(strings.Trim(spec.Path.Value, `"`))] = true
			assert.NotContains(t, spec.Path.Value, "/internal/", "%s", p)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, name := range declared(n) {
				assert.False(t, hides[name], "%s: variable %s hides a package", p, name)
			}
			return true
		})
	}
}

// declared returns the names of the variables that a node declares.
func declared(n ast.Node) (names []string) {
	add := func(list ...*ast.Ident) {
		for _, id := range list {
			names = append(names, id.Name)
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			for _, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); ok {
					add(id)
				}
			}
		}
	case *ast.ValueSpec:
		add(n.Names...)
	case *ast.FuncType:
		for _, f := range n.Params.List {
			add(f.Names...)
		}
	}
	return names
}

func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	readme := read(t, "README.md")
	assert.LessOrEqual(t, strings.Count(readme, "\n"), 200)
	hello := read(t, "examples/hello/main.go")
	first := readPrograms(t)[0].source
	assert.True(t, strings.HasSuffix(hello, first), "the first program is not examples/hello")
	assert.LessOrEqual(t, strings.Count(first, "\n"), 20)
}

// TestLinesAreFromExamples finds each line of the table of frameworks in the program that its row
// links to.
func TestLinesAreFromExamples(t *testing.T) {
	t.Parallel()
	rows := regexp.MustCompile("(?m)^\\| \\[[^|]+\\]\\((examples/[^)]+)\\)[^|]* \\| `([^`]+)` \\|$").FindAllStringSubmatch(read(t, "README.md"), -1)
	assert.GreaterOrEqual(t, len(rows), 8)
	for _, row := range rows {
		code := strings.Join(strings.Fields(read(t, row[1])), " ") // gofmt aligns
		assert.True(t, strings.Contains(code, row[2]), "%s does not have %s", row[1], row[2])
	}
}

// TestLinksLead fails where a document links to a file of the repository, or to a heading, that
// does not exist.
func TestLinksLead(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, document := range documents(t, "docs/*.md") {
		for _, m := range link.FindAllStringSubmatch(read(t, document), -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := document
			if target != "" {
				file = filepath.Join(filepath.Dir(document), target)
			}
			if _, err := os.Stat(filepath.Join(root, file)); !assert.NoError(t, err, "%s links to %s", document, m[1]) {
				continue
			}
			if heading != "" && strings.HasSuffix(file, ".md") {
				assert.Contains(t, anchors(read(t, file)), heading, "%s links to %s", document, m[1])
			}
		}
	}
}

// anchors returns the names that GitHub gives the headings of a document.
func anchors(text string) (names []string) {
	drop := regexp.MustCompile(`[^a-z0-9 _-]`)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			title := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
			names = append(names, strings.ReplaceAll(drop.ReplaceAllString(title, ""), " ", "-"))
		}
	}
	return names
}

const root = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

// documents returns the README, the guides and what else is asked for.
func documents(t *testing.T, more ...string) []string {
	t.Helper()
	names := []string{"README.md"}
	for _, pattern := range append(more, "docs/guide/*.md") {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		for _, f := range found {
			name, err := filepath.Rel(root, f)
			require.NoError(t, err)
			names = append(names, name)
		}
	}
	return names
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func readPrograms(t *testing.T) (programs []program) {
	t.Helper()
	for _, document := range documents(t) {
		for _, section := range strings.Split("\n"+read(t, document), "\n## ") {
			p := program{document: document}
			p.section, _, _ = strings.Cut(strings.TrimSpace(section), "\n")
			var code []string
			for _, m := range fence.FindAllStringSubmatch(section, -1) {
				switch {
				case m[1] == "go":
					code = append(code, m[2])
				case m[1] == "" && code != nil:
					p.output += m[2]
				}
			}
			if code != nil {
				p.source = assemble(code)
				programs = append(programs, p)
			}
		}
	}
	require.GreaterOrEqual(t, len(programs), 10)
	return programs
}

var (
	imports      = regexp.MustCompile(`(?ms)^import (\(.*?^\)|".*?"$)\n`)
	declarations = regexp.MustCompile(`(?ms)^(?:(?://[^\n]*\n)*)(?:func|type) [^\n]*(?:\}|\{\n.*?^\})$\n`)
)

// assemble makes a program of the blocks of a section: a block that begins with a package
// clause is one; of the others, what is neither import nor declaration is the body of main.
func assemble(blocks []string) string {
	if strings.HasPrefix(blocks[0], "package main\n") {
		return blocks[0]
	}
	text := strings.Join(blocks, "\n")
	head := strings.Join(imports.FindAllString(text, -1), "")
	text = imports.ReplaceAllString(text, "")
	declared := strings.Join(declarations.FindAllString(text, -1), "\n")
	text = declarations.ReplaceAllString(text, "")
	return "package main\n\n" + head + declared + "\nfunc main() {\n" + text + "}\n"
}

// build compiles all programs into one binary, which runs the one whose number it is given. An
// overlay places them in the module, so that they are compiled with its dependencies.
func build(t *testing.T, programs []program) string {
	t.Helper()
	dir := t.TempDir()
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	replace := map[string]string{}
	place := func(name, text string) {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		replace[filepath.Join(here, "programs", name)] = file
	}
	var main, cases strings.Builder
	main.WriteString("package main\n\nimport (\n\t\"os\"\n")
	for i, p := range programs {
		name := fmt.Sprintf("p%d", i)
		source := strings.Replace(p.source, "package main\n", "package "+name+"\n", 1)
		source = strings.Replace(source, "\nfunc main() {", "\nfunc Main() {", 1)
		place(name+"/main.go", source)
		fmt.Fprintf(&main, "\t%q\n", module+"/internal/readme/programs/"+name)
		fmt.Fprintf(&cases, "\tcase \"%d\":\n\t\t%s.Main()\n", i, name)
	}
	place("main.go", main.String()+")\n\nfunc main() {\n\tswitch os.Args[1] {\n"+cases.String()+"\t}\n}\n")
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o600))

	binary := filepath.Join(dir, "programs")
	args := append([]string{"build", "-overlay", file, "-o", binary}, race.BuildFlags()...)
	out, err := exec.CommandContext(t.Context(), "go", append(args, "./programs")...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// newModel serves a model that speaks OpenAI's protocol: it calls the first function of a
// request, and answers when it has the result.
func newModel(t *testing.T) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request struct {
			Messages []struct{ Role string }
			Tools    []struct{ Function struct{ Name string } }
		}
		err := json.Unmarshal(body, &request)
		if !assert.NoError(t, err) {
			return
		}
		message, reason := map[string]any{"role": "assistant", "content": "Here it is."}, "stop"
		if last := request.Messages[len(request.Messages)-1]; last.Role == "user" && len(request.Tools) > 0 {
			message["tool_calls"] = []any{map[string]any{"id": "call-1", "type": "function", "function": map[string]any{
				"name": request.Tools[0].Function.Name, "arguments": `{"__arg1": "home"}`,
			}}}
			reason = "tool_calls"
		}
		w.Header().Set("Content-Type", "application/json")
		assert.NoError(t, json.NewEncoder(w).Encode(map[string]any{
			"object": "chat.completion", "choices": []any{map[string]any{"message": message, "finish_reason": reason}},
		}))
	}))
	t.Cleanup(server.Close)
	return server.URL
}
