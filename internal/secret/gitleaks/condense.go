package main

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// ownForms are the rules for which package secret has code of its own: they need what is
// around a value.
var ownForms = []string{"curl-auth-header", "curl-auth-user", "generic-api-key", "jwt", "kubernetes-secret-yaml",
	"microsoft-teams-webhook", "private-key", "sidekiq-sensitive-url"}

// isUseful reports whether a rule finds secrets in any text, by their form. Names of files
// do not matter here, and ids of clients and keys for the public are no secrets.
func isUseful(r *configured) bool {
	return r.Path == "" && r.Regex != "" && !slices.Contains(ownForms, r.ID) &&
		!strings.HasSuffix(r.ID, "-client-id") && !strings.HasSuffix(r.ID, "-access-id") &&
		!strings.Contains(r.ID, "-pub-") && !strings.Contains(r.ID, "-public-")
}

// condensed is what is kept of an expression.
type condensed struct {
	// prefixes are what secrets alone begin with.
	prefixes []string
	// expressions have the form "keywords, tab, bytes before the keyword, tab, expression".
	expressions []string
}

// condense reduces an expression to the form of the secret. What gitleaks wants around it
// (quotes, an assignment, the name of the vendor) is dropped. A secret that begins with a
// distinctive prefix is known by that alone; another one keeps its expression. Where only the
// name of the vendor tells it from other ids, nothing is kept: in data, the name of the field
// decides.
func condense(expression string) (c condensed, err error) {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return c, err
	}
	for _, re := range alternatives(re) {
		secret, named := secretOf(re)
		for _, form := range alternatives(secret) {
			heads, _ := headsOf(form)
			if !named && !slices.ContainsFunc(heads, isWeak) {
				c.prefixes = append(c.prefixes, heads...)
			} else if keywords, back := keywordsOf(form, heads, named); keywords != nil {
				c.expressions = append(c.expressions, line(keywords, back, form))
			}
		}
	}
	return c, nil
}

// keywordsOf returns what all matches of an expression begin with or, if that varies, have in
// the middle, behind back bytes. Where a name was to be before the secret, they must
// be distinctive by themselves: no live_.
func keywordsOf(form *syntax.Regexp, heads []string, named bool) (keywords []string, back int) {
	isKeyword := func(s string) bool {
		if named && (len(s) < 4 || strings.HasSuffix(s, "_")) {
			return false
		}
		return len(strings.TrimRight(s, ".")) > 1 && s[0] != '"'
	}
	if !slices.ContainsFunc(heads, func(head string) bool { return !isKeyword(head) }) {
		return heads, 0
	}
	if keyword, back := middle(form); isKeyword(keyword) {
		return []string{keyword}, back
	}
	return nil, 0
}

func line(keywords []string, back int, form *syntax.Regexp) string {
	for i, k := range keywords {
		keywords[i] = strings.ToLower(k)
	}
	slices.Sort(keywords)
	expression := strings.NewReplacer("ſ", "", "\u212a", "").Replace(form.String()) // s and k fold to them
	return fmt.Sprintf("%s\t%d\t%s", strings.Join(slices.Compact(keywords), ","), back, expression)
}

// isWeak reports whether other words and ids begin with a prefix too. A strong one ends in a
// separator or mixes capitals and small letters.
func isWeak(prefix string) bool {
	letters := strings.Trim(prefix, "_-")
	switch {
	case len(prefix) < 4 || strings.ContainsAny(prefix, ".~:/ "):
		return true
	case strings.HasSuffix(prefix, "_"), strings.HasSuffix(prefix, "-") && len(prefix) > 4:
		return false
	}
	return strings.ToLower(letters) == letters || strings.ToUpper(letters) == letters
}

// secretOf returns the part of an expression that matches the secret, and whether the
// expression wants a name before it.
func secretOf(re *syntax.Regexp) (form *syntax.Regexp, named bool) {
	if re.Op != syntax.OpConcat {
		return re, false
	}
	for _, sub := range slices.Backward(re.Sub) {
		if sub.Op == syntax.OpCapture && (isNamed(re) || isWrapped(re)) {
			return sub.Sub[0], isNamed(re)
		}
	}
	return re, isNamed(re)
}

