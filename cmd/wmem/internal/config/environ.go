package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// envPrefix begins the variables that are ours.
const envPrefix = "WMEM_"

// configEnv names the file where no flag does.
const configEnv = envPrefix + "CONFIG"

// TokenEnv is the variable with the token that a command shows to a server. It is no setting:
// a flag or a file would show it to others.
const TokenEnv = envPrefix + "TOKEN"

// Env is the name of the variable that sets what a flag sets.
func Env(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// env are the variables of an option, the one that comes first first.
func (o *option) env() []string {
	names := []string{Env(o.name)}
	if o.also != "" {
		names = append(names, o.also)
	}
	return names
}

// environ has the variables of a process by their names.
type environ map[string]string

func readEnviron(all []string) environ {
	variables := make(environ, len(all))
	for _, text := range all {
		name, value, _ := strings.Cut(text, "=")
		variables[name] = value
	}
	return variables
}

// warnings tell of variables that begin as ours do and that nobody reads: mostly misspelt.
// Other programs may set some, as Kubernetes does for a service named wmem: that is no error.
func (e environ) warnings(known []option) []string {
	read := []string{configEnv, TokenEnv}
	for i := range known {
		read = append(read, known[i].env()...)
	}
	var unread []string
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if strings.HasPrefix(name, envPrefix) && !slices.Contains(read, name) {
			unread = append(unread, strings.Trim(strconv.Quote(name), `"`))
		}
	}
	if len(unread) == 0 {
		return nil
	}
	return []string{"there are no such settings, see --help: " + strings.Join(unread, ", ")}
}
