package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
)

var all = []config.Group{config.Places, config.Models, config.Sessions, config.Serving, config.Tools, config.Logging}

// load reads settings from a file's text, variables and arguments.
func load(t testing.TB, file string, env map[string]string, args ...string) (*config.Settings, []string, error) {
	t.Helper()
	if file != "" {
		name := filepath.Join(t.TempDir(), "wmem.yaml")
		require.NoError(t, os.WriteFile(name, []byte(file), 0o600))
		args = append(args, "--config", name)
	}
	r := config.NewReader(all...)
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	r.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		return nil, nil, err
	}
	return r.Load(flags, environ(env))
}

type env map[string]string

// environ returns an environment in the form of os.Environ.
func environ(env env) (all []string) {
	for name, text := range env {
		all = append(all, name+"="+text)
	}
	return all
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		file string
		env  env
		args []string
		want float64
	}{
		{name: "default", want: 0.7},
		{name: "file", file: "threshold: 0.1", want: 0.1},
		{name: "second variable", file: "threshold: 0.1", env: env{"SUMMARIZATION_THRESHOLD": "0.2"}, want: 0.2},
		{name: "variable", file: "threshold: 0.1", env: env{"SUMMARIZATION_THRESHOLD": "0.2", "WMEM_THRESHOLD": "0.3"}, want: 0.3},
		{name: "flag", file: "threshold: 0.1", env: env{"SUMMARIZATION_THRESHOLD": "0.2", "WMEM_THRESHOLD": "0.3"}, args: []string{"--threshold=0.4"}, want: 0.4},
		{name: "the default as a flag", env: env{"WMEM_THRESHOLD": "0.3"}, args: []string{"--threshold=0.7"}, want: 0.7},
		{name: "an empty variable", file: "threshold: 0.1", env: env{"WMEM_THRESHOLD": ""}, want: 0.1},
		{name: "what is not used is not read", env: env{"SUMMARIZATION_THRESHOLD": "x", "WMEM_THRESHOLD": "0.3"}, want: 0.3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, warnings, err := load(t, tc.file, tc.env, tc.args...)
			require.NoError(t, err)
			assert.InDelta(t, tc.want, s.Threshold, 0)
			assert.Empty(t, warnings)
		})
	}
}

