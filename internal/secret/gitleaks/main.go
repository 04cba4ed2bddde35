// Gitleaks writes the rules of gitleaks in the form that package secret reads:
//
//	go run . > ../gitleaks.txt
//
// It is a module of its own because gitleaks has many dependencies. A rule of gitleaks finds
// a secret in source code, at some expense; a rule of package secret finds it in any text,
// by what it begins with. See condense.go for what is kept.
package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gitleaks:", err)
		os.Exit(1)
	}
}

//go:embed header.txt
var header string

// configured is what is read of a rule of gitleaks.
type configured struct {
	ID    string
	Regex string
	Path  string
}

// write writes a header with the licence, then the prefixes and the expressions.
func write(w io.Writer) error {
	var file struct{ Rules []configured }
	if err := toml.Unmarshal([]byte(config.DefaultConfig), &file); err != nil {
		return err
	}
	var prefixes, expressions []string
	for _, r := range file.Rules {
		if !isUseful(&r) {
			continue
		}
		c, err := condense(r.Regex)
		if err != nil {
			return fmt.Errorf("rule %s: %w", r.ID, err)
		}
		prefixes, expressions = append(prefixes, c.prefixes...), append(expressions, c.expressions...)
	}
	prefixes = withoutLonger(prefixes)
	slices.Sort(expressions)
	lines := append(prefixes, slices.Compact(expressions)...)
	_, err := io.WriteString(w, header+strings.Join(lines, "\n")+"\n")
	return err
}

// withoutLonger sorts prefixes and drops those that begin with another one.
func withoutLonger(prefixes []string) []string {
	slices.Sort(prefixes)
	var kept []string
	for _, p := range prefixes {
		if n := len(kept); n == 0 || !strings.HasPrefix(p, kept[n-1]) {
			kept = append(kept, p)
		}
	}
	return kept
}
