package middleware

import (
	"bytes"
	"encoding/json"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// withoutBlocks takes our own blocks out of a result: what is recalled is never
// extracted again as if it were new.
func withoutBlocks(result any) any {
	switch text := result.(type) {
	case string:
		return prompt.RemoveEcho(text)
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
	return T(prompt.RemoveEcho(string(text)))
}
