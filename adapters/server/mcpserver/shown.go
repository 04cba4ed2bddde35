package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// withArguments returns a request with the arguments for the tool, in which ids are in place of
// handles. The given request is not modified. After an error, which is for the model, the tool
// must not be called.
func withArguments(running *middleware.RunningCall, req mcp.Request) (mcp.Request, error) {
	arguments, err := running.Arguments()
	if err != nil {
		return nil, err
	}
	switch r := req.(type) {
	case *mcp.CallToolRequest:
		if raw, ok := arguments.(json.RawMessage); ok {
			params, decoded := *r.Params, *r
			params.Arguments, decoded.Params = raw, &params
			return &decoded, nil
		}
	case *mcp.ClientRequest[mcp.Params]: // the SDK's client makes it
		if asked, ok := r.Params.(*mcp.CallToolParams); ok {
			params, decoded := *asked, *r
			params.Arguments, decoded.Params = arguments, &params
			return &decoded, nil
		}
	case *mcp.ClientRequest[*mcp.CallToolParams]:
		params, decoded := *r.Params, *r
		params.Arguments, decoded.Params = arguments, &params
		return &decoded, nil
	}
	return req, nil
}

// refused returns the result of a call that was not made.
func refused(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
}

// asShown returns a copy of the result of a call as the model is to see it: with handles in place
// of ids, or, if it is stored, with one text in place of its texts and its structured content.
// Meta and contents of other kinds stay.
func asShown(running *middleware.RunningCall, result mcp.Result) mcp.Result {
	r, ok := result.(*mcp.CallToolResult)
	if !ok || r == nil || r.NeedsInput() || r.InputRequests != nil {
		return result
	}
	shown := *r
	shown.Content = make([]mcp.Content, 0, len(r.Content)+1)
	stub, stored := running.Stub()
	if stored {
		shown.Content = append(shown.Content, &mcp.TextContent{Text: stub})
		shown.StructuredContent = nil
	} else if r.StructuredContent != nil {
		shown.StructuredContent = running.Shown(r.StructuredContent)
	}
	for _, c := range r.Content {
		if with, isText := withText(c, func(text string) string { return running.Shown(text).(string) }); !isText {
			shown.Content = append(shown.Content, c)
		} else if !stored {
			shown.Content = append(shown.Content, with)
		}
	}
	return &shown
}

// withText returns a copy of a text, or of an embedded resource that is a text, with another text.
// For other contents isText is false.
func withText(c mcp.Content, replace func(string) string) (with mcp.Content, isText bool) {
	switch c := c.(type) {
	case *mcp.TextContent:
		if c != nil {
			text := *c
			text.Text = replace(c.Text)
			return &text, true
		}
	case *mcp.EmbeddedResource:
		if c != nil && c.Resource != nil && c.Resource.Text != "" {
			embedded, resource := *c, *c.Resource
			resource.Text, embedded.Resource = replace(resource.Text), &resource
			return &embedded, true
		}
	}
	return nil, false
}
