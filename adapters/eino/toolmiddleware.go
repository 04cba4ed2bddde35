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

// withArguments returns an input with other arguments.
func withArguments(in *compose.ToolInput, arguments string) *compose.ToolInput {
	changed := *in
	changed.Arguments = arguments
	return &changed
}

func (w *WorkingMemory) wrapInvokable(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
	return func(ctx context.Context, in *compose.ToolInput) (*compose.ToolOutput, error) {
		var out compose.ToolOutput
		result, err := invoke(ctx, w, inputCall(in), plain, func(ctx context.Context, arguments string) (string, error) {
			o, err := next(ctx, withArguments(in, arguments))
			if err != nil {
				return "", err
			}
			out = *o
			return o.Result, nil
		})
		if err != nil {
			return nil, err
		}
		out.Result = result
		return &out, nil
	}
}

func (w *WorkingMemory) wrapStreamable(next compose.StreamableToolEndpoint) compose.StreamableToolEndpoint {
	return func(ctx context.Context, in *compose.ToolInput) (*compose.StreamToolOutput, error) {
		var out compose.StreamToolOutput
		parts, err := stream(ctx, w, inputCall(in), plain, func(ctx context.Context, arguments string) (*schema.StreamReader[string], error) {
			o, err := next(ctx, withArguments(in, arguments))
			if err != nil {
				return nil, err
			}
			out = *o
			return o.Result, nil
		})
		if err != nil {
			return nil, err
		}
		out.Result = parts
		return &out, nil
	}
}

func (w *WorkingMemory) wrapEnhancedInvokable(next compose.EnhancedInvokableToolEndpoint) compose.EnhancedInvokableToolEndpoint {
	return func(ctx context.Context, in *compose.ToolInput) (*compose.EnhancedInvokableToolOutput, error) {
		var out compose.EnhancedInvokableToolOutput
		result, err := invoke(ctx, w, inputCall(in), enhanced, func(ctx context.Context, arguments string) (*schema.ToolResult, error) {
			o, err := next(ctx, withArguments(in, arguments))
			if err != nil {
				return nil, err
			}
			out = *o
			return o.Result, nil
		})
		if err != nil {
			return nil, err
		}
		out.Result = result
		return &out, nil
	}
}

func (w *WorkingMemory) wrapEnhancedStreamable(next compose.EnhancedStreamableToolEndpoint) compose.EnhancedStreamableToolEndpoint {
	return func(ctx context.Context, in *compose.ToolInput) (*compose.EnhancedStreamableToolOutput, error) {
		var out compose.EnhancedStreamableToolOutput
		parts, err := stream(ctx, w, inputCall(in), enhanced, func(ctx context.Context, arguments string) (*schema.StreamReader[*schema.ToolResult], error) {
			o, err := next(ctx, withArguments(in, arguments))
			if err != nil {
				return nil, err
			}
			out = *o
			return o.Result, nil
		})
		if err != nil {
			return nil, err
		}
		out.Result = parts
		return &out, nil
	}
}