// isNamed reports whether an expression begins as those do that want a name: [\w.-]{0,50}?
func isNamed(re *syntax.Regexp) bool {
	return re.Op == syntax.OpConcat && re.Sub[0].Op == syntax.OpRepeat && re.Sub[0].Max == 50
}

// isWrapped reports whether an expression is a group between boundaries.
func isWrapped(re *syntax.Regexp) bool {
	return re.Op == syntax.OpConcat && slices.ContainsFunc(re.Sub[:2], func(sub *syntax.Regexp) bool { return sub.Op == syntax.OpCapture })
}

// alternatives returns the forms of an alternation, or the form itself.
func alternatives(form *syntax.Regexp) []*syntax.Regexp {
	for form.Op == syntax.OpCapture || form.Op == syntax.OpConcat && len(form.Sub) > 1 && form.Sub[0].Op == syntax.OpWordBoundary {
		if form.Op == syntax.OpCapture {
			form = form.Sub[0]
			continue
		}
		rest := *form
		rest.Sub = form.Sub[1:]
		if rest.Sub[len(rest.Sub)-1].Op == syntax.OpWordBoundary {
			rest.Sub = rest.Sub[:len(rest.Sub)-1]
		}
		if form = &rest; len(rest.Sub) == 1 {
			form = rest.Sub[0]
		}
	}
	if form.Op == syntax.OpAlternate {
		return form.Sub
	}
	return []*syntax.Regexp{form}
}

// headsOf returns what the matches of an expression begin with, and whether these are whole
// matches.
func headsOf(re *syntax.Regexp) (heads []string, whole bool) {
	const most = 16
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.ToLower(text)
		}
		return []string{text}, true
	case syntax.OpCharClass:
		return runesOf(re)
	case syntax.OpCapture:
		return headsOf(re.Sub[0])
	case syntax.OpEmptyMatch, syntax.OpWordBoundary:
		return []string{""}, true
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			more, ended := headsOf(sub)
			heads, whole = append(heads, more...), whole && ended
		}
		return heads, whole
	case syntax.OpConcat:
		heads, whole = []string{""}, true
		for _, sub := range re.Sub {
			more, ended := headsOf(sub)
			if len(heads)*len(more) > most {
				return heads, false
			}
			heads = product(heads, more)
			if !ended {
				return heads, false
			}
		}
		return heads, true
	}
	return []string{""}, false
}

// runesOf returns the characters of a small class.
func runesOf(class *syntax.Regexp) (heads []string, whole bool) {
	const most = 4
	for i := 0; i < len(class.Rune); i += 2 {
		for r := class.Rune[i]; r <= class.Rune[i+1]; r++ {
			if heads = append(heads, string(unicode.ToLower(r))); len(heads) > most {
				return []string{""}, false
			}
			if class.Flags&syntax.FoldCase == 0 {
				heads[len(heads)-1] = string(r)
			}
		}
	}
	return heads, true
}

func product(heads, more []string) (all []string) {
	for _, a := range heads {
		for _, b := range more {
			all = append(all, a+b)
		}
	}
	return all
}

// middle returns a literal inside of an expression, and how many bytes are before it. It is
// empty if that varies.
func middle(re *syntax.Regexp) (keyword string, back int) {
	if re.Op != syntax.OpConcat {
		return "", 0
	}
	for _, sub := range re.Sub {
		if sub.Op == syntax.OpLiteral && len(sub.Rune) > 1 {
			return string(sub.Rune), back
		}
		n, fixed := lengthOf(sub)
		if !fixed {
			return "", 0
		}
		back += n
	}
	return "", 0
}

// lengthOf returns the length in bytes of all matches of a part, if they have one.
func lengthOf(re *syntax.Regexp) (n int, fixed bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune), true
	case syntax.OpCharClass:
		return 1, true
	case syntax.OpRepeat:
		n, fixed := lengthOf(re.Sub[0])
		return n * re.Max, fixed && re.Min == re.Max
	}
	return 0, false
}
