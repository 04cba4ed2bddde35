package backend

import (
	"net/url"
	"slices"
	"strings"
)

// openError is an error of a place, without its secrets.
type openError struct {
	place Place
	err   error
}

func (e *openError) Error() string {
	return e.place.String() + ": " + oneLine(e.place.redact(e.err.Error()))
}

// Unwrap returns the original error.
func (e *openError) Unwrap() error { return e.err }

// oneLine joins the lines of a driver's error. pgx writes a line for each address that it tried,
// and repeats them if it tried with and without TLS.
func oneLine(words string) string {
	var lines []string
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) < 2 {
		return strings.Join(lines, "")
	}
	return lines[0] + " " + strings.Join(lines[1:], "; ")
}

// unreadable replaces a text that quotes a URL.
const unreadable = "the URL cannot be parsed"

// redact removes the secrets of the place from the text of a driver's error. Drivers quote URLs
// that they cannot parse, and not all of them leave out the password.
func (p Place) redact(words string) string {
	if strings.Contains(words, "://") {
		// pgx: cannot parse `postgres://…`: reason
		end := strings.LastIndex(words, "`: ")
		if end < 0 || strings.Contains(words[end:], "://") {
			return unreadable
		}
		words = unreadable + ": " + words[end+len("`: "):]
	}
	for _, secret := range p.secrets() {
		words = strings.ReplaceAll(words, secret, "xxxxx")
	}
	return words
}

// secrets returns the passwords in the URL of a place, escaped and unescaped, longest first.
func (p Place) secrets() []string {
	if p.kind != redis && p.kind != postgres {
		return nil
	}
	var found []string
	add := func(raw string, meant func(string) (string, error)) {
		found = append(found, raw)
		if text, err := meant(raw); err == nil {
			found = append(found, text)
		}
	}
	_, rest, _ := strings.Cut(p.text, "://")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		if _, password, ok := strings.Cut(rest[:at], ":"); ok {
			add(password, url.PathUnescape)
		}
	}
	_, query, _ := strings.Cut(rest, "?")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if strings.Contains(strings.ToLower(name), "pass") {
			add(value, url.QueryUnescape)
		}
	}
	found = slices.DeleteFunc(found, func(s string) bool { return s == "" })
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	return found
}
