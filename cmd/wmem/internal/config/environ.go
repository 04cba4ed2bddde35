package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// envPrefix begins the names of the variables.
const envPrefix = "WMEM_"

// configEnv names the file if no flag does.
const configEnv = envPrefix + "CONFIG"

// TokenEnv is the variable with the token that a command sends to a server. It is not a setting,
// because a flag or a file would reveal it.
const TokenEnv = envPrefix + "TOKEN"

// Env returns the name of the variable for a flag.
func Env(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// env returns the variables of an option, in order of precedence.
func (o *option) env() []string {
	names := []string{Env(o.name)}
	if o.also != "" {
		names = append(names, o.also)
	}
	return names
}

// environ maps the variables of a process to their values.
type environ map[string]string

func readEnviron(all []string) environ {
	variables := make(environ, len(all))
	for _, text := range all {
		name, value, _ := strings.Cut(text, "=")
		variables[name] = value
	}
	return variables
}

// warnings returns a warning about variables that begin with envPrefix and are not read, which
// are mostly misspelt. They are not an error, because other programs may set them, as Kubernetes
// does for a service named wmem.
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
	return []string{"unknown settings, see --help: " + strings.Join(unread, ", ")}
}
