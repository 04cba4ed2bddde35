package prompt

import (
	"encoding/json"
	"strings"
)

// RemoveEcho is Remove for tool results: if a text is JSON, it also removes blocks from
// its strings, and from JSON within these. Everything else is unchanged, byte for byte.
func RemoveEcho(text string) string {
	text = Remove(text)
	if !strings.Contains(text, Title) || !json.Valid([]byte(text)) {
		return text
	}
	var b strings.Builder
	for {
		start, end, ok := findString(text)
		if !ok {
			break
		}
		b.WriteString(text[:start])
		b.WriteString(withoutEcho(text[start:end]))
		text = text[end:]
	}
	b.WriteString(text)
	return b.String()
}

// findString returns the position of the first string in valid JSON.
func findString(text string) (start, end int, ok bool) {
	if start = strings.IndexByte(text, '"'); start < 0 {
		return 0, 0, false
	}
	for end = start + 1; end < len(text); end++ {
		switch text[end] {
		case '\\':
			end++
		case '"':
			return start, end + 1, true
		}
	}
	return 0, 0, false
}

// withoutEcho returns a JSON string without the blocks in it.
func withoutEcho(quoted string) string {
	var text string
	if !strings.Contains(quoted, Title) || json.Unmarshal([]byte(quoted), &text) != nil {
		return quoted
	}
	rest := RemoveEcho(text)
	if rest == text {
		return quoted
	}
	encoded, _ := json.Marshal(rest) // a string always marshals
	return string(encoded)
}
