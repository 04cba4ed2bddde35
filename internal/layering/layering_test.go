package layering_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/go-workingmemory/workingmemory"

// layer lists what the packages under a path may import of this module, and which
// other modules.
type layer struct {
	path   string
	own    []string // below the module; "x/..." allows x and all below it
	others []string // prefixes of import paths outside the standard library
}

// layers is the order of the packages; the longest path that matches applies.
var layers = []layer{
	{path: "memory", own: []string{"memory/internal/...", "internal/english", "internal/slab"}},
	{path: "memory/handle", own: []string{"memory", "internal/plaintext"}, others: []string{"github.com/go-json-experiment/json"}},
	{path: "memory/queue", own: []string{"memory", "memory/internal/state", "internal/slab", "internal/inert"}},
	{path: "memory/items", own: []string{"memory", "memory/internal/state", "internal/slab", "internal/plaintext"}, others: []string{"github.com/google/uuid"}},
	{path: "memory/workspace", own: []string{"memory/..."}},
	{path: "memory/session", own: []string{"memory/...", "internal/callee", "internal/contention", "internal/plaintext"}, others: []string{"github.com/oklog/ulid/v2"}},
	{path: "memory/session/driver", own: []string{"memory"}},
	{path: "memory/session/driver/drivertest", own: []string{"memory/session", "memory/session/driver", "memory/session/summary", "internal/conformance", "internal/conformance/child", "internal/soak"}, others: []string{"github.com/stretchr/testify", "pgregory.net/rapid", "github.com/oklog/ulid/v2"}},
	{path: "memory/session/memstore", own: []string{"memory/session/driver"}},
	{path: "memory/session/promotion", own: []string{"memory/session/driver"}},
	{path: "memory/session/summary", own: []string{"memory", "memory/session/driver", "memory/session/internal/tokens", "internal/plaintext"}},
	{path: "memory/session/internal", own: []string{"memory/...", "internal/callee", "internal/contention", "internal/inert", "internal/refusal", "internal/jsonnumbers", "internal/jsonweight", "internal/plaintext"}, others: []string{"github.com/go-json-experiment/json", "github.com/oklog/ulid/v2"}},
	{path: "memory/session/internal/fixture", own: []string{"memory/...", "internal/conformance", "internal/soak"}},
	{path: "memory/longterm", own: []string{"memory/...", "prompt", "internal/plaintext", "internal/callee", "internal/contention", "internal/secret"}, others: []string{"github.com/go-json-experiment/json", "github.com/oklog/ulid/v2"}},
	{path: "memory/longterm/wordvectors", own: []string{"memory/longterm", "internal/plaintext"}},
	{path: "memory/longterm/driver", own: []string{"memory/session/driver", "memory/longterm/internal/...", "internal/plaintext"}},
	{path: "memory/longterm/driver/drivertest", own: []string{"memory/...", "internal/ngrams", "internal/conformance", "internal/conformance/child", "internal/soak"}, others: []string{"github.com/stretchr/testify", "pgregory.net/rapid"}},
	{path: "memory/longterm/summaryview", own: []string{"memory/...", "prompt", "internal/callee", "internal/contention", "internal/inert", "internal/plaintext", "internal/refusal"}, others: []string{"github.com/oklog/ulid/v2"}},
	{path: "memory/longterm/summaryview/driver"},
	{path: "memory/longterm/summaryview/driver/drivertest", own: []string{"memory/longterm/summaryview/driver", "internal/conformance"}, others: []string{"github.com/stretchr/testify"}},
	{path: "memory/longterm/memindex", own: []string{"memory/session/driver", "memory/longterm/driver", "memory/longterm/internal/..."}},
	{path: "internal/slab"},
	{path: "internal/race"},
	{path: "internal/soak"},
	{path: "internal/syncbuffer"},
	{path: "internal/english"},
	{path: "internal/secret", own: []string{"internal/english"}},
	{path: "internal/callee", own: []string{"memory"}},
	{path: "internal/plaintext", others: []string{"github.com/blevesearch/snowballstem", "golang.org/x/text"}},
	{path: "internal/vectorcode"},
	{path: "internal/inert"},
	{path: "internal/refusal"},
	{path: "internal/attack"},
	{path: "internal/ngrams", own: []string{"internal/plaintext"}},
	{path: "internal/layering"},
	{path: "internal/contention"},
	{path: "internal/readme"},
	{path: "internal/conformance", own: []string{"internal/soak"}},
	{path: "internal/sidebyside"},
	{path: "internal/outline", own: []string{"internal/document", "internal/inert"}, others: []string{"golang.org/x/net/html"}},
	{path: "internal/excerpt", own: []string{"internal/english", "internal/inert", "internal/plaintext"}, others: []string{"github.com/go-json-experiment/json"}},
	{path: "internal/document", others: []string{"github.com/go-json-experiment/json", "go.yaml.in/yaml/v3", "golang.org/x/net/html"}},
	{path: "extractor", own: []string{"memory", "extractor/internal/...", "internal/document", "internal/english", "internal/secret", "internal/turns"}, others: []string{"go.yaml.in/yaml/v3"}},
	{path: "extractor/internal/vocabulary"},
	{path: "extractor/internal/interrupt"},
	{path: "extractor/internal/shell", others: []string{"mvdan.cc/sh/v3/syntax"}},
	{path: "extractor/internal/shape", own: []string{"extractor/internal/vocabulary"}, others: []string{"github.com/google/uuid"}},
	{path: "extractor/internal/naming", own: []string{"extractor/internal/shape", "extractor/internal/shell", "extractor/internal/vocabulary", "internal/english", "internal/secret"}},
	{path: "extractor/internal/prose", own: []string{"extractor/internal/interrupt", "extractor/internal/naming", "extractor/internal/shape", "extractor/internal/vocabulary", "internal/english"}},
	{path: "extractor/internal/finding", own: []string{"memory", "internal/secret"}},
	{path: "extractor/internal/record", own: []string{"memory", "extractor/internal/finding", "extractor/internal/naming", "extractor/internal/shape", "extractor/internal/vocabulary", "internal/document", "internal/english", "internal/secret"}},
	{path: "extractor/internal/reading", own: []string{"memory", "extractor/internal/...", "internal/document", "internal/english", "internal/secret"}, others: []string{"github.com/go-json-experiment/json"}},
	{path: "prompt", own: []string{"memory", "memory/items", "internal/english", "internal/inert", "internal/plaintext"}},
	{path: "prompt/tiktoken", own: []string{"prompt"}, others: []string{"github.com/pkoukk/tiktoken-go"}},
	{path: "middleware", own: []string{"memory/...", "extractor", "prompt", "internal/excerpt", "internal/outline", "internal/plaintext", "internal/secret", "internal/slab", "internal/callee"}, others: []string{"github.com/go-json-experiment/json", "github.com/oklog/ulid/v2"}},
	{path: "middleware/adaptertest", own: []string{"memory/handle", "extractor", "prompt", "middleware", "internal/conformance"}, others: []string{"github.com/stretchr/testify"}},
	{path: "internal/recall", own: []string{"memory/longterm", "memory/longterm/driver", "memory/longterm/memindex", "memory/longterm/wordvectors", "memory/session"}, others: []string{"github.com/blevesearch/snowballstem", "modernc.org/sqlite"}},
	{path: "internal/jsonlines"},
	{path: "internal/evaluation", own: []string{"memory", "memory/handle", "extractor", "prompt", "middleware", "internal/document", "internal/jsonlines"}},
	{path: "adapters/langchain", own: []string{"memory/...", "prompt", "middleware", "internal/callee"}, others: []string{"github.com/tmc/langchaingo"}},
	{path: "adapters/llmhttp", own: []string{"memory/handle", "prompt", "middleware"}, others: []string{"github.com/go-json-experiment/json"}},
	{path: "adapters/eino", own: []string{"memory/handle", "prompt", "middleware"}, others: []string{"github.com/cloudwego/eino", "github.com/eino-contrib/jsonschema"}},
	{path: "adapters/adk", own: []string{"memory/handle", "memory/session", "prompt", "middleware"}, others: []string{"google.golang.org/adk", "google.golang.org/genai", "github.com/google/jsonschema-go"}},
	{path: "adapters/genkit", own: []string{"prompt", "middleware"}, others: []string{"github.com/firebase/genkit/go"}},
	{path: "adapters/otel", own: []string{"memory", "memory/session", "middleware"}, others: []string{"go.opentelemetry.io/otel"}},
	{path: "adapters/langchain/providers", own: []string{"memory/...", "prompt", "internal/callee"}, others: []string{"github.com/tmc/langchaingo/llms", "github.com/tmc/langchaingo/embeddings", "github.com/tmc/langchaingo/schema", "github.com/tmc/langchaingo/vectorstores"}},
	{path: "adapters/langchain/endpoint", own: []string{"memory/longterm", "adapters/langchain/providers"}, others: []string{"github.com/tmc/langchaingo/llms", "github.com/tmc/langchaingo/embeddings"}},
	{path: "adapters/server/auth"},
	{path: "adapters/server/auth/authtest", own: []string{"adapters/server/auth", "internal/conformance"}, others: []string{"github.com/stretchr/testify"}},
	{path: "adapters/store/sqlitestore", own: []string{"memory/session/driver", "memory/longterm/driver", "memory/longterm/summaryview/driver", "adapters/server/auth", "internal/jsonweight", "internal/vectorcode"}, others: []string{"modernc.org/sqlite"}},
	{path: "adapters/store/redisstore", own: []string{"memory/session/driver", "memory/longterm/summaryview/driver", "adapters/server/auth"}, others: []string{"github.com/redis/go-redis/v9"}},
	{path: "adapters/store/postgresstore", own: []string{"memory/session/driver", "memory/longterm/driver", "memory/longterm/summaryview/driver", "adapters/server/auth", "internal/jsonweight", "internal/vectorcode"}, others: []string{"github.com/jackc/pgx/v5"}},
	{path: "internal/jsonweight"},
	{path: "internal/turns"},
	{path: "internal/jsonnumbers", others: []string{"github.com/go-json-experiment/json"}},
	{path: "internal/service", own: []string{"memory/...", "extractor", "prompt", "middleware", "internal/callee", "internal/excerpt", "internal/inert"}, others: []string{"github.com/oklog/ulid/v2"}},
	{path: "internal/translate", own: []string{"memory/...", "extractor", "middleware", "internal/service", "adapters/server/wire"}},
	{path: "adapters/server/rest", own: []string{"memory/longterm", "memory/longterm/summaryview", "memory/session", "middleware", "adapters/server/auth", "adapters/server/wire", "internal/service", "internal/translate"}, others: []string{"github.com/google/jsonschema-go", "github.com/swaggest/swgui/v5/static", "golang.org/x/time"}},
	{path: "adapters/server/wire", own: []string{"memory", "internal/jsonnumbers", "internal/jsonweight"}, others: []string{"github.com/go-json-experiment/json", "github.com/google/jsonschema-go"}},
	{path: "adapters/server/client", own: []string{"adapters/server/wire"}},
	{path: "adapters/server/mcpserver", own: []string{"memory", "memory/handle", "memory/longterm", "memory/session", "middleware", "adapters/server/auth", "adapters/server/wire", "internal/callee", "internal/inert", "internal/service", "internal/translate", "internal/turns", "memory/session/driver"}, others: []string{"github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go"}},
	{path: "internal/mcpclients"},
	{path: "adapters/server/inspector", own: []string{"memory", "memory/handle", "memory/longterm", "memory/longterm/summaryview", "memory/session", "extractor", "prompt", "middleware", "adapters/server/auth", "internal/evaluation", "internal/secret", "internal/service"}},
	{path: "adapters/mcpproxy", own: []string{"prompt", "middleware", "adapters/server/wire", "internal/inert"}, others: []string{"github.com/go-json-experiment/json"}},
	{path: "internal/servertest", own: []string{"adapters/server/client", "adapters/server/wire"}},
	{path: "cmd", own: []string{"memory/...", "extractor", "prompt/...", "middleware", "internal/...", "adapters/...", "cmd/..."}, others: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/prometheus/client_golang", "github.com/modelcontextprotocol/go-sdk", "github.com/redis/go-redis/v9/logging", "go.yaml.in/yaml/v3"}},
	{path: "examples/frameworks", own: []string{"memory", "memory/handle", "extractor", "prompt", "middleware", "adapters/...", "examples/frameworks/..."}, others: []string{""}},
	{path: "benchmarks", own: []string{"memory/..."}, others: []string{""}},
	{path: "internal/secret/gitleaks", own: []string{"internal/secret"}, others: []string{"github.com/zricethezav/gitleaks", "github.com/pelletier/go-toml"}},
	{path: "examples", own: []string{"memory/...", "extractor", "prompt/...", "middleware", "adapters/...", "examples/..."}, others: []string{"github.com/tmc/langchaingo", "github.com/google/uuid"}},
}

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// rel returns the path of the package below the module.
func (p *listed) rel() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// packages returns all packages of the repository, in all its modules.
func packages(t *testing.T) (all []listed) {
	for _, dir := range modules(t) {
		cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
		cmd.Dir = dir
		out, err := cmd.Output()
		require.NoError(t, err, dir)
		dec := json.NewDecoder(strings.NewReader(string(out)))
		for {
			var p listed
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else {
				require.NoError(t, err)
			}
			all = append(all, p)
		}
	}
	require.Greater(t, len(all), 5)
	return all
}

// modules returns the directories of the modules.
func modules(t *testing.T) (dirs []string) {
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "go.mod" {
			dirs = append(dirs, filepath.Dir(path))
		}
		return err
	})
	require.NoError(t, err)
	require.Greater(t, len(dirs), 1)
	return dirs
}

func TestImportsRunOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		rel := p.rel()
		l, ok := layerOf(rel)
		if !assert.True(t, ok, "package %q has no layer: add it to the table", rel) {
			continue
		}
		for _, imp := range p.Imports {
			assert.True(t, l.allows(imp), "%s must not import %s", rel, imp)
		}
	}
}

// TestTheServerIsAbove: the service imports no protocol, and no package below the server
// imports it, not even in tests.
func TestTheServerIsAbove(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		var forbidden []string
		switch rel := p.rel(); {
		case under(rel, "internal/service"):
			forbidden = []string{module + "/adapters", "net/http", "net/url"}
		case slices.ContainsFunc([]string{"memory", "extractor", "prompt", "middleware"}, func(dir string) bool { return under(rel, dir) }):
			forbidden = []string{module + "/adapters/server", module + "/internal/service", module + "/internal/translate"}
		}
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			assert.False(t, slices.ContainsFunc(forbidden, func(dir string) bool { return under(imp, dir) }), "%s must not import %s", p.ImportPath, imp)
		}
	}
}

func layerOf(rel string) (layer, bool) {
	var best layer
	for _, l := range layers {
		if under(rel, l.path) && len(l.path) > len(best.path) {
			best = l
		}
	}
	return best, best.path != ""
}

func (l layer) allows(imp string) bool {
	if rest, ok := strings.CutPrefix(imp, module+"/"); ok {
		return slices.ContainsFunc(l.own, func(p string) bool {
			dir, below := strings.CutSuffix(p, "/...")
			return rest == dir || below && under(rest, dir)
		})
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(l.others, func(p string) bool { return strings.HasPrefix(imp, p) })
}

func under(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// html/template, which keeps all methods of all types in a program, would add 12 MB.
func TestCommandsLinkNoTestLibrariesAndTemplates(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", module+"/cmd/...").Output()
	require.NoError(t, err)
	linked := strings.Fields(string(out))
	require.Contains(t, linked, module+"/memory/longterm")
	for _, path := range []string{"html/template", "testing", "github.com/stretchr/testify/require", "pgregory.net/rapid"} {
		require.NotContains(t, linked, path)
	}
}
