package middleware

import (
	"bytes"
	"encoding/json"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// withoutBlocks removes blocks from a result, so that remembered entities are not
// extracted as if they were new.
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
