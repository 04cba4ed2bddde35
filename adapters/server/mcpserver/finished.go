package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// ownTool marks the results of this package's tools. RecordCalls skips them, so that recalled
// entities are not recorded as new ones.
const ownTool = "go-workingmemory.github.io/own"

// maxErrorBytes limits the text of the error of a failed call.
const maxErrorBytes = 1 << 10

// recordable converts a finished call for recording, and reports whether it should be recorded.
func recordable(req mcp.Request, result mcp.Result, err error) (middleware.ToolCall, bool) {
	call, ok := callOf(req)
	if !ok {
		return call, false
	}
	if err != nil {
		call.Err = err
		return call, true
	}
	r, ok := result.(*mcp.CallToolResult)
	if !ok || r == nil || r.NeedsInput() || r.InputRequests != nil || r.Meta[ownTool] == true {
		return call, false
	}
	if r.IsError {
		call.Err = failure(r)
		return call, true
	}
	call.Result = resultOf(r)
	return call, true
}

// callOf returns the tool and arguments of a request, in a server or a client.
func callOf(req mcp.Request) (middleware.ToolCall, bool) {
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		if p != nil {
			return middleware.ToolCall{Name: p.Name, Arguments: p.Arguments}, true
		}
	case *mcp.CallToolParams:
		if p != nil {
			return middleware.ToolCall{Name: p.Name, Arguments: p.Arguments}, true
		}
	}
	return middleware.ToolCall{}, false
}

// failure returns the error of a failed call.
func failure(r *mcp.CallToolResult) error {
	if err := r.GetError(); err != nil {
		return err
	}
	text := strings.Join(texts(r.Content), "\n")
	if len(text) > maxErrorBytes {
		text = text[:maxErrorBytes]
		for !utf8.ValidString(text) && len(text) > maxErrorBytes-utf8.UTFMax {
			text = text[:len(text)-1]
		}
	}
	if text == "" {
		text = "tool failed"
	}
	return errors.New(text)
}

// resultOf returns the result to record. A client decodes the numbers of structured content as
// floating point; where they may have lost digits, a text with the same JSON takes precedence.
func resultOf(r *mcp.CallToolResult) any {
	said := texts(r.Content)
	if r.StructuredContent != nil {
		if len(said) == 1 && rounded(r.StructuredContent, 0) && sameJSON(said[0], r.StructuredContent) {
			return said[0]
		}
		return r.StructuredContent
	}
	switch len(said) {
	case 0:
		return nil
	case 1:
		return said[0]
	}
	return said
}

// texts returns the texts of contents, including those of embedded resources.
func texts(contents []mcp.Content) []string {
	var all []string
	for _, c := range contents {
		switch c := c.(type) {
		case *mcp.TextContent:
			if c != nil {
				all = append(all, c.Text)
			}
		case *mcp.EmbeddedResource:
			if c != nil && c.Resource != nil && c.Resource.Text != "" {
				all = append(all, c.Resource.Text)
			}
		}
	}
	return all
}

// maxExact is the smallest integer from which not every integer is exact in floating point.
const maxExact = 1 << 53

// maxDepth is the depth that encoding/json reads. Only a cyclic value is deeper.
const maxDepth = 10_000

// rounded reports whether a value contains numbers that may have lost digits.
func rounded(value any, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch v := value.(type) {
	case float64:
		return v >= maxExact || v <= -maxExact
	case []any:
		for _, e := range v {
			if rounded(e, depth+1) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if rounded(e, depth+1) {
				return true
			}
		}
	}
	return false
}

// sameJSON reports whether text is the JSON encoding of value.
func sameJSON(text string, value any) bool {
	var other any
	if json.Unmarshal([]byte(text), &other) != nil {
		return false
	}
	a, errA := json.Marshal(value)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
