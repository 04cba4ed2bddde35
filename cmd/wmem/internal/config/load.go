package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
)

// Reader reads the settings of some groups for a command.
type Reader struct {
	settings Settings
	groups   []Group
	options  []option // of all groups
	file     string
}

// NewReader makes a reader of groups.
func NewReader(groups ...Group) *Reader {
	r := &Reader{settings: defaults(), groups: groups}
	r.options = r.settings.options()
	return r
}

// AddFlags adds the flags of the groups, and --config. A help text shows them in this order,
// which has together what belongs together.
func (r *Reader) AddFlags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&r.file, "config", "", "`FILE` with settings, YAML: a name as of the flags and a value on each line ["+configEnv+"]")
	for _, o := range r.options {
		if o.secret || !r.takes(o) {
			continue
		}
		f := flags.VarPF(o.value, o.name, "", o.usage+" ["+strings.Join(o.env(), ", ")+"]")
		if o.word {
			o.value.kind, f.NoOptDefVal = "bool", "true" // as pflag knows those that stand alone
		}
	}
}

// Secrets tells, for a help text, of the settings of the groups that have no flag.
func (r *Reader) Secrets() string {
	var b strings.Builder
	for _, o := range r.options {
		if o.secret && r.takes(o) {
			fmt.Fprintf(&b, "  %s, in a file %s: %s\n", strings.Join(o.env(), ", "), o.name, o.usage)
		}
	}
	return b.String()
}

func (r *Reader) takes(o option) bool { return slices.Contains(r.groups, o.group) }

// Load returns the settings, after the flags were parsed, and what is to be told to who runs
// the command. environ is that of os.Environ. Errors say where the setting that is wrong
// stands, and do not repeat its value; pflag's, of flags, do.
func (r *Reader) Load(flags *pflag.FlagSet, environ []string) (*Settings, []string, error) {
	variables := readEnviron(environ)
	get := func(name string) string { return variables[name] }
	if !flags.Changed("config") {
		r.file = get(configEnv)
	}
	file, err := readFile(r.file, r.options)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range r.options {
		if !r.takes(o) || flags.Changed(o.name) {
			continue
		}
		if err := o.loadFrom(get, file); err != nil {
			return nil, nil, err
		}
	}
	if err := r.settings.check(); err != nil {
		return nil, nil, err
	}
	s := r.settings
	return &s, append(variables.warnings(r.options), file.warnings()...), nil
}

// loadFrom sets an option from the environment, else from the file.
func (o *option) loadFrom(get func(string) string, f *file) error {
	for _, name := range o.env() {
		if text := get(name); text != "" {
			if err := o.value.Set(text); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		}
	}
	if e, ok := f.entries[o.name]; ok {
		if err := o.value.Set(e.text); err != nil {
			return fmt.Errorf("%s: line %d: %s: %w", f.name, e.line, o.name, err)
		}
	}
	return nil
}

// check refuses what does not go together.
func (s *Settings) check() error {
	if _, _, err := (backend.Config{Store: s.Store, Index: s.Index}).Places(); err != nil {
		return err
	}
	switch {
	case (s.TLSCert == "") != (s.TLSKey == ""):
		return errors.New("tls-cert and tls-key go together")
	case s.Burst > 0 && s.Rate == 0:
		return errors.New("burst goes with rate")
	case (s.Model != "" || s.EmbeddingModel != "") && s.APIKey == "" && s.BaseURL == "":
		return errors.New("model and embedding-model need a key, in OPENAI_API_KEY, or the base-url of an endpoint that needs none")
	}
	return checkBaseURL(s.BaseURL)
}

func checkBaseURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("base-url must begin with http:// or https:// and a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("base-url must have no user, password or parameters: the key goes into OPENAI_API_KEY")
	}
	return nil
}
