package middleware

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// withoutBlocks takes our own blocks out of a result: what is recalled is never
// extracted again as if it were new.
func withoutBlocks(result any) any {
	switch text := result.(type) {
	case string:
		return removeBlocks(text)
	case []byte:
		return removeFrom(text)
	case json.RawMessage:
		return removeFrom(text)
	}
	return result
}

func removeFrom[T ~[]byte](text T) T {
	if !bytes.Contains(text, []byte(prompt.Title)) {
		return text
	}
	return T(removeBlocks(string(text)))
}

// removeBlocks returns a text without blocks, also where it is JSON that quotes them.
func removeBlocks(text string) string {
	text = prompt.Remove(text)
	if !strings.Contains(text, prompt.Title) || !json.Valid([]byte(text)) {
		return text
	}
	var b strings.Builder
	for {
		start, end, ok := findQuoted(text)
		if !ok {
			break
		}
		b.WriteString(text[:start])
		b.WriteString(requoted(text[start:end]))
		text = text[end:]
	}
	b.WriteString(text)
	return b.String()
}

// findQuoted finds the first string in JSON.
func findQuoted(text string) (start, end int, ok bool) {
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

// requoted returns a JSON string without the blocks in it.
func requoted(quoted string) string {
	var text string
	if !strings.Contains(quoted, prompt.Title) || json.Unmarshal([]byte(quoted), &text) != nil {
		return quoted
	}
	rest := removeBlocks(text)
	if rest == text {
		return quoted
	}
	encoded, _ := json.Marshal(rest) // a string always marshals
	return string(encoded)
}
