package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// ownTool marks the results of this package's tools. RecordCalls skips them, so that recalled
// entities are not recorded as new ones.
const ownTool = wire.OwnResult

// finish ends a call with its outcome, unless there is nothing to record.
func finish(ctx context.Context, running *middleware.RunningCall, result mcp.Result, err error) error {
	if err != nil {
		return running.FinishContext(ctx, nil, err)
	}
	r, ok := result.(*mcp.CallToolResult)
	switch {
	case !ok || r == nil || r.Meta[ownTool] == true:
		return nil
	case r.NeedsInput() || r.InputRequests != nil:
		return running.FinishContext(ctx, nil, middleware.ErrSuspended)
	case r.IsError:
		return running.FinishContext(ctx, nil, failure(r))
	}
	return running.FinishContext(ctx, middleware.ResultOf(r.StructuredContent, texts(r.Content)...), nil)
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
	return middleware.FailureOf(texts(r.Content)...)
}

// texts returns the texts of contents, for middleware.ResultOf.
func texts(contents []mcp.Content) (all []string) {
	for _, c := range contents {
		if text, ok := c.(*mcp.TextContent); ok && text != nil {
			all = append(all, text.Text)
		} else if part, err := json.Marshal(c); err == nil {
			all = append(all, middleware.PartTexts(part)...)
		}
	}
	return all
}