// Each setting has a flag, a variable, perhaps that of agent-memory-server, and a name in files.
func TestNames(t *testing.T) {
	t.Parallel()
	recipes := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(recipes, "erp.yaml"), []byte("rules:\n  - {tool: erp, type: invoice, id: no}\n"), 0o600))
	for _, tc := range []struct {
		flag, also, text string
		got              func(*config.Settings) any
		want             any
	}{
		{"store", "", "memory:", func(s *config.Settings) any { return s.Store }, "memory:"},
		{"index", "", "sqlite:x.db", func(s *config.Settings) any { return s.Index }, "sqlite:x.db"},
		{"model", "GENERATION_MODEL", "m", func(s *config.Settings) any { return s.Model }, "m"},
		{"embedding-model", "EMBEDDING_MODEL", "m", func(s *config.Settings) any { return s.EmbeddingModel }, "m"},
		{"base-url", "OPENAI_BASE_URL", "http://h/v1", func(s *config.Settings) any { return s.BaseURL }, "http://h/v1"},
		{"openai-api-key", "OPENAI_API_KEY", "k", func(s *config.Settings) any { return s.APIKey }, "k"},
		{"window", "", "128", func(s *config.Settings) any { return s.Window }, 128},
		{"threshold", "SUMMARIZATION_THRESHOLD", "1", func(s *config.Settings) any { return s.Threshold }, 1.0},
		{"summarize", "", "background", func(s *config.Settings) any { return s.Summarize }, "background"},
		{"summary-prompt", "PROGRESSIVE_SUMMARIZATION_PROMPT", "{prev_summary}{messages_joined}", func(s *config.Settings) any { return s.SummaryPrompt != nil }, true},
		{"ttl", "", "1h", func(s *config.Settings) any { return s.TTL }, time.Hour},
		{"long-term", "LONG_TERM_MEMORY", "False", func(s *config.Settings) any { return s.LongTerm }, false},
		{"index-messages", "INDEX_ALL_MESSAGES_IN_LONG_TERM_MEMORY", "true", func(s *config.Settings) any { return s.IndexMessages }, true},
		{"promote-after", "", "0s", func(s *config.Settings) any { return s.PromoteAfter }, time.Duration(0)},
		{"handles", "", "on", func(s *config.Settings) any { return s.Handles }, true},
		{"store-results", "", "on", func(s *config.Settings) any { return s.StoreResults }, 8000},
		{"store-results", "", "500", func(s *config.Settings) any { return s.StoreResults }, 500},
		{"store-results", "", "off", func(s *config.Settings) any { return s.StoreResults }, 0},
		{"recipes", "", recipes, func(s *config.Settings) any { return s.Rules[0].Type }, "invoice"},
		{"journal", "", "on", func(s *config.Settings) any { return s.Journal }, int64(0)},
		{"journal", "", "off", func(s *config.Settings) any { return s.Journal }, int64(-1)},
		{"journal", "", "2MiB", func(s *config.Settings) any { return s.Journal }, int64(2 << 20)},
		{"budget", "", "0", func(s *config.Settings) any { return s.Budget }, 0},
		{"encoding", "", "estimate", func(s *config.Settings) any { return s.Encoding }, "estimate"},
		{"listen", "", ":1", func(s *config.Settings) any { return s.Listen }, ":1"},
		{"auth", "AUTH_MODE", "token", func(s *config.Settings) any { return s.Auth }, "token"},
		{"auth", "AUTH_MODE", "disabled", func(s *config.Settings) any { return s.Auth }, "none"},
		{"insecure-public", "", "on", func(s *config.Settings) any { return s.InsecurePublic }, true},
		{"rate", "", "2.5", func(s *config.Settings) any { return s.Rate }, 2.5},
		{"trusted-proxies", "", "10.0.0.0/8, 127.0.0.1,::1", func(s *config.Settings) any { return fmt.Sprint(s.TrustedProxies) }, "[10.0.0.0/8 127.0.0.1/32 ::1/128]"},
		{"max-body", "", "2KiB", func(s *config.Settings) any { return s.MaxBody }, int64(2048)},
		{"request-memory", "", "1GiB", func(s *config.Settings) any { return s.RequestMemory }, int64(1 << 30)},
		{"request-memory", "", "0", func(s *config.Settings) any { return s.RequestMemory }, int64(0)},
		{"mcp", "", "off", func(s *config.Settings) any { return s.MCP }, false},
		{"tools", "", "core, memory_prompt", func(s *config.Settings) any { return s.Tools }, []string{"core", "memory_prompt"}},
		{"log-level", "", "debug", func(s *config.Settings) any { return s.LogLevel.String() }, "DEBUG"},
		{"log-format", "", "json", func(s *config.Settings) any { return s.LogFormat }, "json"},
	} {
		t.Run(tc.flag+" "+tc.text, func(t *testing.T) {
			t.Parallel()
			always := env{"OPENAI_API_KEY": "k"}
			check := func(file string, variables env, args ...string) {
				for name, text := range always {
					if _, ok := variables[name]; !ok && variables != nil {
						variables[name] = text
					}
				}
				s, _, err := load(t, file, variables, args...)
				require.NoError(t, err)
				assert.Equal(t, tc.want, tc.got(s))
			}
			check("", env{config.Env(tc.flag): tc.text})
			check(tc.flag+": '"+tc.text+"'", env{})
			if tc.also != "" {
				check("", env{tc.also: tc.text})
			}
			if tc.flag != "openai-api-key" {
				check("", env{}, "--"+tc.flag+"="+tc.text)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file string
		env        env
		want       string
	}{
		{name: "a setting that is not there", file: "window: 5\nwindows: 6\n", want: "wmem.yaml: line 2: unknown setting \"windows\""},
		{name: "a setting twice", file: "window: 5\n\nwindow: 6\n", want: "line 3: window is already set in line 1"},
		{name: "a list", file: "window: [5]", want: "line 1: window must have one value"},
		{name: "nothing", file: "window:", want: "line 1: window must have one value"},
		{name: "an alias", file: "window: &a 5\nburst: *a", want: "line 2: burst must have one value"},
		{name: "text", file: "hunter2", want: "line 1: must have the form name: value"},
		{name: "two documents", file: "window: 5\n---\nwindow: 6", want: "more than one document"},
		{name: "a bad value in a file", file: "\nttl: hunter2", want: "wmem.yaml: line 2: ttl: must be a duration"},
		{name: "a bad value in a variable", env: env{"SUMMARIZATION_THRESHOLD": "hunter2"}, want: "SUMMARIZATION_THRESHOLD: must be a number above 0"},
		{name: "a prompt without placeholders", env: env{"PROGRESSIVE_SUMMARIZATION_PROMPT": "hunter2 {prev_summary}"}, want: "PROGRESSIVE_SUMMARIZATION_PROMPT: "},
		{name: "a store", env: env{"WMEM_STORE": "mysql://u:hunter2@h"}, want: "store: bad store"},
		{name: "half of TLS", env: env{"WMEM_TLS_CERT": "hunter2"}, want: "tls-cert and tls-key must be used together"},
		{name: "burst alone", env: env{"WMEM_BURST": "2"}, want: "burst needs rate"},
		{name: "a model without a key", env: env{"GENERATION_MODEL": "hunter2"}, want: "OPENAI_API_KEY"},
		{name: "a key in the URL", env: env{"OPENAI_BASE_URL": "https://u:hunter2@h"}, want: "put the key into OPENAI_API_KEY"},
		{name: "no URL", env: env{"OPENAI_BASE_URL": "hunter2%zz"}, want: "base-url must begin with http"},
		{name: "no tool", env: env{"WMEM_TOOLS": "core,,hunter2"}, want: "WMEM_TOOLS: must be names separated by commas"},
		{name: "a size", env: env{"WMEM_MAX_BODY": "9999999999GiB"}, want: "WMEM_MAX_BODY: must be a size"},
		{name: "no body at all", env: env{"WMEM_MAX_BODY": "0"}, want: "WMEM_MAX_BODY: must be a size"},
		{name: "a folder that is not there", env: env{"WMEM_RECIPES": "hunter2"}, want: "WMEM_RECIPES: must be a folder"},
		{name: "a share of nothing", env: env{"WMEM_THRESHOLD": "0"}, want: "WMEM_THRESHOLD: must be a number above 0"},
		{name: "a share of more than all", env: env{"WMEM_THRESHOLD": "1.01"}, want: "WMEM_THRESHOLD: must be a number above 0"},
		{name: "a negative duration", env: env{"WMEM_TTL": "-5s"}, want: "WMEM_TTL: must be a duration"},
		{name: "a negative number", env: env{"WMEM_WINDOW": "-1"}, want: "WMEM_WINDOW: must be a whole number of at least 0"},
		{name: "a negative rate", env: env{"WMEM_RATE": "-1"}, want: "WMEM_RATE: must be a number of at least 0"},
		{name: "no rate at all", env: env{"WMEM_RATE": "NaN"}, want: "WMEM_RATE: must be a number of at least 0"},
		{name: "a proxy by name", env: env{"WMEM_TRUSTED_PROXIES": "10.0.0.1,hunter2"}, want: "WMEM_TRUSTED_PROXIES: must be addresses or networks"},
		{name: "a network of no size", env: env{"WMEM_TRUSTED_PROXIES": "10.0.0.0/99"}, want: "WMEM_TRUSTED_PROXIES: must be addresses or networks"},
		{name: "IPv4 in IPv6", env: env{"WMEM_TRUSTED_PROXIES": "::ffff:10.0.0.0/104"}, want: "WMEM_TRUSTED_PROXIES: must be addresses or networks"},
		{name: "a long file", file: "window: 5\n#" + strings.Repeat("x", 1<<20), want: "larger than 1048576 bytes"},
		{name: "a file that is not there", env: env{"WMEM_CONFIG": "no-such-file"}, want: "no-such-file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := load(t, tc.file, tc.env)
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestModelsNeedAKeyOrAnEndpoint(t *testing.T) {
	t.Parallel()
	for _, with := range []env{{"OPENAI_API_KEY": "k"}, {"WMEM_BASE_URL": "http://127.0.0.1:11434/v1"}} {
		s, _, err := load(t, "embedding-model: e\nmodel: m", with)
		require.NoError(t, err)
		assert.Equal(t, "m", s.Model)
	}
	_, _, err := load(t, "embedding-model: e", nil)
	require.ErrorContains(t, err, "need a key")
}

// A file with a secret that others may read causes a warning.
func TestReadableSecrets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text   string
		mode   os.FileMode
		warned bool
	}{
		{"openai-api-key: k", 0o600, false},
		{"openai-api-key: k", 0o640, true},
		{"store: redis://:p@h", 0o604, true},
		{"window: 5", 0o644, false},
	} {
		name := filepath.Join(t.TempDir(), "wmem.yaml")
		require.NoError(t, os.WriteFile(name, []byte(tc.text), tc.mode))
		require.NoError(t, os.Chmod(name, tc.mode))
		_, warnings, err := load(t, "", nil, "--config", name)
		require.NoError(t, err)
		assert.Equal(t, tc.warned, len(warnings) > 0, tc)
	}
}

// Unknown variables cause a warning with their names, but not their values.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		env  env
		want []string
	}{
		{"none", env{"WMEM_STORE": "memory:", "PATH": "x", "XWMEM_STOR": "x"}, nil},
		{"not settings, but read", env{"WMEM_CONFIG": "", "WMEM_TOKEN": "hunter2"}, nil},
		{"a secret one", env{"WMEM_OPENAI_API_KEY": "k"}, nil},
		{"misspelt", env{"WMEM_STOR": "hunter2"}, []string{"unknown settings, see --help: WMEM_STOR"}},
		{"empty", env{"WMEM_STOR": ""}, []string{"unknown settings, see --help: WMEM_STOR"}},
		{"several, sorted", env{"WMEM_Z": "", "WMEM_": "", "WMEM_store": "x", "WMEM_\x1b": ""}, []string{`unknown settings, see --help: WMEM_, WMEM_\x1b, WMEM_Z, WMEM_store`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, warnings, err := load(t, "", tc.env)
			require.NoError(t, err)
			assert.Equal(t, tc.want, warnings)
		})
	}
}

// The help names each setting, its variables and its default.
func TestHelp(t *testing.T) {
	t.Parallel()
	r := config.NewReader(all...)
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	r.AddFlags(flags)
	usage := flags.FlagUsages()
	for _, want := range []string{
		"--store", "WMEM_STORE", "sqlite:wmem.db", "SUMMARIZATION_THRESHOLD", "(default 0.7)", "INDEX_ALL_MESSAGES_IN_LONG_TERM_MEMORY",
		"(default 127.0.0.1:8000)", "(default 32MiB)", "(default info)", "(default 30s)", "(default 256)", "WMEM_CONFIG", "AUTH_MODE",
	} {
		assert.Contains(t, usage, want)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		assert.Contains(t, f.Usage, config.Env(f.Name))
		assert.NotContains(t, f.Name, "key-value")
	})
	assert.Less(t, strings.Index(usage, "--store"), strings.Index(usage, "--listen"), "in the order of the groups")
	assert.NotContains(t, usage, "--store FILE", "a file alone is no store")
	assert.Nil(t, flags.Lookup("openai-api-key"), "secrets are no arguments")
	assert.Contains(t, r.Secrets(), "OPENAI_API_KEY")
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	s, _, err := load(t, "", nil, "--insecure-public", "--long-term", "off")
	require.NoError(t, err)
	assert.True(t, s.InsecurePublic)
	assert.False(t, s.LongTerm)
}

// A command reads only its groups, from a file for all commands.
func TestGroups(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "wmem.yaml")
	require.NoError(t, os.WriteFile(name, []byte("store: 'memory:'\nlisten: :1\n"), 0o600))
	r := config.NewReader(config.Places)
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	r.AddFlags(flags)
	require.NoError(t, flags.Parse([]string{"--config", name}))
	s, warnings, err := r.Load(flags, []string{"WMEM_THRESHOLD=x", "SUMMARIZATION_THRESHOLD=x"})
	require.NoError(t, err)
	assert.Empty(t, warnings, "what other commands read is a setting too")
	assert.Equal(t, "memory:", s.Store)
	assert.Equal(t, "127.0.0.1:8000", s.Listen)
	assert.InDelta(t, 0.7, s.Threshold, 0)
}

func FuzzFile(f *testing.F) {
	f.Add("store: 'memory:'\nttl: 1h\n")
	f.Add("a: &x [*x]")
	f.Add("window: !!int 5\n? [a]\n: b")
	f.Fuzz(func(t *testing.T, text string) {
		s, _, err := load(t, text, nil)
		if err == nil {
			require.NotNil(t, s)
		}
	})
}
