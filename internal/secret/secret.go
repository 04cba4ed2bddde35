// Package secret recognizes secrets by their form: keys and tokens of well-known
// kinds, and addresses with a password.
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
		if rest, ok := bytes.CutPrefix(s, []byte(prefix)); ok {
			return prefix[1:3] != "k_" || run(rest, isAlphanumeric) >= minPaymentKey
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

// minPaymentKey is the minimum length of what follows sk_live_ in a key. The words of a
// name, as in rk_live_billing_sync, are shorter.
const minPaymentKey = 10

// accessKeyID is the length of AWS access key ids: AKIA, or ASIA for temporary ones,
// and 16 capitals and digits. Other names and ids may begin likewise.
const accessKeyID = 20

func isAccessKeyID(s []byte) bool {
	return (bytes.HasPrefix(s, []byte("AKIA")) || bytes.HasPrefix(s, []byte("ASIA"))) &&
		run(s, isCapitalOrDigit) == accessKeyID && run(s, isAlphanumeric) == accessKeyID
}

// minGraphToken is the minimum length of access tokens of Facebook's Graph API. They
// begin with EAAC, as a random id does now and then.
const minGraphToken = 100

// run returns the length of the prefix of s whose bytes satisfy isOf.
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

// Within reports whether a text is or contains, as a word, a secret by its form, or
// an address with a password.
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

// InProse reports whether a word of a text is a secret by its form and has a digit,
// which names with a secret's prefix seldom have.
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

// HasPassword reports whether a text is an address with a password, such as
// postgres://bob:pw@host/db.
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

// prefixes are the prefixes of well-known kinds of secrets, by first byte.
var prefixes = [256][]string{
	'-': {"-----BEGIN"}, 's': {"sk-", "sk_live_", "sk_test_", "shpat_", "shpss_"}, 'r': {"rk_live_", "rk_test_"}, 'w': {"whsec_"},
	'g': {"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"}, 'x': {"xoxb-", "xoxp-", "xoxa-", "xoxs-", "xapp-"},
	'A': {"AIza"}, 'y': {"ya29."}, 'n': {"npm_"}, 'p': {"pypi-"}, 'd': {"dop_v1_"},
	'S': {"SG."}, 'h': {"hf_"}, 'B': {"Bearer ", "Basic "},
}
