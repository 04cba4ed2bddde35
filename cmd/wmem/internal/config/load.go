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

// NewReader returns a reader of groups.
func NewReader(groups ...Group) *Reader {
	r := &Reader{settings: defaults(), groups: groups}
	r.options = r.settings.options()
	return r
}

// AddFlags adds --config and the flags of the groups. A help text shows them in this order, so
// that related ones are together.
func (r *Reader) AddFlags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVar(&r.file, "config", "", "YAML `FILE` with settings: on each line the name of a flag and its value ["+configEnv+"]")
	for _, o := range r.options {
		if o.secret || !r.takes(o) {
			continue
		}
		f := flags.VarPF(o.value, o.name, "", o.usage+" ["+strings.Join(o.env(), ", ")+"]")
		if o.bare {
			f.NoOptDefVal = "true" // pflag allows this flag without a value
			if o.value.kind == "switch" {
				o.value.kind = "bool" // and shows it without one
			}
		}
	}
}

// Secrets describes the settings of the groups that have no flag, for a help text.
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

// Load returns the settings and warnings for the user. The flags must have been parsed; environ
// is the result of os.Environ. An error names the place of the wrong setting, but not its value,
// unlike the errors of pflag about flags.
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

// check refuses settings that exclude each other.
func (s *Settings) check() error {
	if _, _, err := (backend.Config{Store: s.Store, Index: s.Index}).Places(); err != nil {
		return err
	}
	switch {
	case (s.TLSCert == "") != (s.TLSKey == ""):
		return errors.New("tls-cert and tls-key must be used together")
	case s.Burst > 0 && s.Rate == 0:
		return errors.New("burst needs rate")
	case (s.Model != "" || s.RemoteEmbedder() != "") && s.APIKey == "" && s.BaseURL == "":
		return errors.New("model and embedding-model need a key in OPENAI_API_KEY, or the base-url of an endpoint that needs none")
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
		return errors.New("base-url must not have a user, password or parameters: put the key into OPENAI_API_KEY")
	}
	return nil
}
