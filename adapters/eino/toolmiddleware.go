package eino

import (
	"context"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// ToolMiddleware returns a middleware that records the calls of a compose.ToolsNode, for its
// compose.ToolsNodeConfig.ToolCallMiddlewares: in a react.Agent, in a graph, or in an agent whose
// configuration has no handlers.
func (w *WorkingMemory) ToolMiddleware() compose.ToolMiddleware {
	return compose.ToolMiddleware{
		Invokable:          w.wrapInvokable,
		Streamable:         w.wrapStreamable,
		EnhancedInvokable:  w.wrapEnhancedInvokable,
		EnhancedStreamable: w.wrapEnhancedStreamable,
	}
}

// inputCall returns a call to be recorded.
func inputCall(in *compose.ToolInput) middleware.ToolCall {
	return middleware.ToolCall{ID: in.CallID, Name: in.Name, Arguments: in.Arguments}
}

func (w *WorkingMemory) wrapInvokable(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
	return func(ctx context.Context, in *compose.ToolInput) (*compose.ToolOutput, error) {
		return invoke(ctx, w, inputCall(in), func(ctx context.Context) (*compose.ToolOutput, error) {
			return next(ctx, in)
		}, func(out *compose.ToolOutput) []string { return []string{out.Result} })
	}
}

func (w *WorkingMemory) wrapStreamable(next compose.StreamableToolEndpoint) compose.StreamableToolEndpoint {
	return func(ctx context.Context, in *compose.ToolInput) (*compose.StreamToolOutput, error) {
		var out compose.StreamToolOutput
		parts, err := stream(ctx, w, inputCall(in), func(ctx context.Context) (*schema.StreamReader[string], error) {
			o, err := next(ctx, in)
			if err != nil {
				return nil, err
			}
			out = *o
			return o.Result, nil
		}, appendText)
		if err != nil {
			return nil, err
		}
		out.Result = parts
		return &out, nil
	}
}

func (w *WorkingMemory) wrapEnhancedInvokable(next compose.EnhancedInvokableToolEndpoint) compose.EnhancedInvokableToolEndpoint {
	return func(ctx context.Context, in *compose.ToolInput) (*compose.EnhancedInvokableToolOutput, error) {
		return invoke(ctx, w, inputCall(in), func(ctx context.Context) (*compose.EnhancedInvokableToolOutput, error) {
			return next(ctx, in)
		}, func(out *compose.EnhancedInvokableToolOutput) []string { return partsOf(out.Result) })
	}
}

func (w *WorkingMemory) wrapEnhancedStreamable(next compose.EnhancedStreamableToolEndpoint) compose.EnhancedStreamableToolEndpoint {
	return func(ctx context.Context, in *compose.ToolInput) (*compose.EnhancedStreamableToolOutput, error) {
		var out compose.EnhancedStreamableToolOutput
		parts, err := stream(ctx, w, inputCall(in), func(ctx context.Context) (*schema.StreamReader[*schema.ToolResult], error) {
			o, err := next(ctx, in)
			if err != nil {
				return nil, err
			}
			out = *o
			return o.Result, nil
		}, appendParts())
		if err != nil {
			return nil, err
		}
		out.Result = parts
		return &out, nil
	}
}
