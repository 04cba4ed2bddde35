package eino

import (
	"context"
	"io"
	"reflect"
	"slices"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// Model wraps a model so that each request shows the current block: see ModifyMessages. It is for
// agents whose configuration has a model but neither handlers nor a message modifier, such as
// those of adk/prebuilt/planexecute, and for graphs. Agents that have them need no wrapped model.
//
// The calls in its answers have ids in place of handles, also without ToolMiddleware. If one has an
// unknown handle, the model is asked again, up to middleware.MaxCorrections times, and then fails
// with a *handle.UnknownError.
func (w *WorkingMemory) Model(m model.ToolCallingChatModel) model.ToolCallingChatModel {
	return &chatModel{ToolCallingChatModel: m, memory: w}
}

type chatModel struct {
	model.ToolCallingChatModel
	memory *WorkingMemory
}

var (
	_ components.Checker = (*chatModel)(nil)
	_ components.Typer   = (*chatModel)(nil)
)

// Generate calls the model with the block.
func (c *chatModel) Generate(ctx context.Context, messages []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	messages = c.memory.ModifyMessages(ctx, messages)
	answer, err := c.ToolCallingChatModel.Generate(ctx, messages, opts...)
	if rec := c.memory.recorder(ctx); err == nil && rec != nil && rec.Handles() != nil {
		answer, _, err = c.decode(ctx, rec, messages, answer, opts)
	}
	return answer, err
}

// Stream calls the model with the block. With handles, the calls in the answer are sent at its end,
// and all else as it comes. If the model is asked again, its second answer follows the first one,
// but for what the model says of itself, such as its reasoning.
func (c *chatModel) Stream(ctx context.Context, messages []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	messages = c.memory.ModifyMessages(ctx, messages)
	chunks, err := c.ToolCallingChatModel.Stream(ctx, messages, opts...)
	rec := c.memory.recorder(ctx)
	if err != nil || rec == nil || rec.Handles() == nil {
		return chunks, err
	}
	var answer []*schema.Message
	held := false // calls, of any chunk
	return schema.StreamReaderWithConvert(chunks, func(chunk *schema.Message) (*schema.Message, error) {
		answer = append(answer, chunk)
		if chunk == nil || len(chunk.ToolCalls) == 0 {
			return chunk, nil
		}
		held = true
		rest := *chunk
		rest.ToolCalls = nil
		return &rest, nil
	}, schema.WithOnEOF(func() (any, error) {
		if !held {
			return nil, io.EOF
		}
		first, err := schema.ConcatMessages(answer)
		if err != nil {
			return nil, err
		}
		last, again, err := c.decode(ctx, rec, messages, first, opts)
		if err != nil {
			return nil, err
		}
		if again {
			return &schema.Message{Role: last.Role, Content: last.Content, AssistantGenMultiContent: last.AssistantGenMultiContent, ToolCalls: last.ToolCalls, ResponseMeta: last.ResponseMeta}, nil
		}
		return &schema.Message{Role: last.Role, ToolCalls: last.ToolCalls}, nil
	})), nil
}

// decode returns an answer with ids in place of handles in its calls, and whether the model had to
// be asked again for it.
func (c *chatModel) decode(ctx context.Context, rec *middleware.Recorder, messages []*schema.Message, answer *schema.Message, opts []model.Option) (_ *schema.Message, again bool, err error) {
	arguments, err := rec.DecodeCalls(ctx, argumentsOf(answer), func(results []string) ([]any, error) {
		messages, again = append(slices.Clip(messages), answer), true
		for i, call := range answer.ToolCalls {
			messages = append(messages, schema.ToolMessage(results[i], call.ID, schema.WithToolName(call.Function.Name)))
		}
		var err error
		answer, err = c.ToolCallingChatModel.Generate(ctx, messages, opts...)
		return argumentsOf(answer), err
	})
	if err != nil {
		return nil, again, err
	}
	return withCalls(answer, arguments), again, nil
}

// WithTools returns a model with tools, wrapped too.
func (c *chatModel) WithTools(tools []*schema.ToolInfo) (model.ToolCallingChatModel, error) {
	m, err := c.ToolCallingChatModel.WithTools(tools)
	if err != nil {
		return nil, err
	}
	return c.memory.Model(m), nil
}

// IsCallbacksEnabled reports whether the model itself calls callbacks. It implements
// components.Checker.
func (c *chatModel) IsCallbacksEnabled() bool {
	return components.IsCallbacksEnabled(c.ToolCallingChatModel)
}

// GetType returns the type of the model. It implements components.Typer.
func (c *chatModel) GetType() string {
	if name, ok := components.GetType(c.ToolCallingChatModel); ok {
		return name
	}
	return reflect.Indirect(reflect.ValueOf(c.ToolCallingChatModel)).Type().Name()
}
