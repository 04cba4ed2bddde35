// Package secret knows secrets by their form: keys and tokens of well-known kinds, and
// addresses with a password in them.
package secret

import (
	"bytes"
	"strings"
	"unicode"
)

// HasShape reports whether s has the form of a well-known kind of secret:
// JSON Web Tokens, PEM keys, access tokens with their issuers' prefixes.
func HasShape(s []byte) bool {
	if len(s) < 16 {
		return false
	}
	if bytes.HasPrefix(s, []byte("eyJ")) && bytes.Count(s, []byte(".")) == 2 {
		return true
	}
	for _, prefix := range prefixes[s[0]] {
		if bytes.HasPrefix(s, []byte(prefix)) {
			return true
		}
	}
	switch s[0] {
	case 'A':
		return isAccessKeyID(s)
	case 'E':
		return bytes.HasPrefix(s, []byte("EAAC")) && run(s, isAlphanumeric) >= minGraphToken
	}
	return false
}

// accessKeyID is how long the ids of AWS's access keys are: AKIA, or ASIA where they are
// temporary, and 16 capitals and digits. Names and ids of others begin so, too.
const accessKeyID = 20

func isAccessKeyID(s []byte) bool {
	return (bytes.HasPrefix(s, []byte("AKIA")) || bytes.HasPrefix(s, []byte("ASIA"))) &&
		run(s, isCapitalOrDigit) == accessKeyID && run(s, isAlphanumeric) == accessKeyID
}

// minGraphToken is how long access tokens of Facebook's Graph API are at least, which
// begin with EAAC: as a random id does once in a while.
const minGraphToken = 100

// run returns how many bytes s begins with that are of a kind.
func run(s []byte, isOf func(c byte) bool) int {
	for i, c := range s {
		if !isOf(c) {
			return i
		}
	}
	return len(s)
}

func isCapitalOrDigit(c byte) bool { return 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' }

func isAlphanumeric(c byte) bool { return isCapitalOrDigit(c) || 'a' <= c && c <= 'z' }

// Within reports whether a text is, or holds as a word, something of the form
// of a secret, or an address with a password in it.
func Within(text []byte) bool {
	if len(text) < 12 {
		return false
	}
	if HasShape(text) || HasPassword(text) {
		return true
	}
	for rest := text; ; {
		i := bytes.IndexByte(rest, ' ')
		if i < 0 {
			return len(rest) < len(text) && HasShape(rest)
		}
		word := rest[:i]
		if HasShape(word) || bytes.HasSuffix(word, []byte("Bearer")) {
			return true
		}
		rest = rest[i+1:]
	}
}

// InProse reports whether one of the words of a text is a secret by its form: with a
// digit in it, which names that begin like one seldom have.
func InProse(text string) bool {
	if strings.Contains(text, "-----BEGIN ") {
		return true
	}
	for word := range strings.FieldsFuncSeq(text, endsWord) {
		plain := []byte(strings.TrimRight(word, ".:!?"))
		if HasPassword(plain) || HasShape(plain) && bytes.ContainsAny(plain, "0123456789") {
			return true
		}
	}
	return false
}

func endsWord(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;=()<>[]{}*", r) }

// HasPassword reports whether a text is an address such as postgres://bob:pw@host/db.
func HasPassword(text []byte) bool {
	if bytes.IndexByte(text, ':') < 0 {
		return false
	}
	_, rest, ok := bytes.Cut(text, []byte("://"))
	if !ok {
		return false
	}
	user, _, ok := bytes.Cut(rest, []byte("@"))
	return ok && bytes.IndexByte(user, ':') > 0 && !bytes.ContainsAny(user, "/ ")
}

// prefixes are what secrets of well-known kinds begin with, by their first byte.
var prefixes = [256][]string{
	'-': {"-----BEGIN"}, 's': {"sk-", "sk_live_", "sk_test_", "shpat_", "shpss_"}, 'r': {"rk_live_", "rk_test_"}, 'w': {"whsec_"},
	'g': {"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"}, 'x': {"xoxb-", "xoxp-", "xoxa-", "xoxs-", "xapp-"},
	'A': {"AIza"}, 'y': {"ya29."}, 'n': {"npm_"}, 'p': {"pypi-"}, 'd': {"dop_v1_"},
	'S': {"SG."}, 'h': {"hf_"}, 'B': {"Bearer ", "Basic "},
}
