package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// withEmptyTexts is a middleware that sends the empty text of a resource. The SDK leaves it out,
// and official clients refuse contents without a text.
func withEmptyTexts(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if read, ok := result.(*mcp.ReadResourceResult); ok && err == nil && isEmptyText(read) {
			return emptyText{read}, nil
		}
		return result, err
	}
}

// isEmptyText reports whether a resource is one empty text.
func isEmptyText(read *mcp.ReadResourceResult) bool {
	return read != nil && len(read.Contents) == 1 && read.Contents[0].Text == "" && read.Contents[0].Blob == nil
}

// emptyText is the result of reading a resource that is one empty text.
type emptyText struct{ *mcp.ReadResourceResult }

// MarshalJSON implements json.Marshaler.
func (e emptyText) MarshalJSON() ([]byte, error) {
	encoded, err := e.ReadResourceResult.MarshalJSON()
	if err != nil {
		return nil, err
	}
	members := map[string]any{}
	if err := json.Unmarshal(encoded, &members); err != nil {
		return nil, err
	}
	for _, contents := range members["contents"].([]any) {
		contents.(map[string]any)["text"] = ""
	}
	return json.Marshal(members)
}
