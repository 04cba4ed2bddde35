package backend

import (
	"net/url"
	"slices"
	"strings"
)

// openError is an error of opening a place, in words that have none of its secrets.
type openError struct {
	place Place
	err   error
}

func (e *openError) Error() string {
	return e.place.String() + ": " + oneLine(e.place.redact(e.err.Error()))
}

// Unwrap is for errors.Is and errors.As.
func (e *openError) Unwrap() error { return e.err }

// oneLine puts lines of a driver into one: pgx has a line for each address that it tried, the
// same ones again where it tried both with TLS and without.
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

// unreadable stands for words that quote a URL.
const unreadable = "the URL cannot be read"

// redact returns words of a driver about a place without its secrets. Drivers quote a URL
// that they cannot read, and not all of them take the password out.
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

// secrets are the texts of a place that nobody should see, as they stand in it and as
// they are meant, longest first.
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
