package eino

import (
	"context"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// BeforeModelRewriteState records the calls in the agent's messages that are new, and puts the
// current block into them. It implements adk.ChatModelAgentMiddleware.
func (w *WorkingMemory) BeforeModelRewriteState(ctx context.Context, state *adk.ChatModelAgentState, _ *adk.ModelContext) (context.Context, *adk.ChatModelAgentState, error) {
	return ctx, withMessages(state, w.ModifyMessages(ctx, state.Messages)), nil
}

// AfterModelRewriteState removes the block from the agent's messages, so that checkpoints and
// other middleware, such as one that summarizes, do not have it. It implements
// adk.ChatModelAgentMiddleware.
func (w *WorkingMemory) AfterModelRewriteState(ctx context.Context, state *adk.ChatModelAgentState, _ *adk.ModelContext) (context.Context, *adk.ChatModelAgentState, error) {
	if w.recorder(ctx) == nil {
		return ctx, state, nil
	}
	return ctx, withMessages(state, withoutBlocks(state.Messages)), nil
}

// withMessages returns a copy of a state with other messages.
func withMessages(state *adk.ChatModelAgentState, messages []*schema.Message) *adk.ChatModelAgentState {
	next := *state
	next.Messages = messages
	return &next
}

// toolCall returns a call to be recorded.
func toolCall(t *adk.ToolContext, arguments string) middleware.ToolCall {
	return middleware.ToolCall{ID: t.CallID, Name: t.Name, Arguments: arguments}
}

// WrapInvokableToolCall returns an endpoint that records the call. It implements
// adk.ChatModelAgentMiddleware.
func (w *WorkingMemory) WrapInvokableToolCall(_ context.Context, next adk.InvokableToolCallEndpoint, t *adk.ToolContext) (adk.InvokableToolCallEndpoint, error) {
	return func(ctx context.Context, arguments string, opts ...tool.Option) (string, error) {
		return invoke(ctx, w, toolCall(t, arguments), plain, func(ctx context.Context, arguments string) (string, error) {
			return next(ctx, arguments, opts...)
		})
	}, nil
}

// WrapStreamableToolCall returns an endpoint that records the call before its stream ends. It
// implements adk.ChatModelAgentMiddleware.
func (w *WorkingMemory) WrapStreamableToolCall(_ context.Context, next adk.StreamableToolCallEndpoint, t *adk.ToolContext) (adk.StreamableToolCallEndpoint, error) {
	return func(ctx context.Context, arguments string, opts ...tool.Option) (*schema.StreamReader[string], error) {
		return stream(ctx, w, toolCall(t, arguments), plain, func(ctx context.Context, arguments string) (*schema.StreamReader[string], error) {
			return next(ctx, arguments, opts...)
		})
	}, nil
}

// WrapEnhancedInvokableToolCall returns an endpoint that records the call with the texts of its
// result. It implements adk.ChatModelAgentMiddleware.
func (w *WorkingMemory) WrapEnhancedInvokableToolCall(_ context.Context, next adk.EnhancedInvokableToolCallEndpoint, t *adk.ToolContext) (adk.EnhancedInvokableToolCallEndpoint, error) {
	return func(ctx context.Context, argument *schema.ToolArgument, opts ...tool.Option) (*schema.ToolResult, error) {
		return invoke(ctx, w, toolCall(t, argument.Text), enhanced, func(ctx context.Context, arguments string) (*schema.ToolResult, error) {
			return next(ctx, withText(argument, arguments), opts...)
		})
	}, nil
}

// WrapEnhancedStreamableToolCall returns an endpoint that records the call with the texts of its
// result before its stream ends. It implements adk.ChatModelAgentMiddleware.
func (w *WorkingMemory) WrapEnhancedStreamableToolCall(_ context.Context, next adk.EnhancedStreamableToolCallEndpoint, t *adk.ToolContext) (adk.EnhancedStreamableToolCallEndpoint, error) {
	return func(ctx context.Context, argument *schema.ToolArgument, opts ...tool.Option) (*schema.StreamReader[*schema.ToolResult], error) {
		return stream(ctx, w, toolCall(t, argument.Text), enhanced, func(ctx context.Context, arguments string) (*schema.StreamReader[*schema.ToolResult], error) {
			return next(ctx, withText(argument, arguments), opts...)
		})
	}, nil
}

// withText returns an argument with another text.
func withText(argument *schema.ToolArgument, text string) *schema.ToolArgument {
	changed := *argument
	changed.Text = text
	return &changed
}
