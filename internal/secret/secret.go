// Package secret finds secrets in texts: credentials, private keys, numbers of payment cards,
// national ids and one-time codes.
//
//	ghp_… sk_live_…                           gitleaks.txt, own.txt, rules.go   by the form
//	password: …, ?token=…, "the PIN is …"     label.go, key.go                  by the label
//	https://ann:…@example.com/                place.go                          by the place
//	-----BEGIN PRIVATE KEY-----…              place.go
//	4111 1111 1111 1111                       card.go                           by the check digit
//
// One pass looks at the beginnings of words for keywords: prefixes of tokens, beginnings of
// expressions, labels. Only behind a keyword is more looked at. An expression is compiled when
// its keyword first occurs. Time is linear in the length of the text.
//
// Ids that look similar are not secrets: publishable keys, ids of objects, hashes of commits,
// UUIDs, names of resources. A secret without a form of its own, such as 32 hexadecimal digits,
// is found by its label only.
package secret

import "bytes"

// Mark is what Redact writes for a secret.
const Mark = "[redacted]"

// shortest is the length in bytes of the shortest text that holds a secret: "PIN 1234".
const shortest = 8

// shortestForm is the length in bytes of the shortest secret that is known by its form: the
// number of a card.
const shortestForm = shortestCard

// Within reports whether a text is or holds a secret.
func Within[T string | []byte](text T) bool {
	b := []byte(text)
	if !mayHold(b) {
		return false
	}
	_, _, ok := table().find(b, 0)
	return ok
}

// Redact returns a text with Mark in place of each secret: text itself if it holds none. In
// JSON, what follows stays readable as JSON.
func Redact[T string | []byte](text T) T {
	from, copied, redacted := []byte(text), 0, []byte(nil)
	if !mayHold(from) {
		return text
	}
	for rules := table(); ; {
		start, end, ok := rules.find(from, copied)
		if !ok {
			break
		}
		redacted = append(append(redacted, from[copied:start]...), markOf(from, start)...)
		copied = end
	}
	if copied == 0 {
		return text
	}
	return T(append(redacted, from[copied:]...))
}

// markOf returns the mark for a secret: in quotes if it is a JSON value without quotes.
func markOf(text []byte, start int) string {
	before := bytes.TrimRight(text[max(0, start-8):start], " \t")
	if bytes.HasSuffix(before, []byte(`":`)) {
		return `"` + Mark + `"`
	}
	return Mark
}

// IsAccessKeyID reports whether a text has the form of the id of an access key of AWS. Within
// takes it for a secret; under its own name it is an identifier that tools take.
func IsAccessKeyID(text []byte) bool {
	return len(text) == 20 && (bytes.HasPrefix(text, []byte("AKIA")) || bytes.HasPrefix(text, []byte("ASIA")))
}

// mayHold rejects most short texts at a glance.
func mayHold(text []byte) bool {
	return len(text) >= shortest && (HasLongWord(text) || hasSpaceOrSign(text))
}

// HasLongWord reports whether a text has a word as long as a secret that is known by its form.
// It reads few bytes of most texts.
func HasLongWord(text []byte) bool {
	for at := shortestForm - 1; at < len(text); at += shortestForm {
		start, end := at, at
		for start >= 0 && at-start < shortestForm && isInWord(text, start) {
			start--
		}
		for end < len(text) && end-start <= shortestForm && isInWord(text, end) {
			end++
		}
		if end-start > shortestForm {
			return true
		}
	}
	return false
}

// isInWord reports whether a byte is none of white space. A space between digits is in the
// number of a card.
func isInWord(text []byte, i int) bool {
	return text[i] > ' ' || i > 0 && i+1 < len(text) && kinds[text[i-1]] == digit && kinds[text[i+1]] == digit
}

// hasSpaceOrSign reports whether a text can have a label and a value.
func hasSpaceOrSign(text []byte) bool {
	for _, c := range text {
		if c <= ' ' || ':' <= c && c <= '>' {
			return true
		}
	}
	return false
}
