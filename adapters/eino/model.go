package eino

import (
	"context"
	"reflect"

	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// Model wraps a model so that each request shows the current block: see ModifyMessages. It is for
// agents whose configuration has a model but neither handlers nor a message modifier, such as
// those of adk/prebuilt/planexecute, and for graphs. Agents that have them need no wrapped model.
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
	return c.ToolCallingChatModel.Generate(ctx, c.memory.ModifyMessages(ctx, messages), opts...)
}

// Stream calls the model with the block.
func (c *chatModel) Stream(ctx context.Context, messages []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return c.ToolCallingChatModel.Stream(ctx, c.memory.ModifyMessages(ctx, messages), opts...)
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
