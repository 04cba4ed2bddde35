package eino_test

import (
	"context"
	"errors"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// suiteModel is a model of the conformance suite.
type suiteModel struct {
	answer func(ctx context.Context, request adaptertest.Request) (adaptertest.Reply, error)
}

func (m suiteModel) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

func (m suiteModel) Generate(ctx context.Context, messages []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	chunks, err := m.chunks(ctx, messages)
	if err != nil {
		return nil, err
	}
	return schema.ConcatMessages(chunks)
}

func (m suiteModel) Stream(ctx context.Context, messages []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	chunks, err := m.chunks(ctx, messages)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray(chunks), nil
}

// chunks returns the answer in parts: texts and arguments are cut in two.
func (m suiteModel) chunks(ctx context.Context, messages []*schema.Message) (chunks []*schema.Message, err error) {
	var request adaptertest.Request
	for _, m := range messages {
		if m.Role == schema.System {
			request.System += m.Content + "\n"
		} else {
			content := m.Content
			for _, c := range m.ToolCalls {
				content += "\n" + c.Function.Arguments
			}
			request.Messages = append(request.Messages, prompt.Message{Role: string(m.Role), Content: content})
		}
	}
	if n := len(request.System); n > 0 {
		request.System = request.System[:n-1]
	}
	reply, err := m.answer(ctx, request)
	if err != nil {
		return nil, err
	}
	if text := reply.Text; text != "" {
		chunks = append(chunks, schema.AssistantMessage(text[:1], nil), schema.AssistantMessage(text[1:], nil))
	}
	for i, c := range reply.Calls {
		begin, end := c.Arguments[:len(c.Arguments)/2], c.Arguments[len(c.Arguments)/2:]
		chunks = append(chunks,
			schema.AssistantMessage("", []schema.ToolCall{{Index: &i, ID: c.ID, Type: "function", Function: schema.FunctionCall{Name: c.Name, Arguments: begin}}}),
			schema.AssistantMessage("", []schema.ToolCall{{Index: &i, Function: schema.FunctionCall{Arguments: end}}}))
	}
	return chunks, nil
}

// suiteTool is a tool of the conformance suite, whose calls can be suspended.
type suiteTool struct{ adaptertest.Tool }

func (t suiteTool) Info(context.Context) (*schema.ToolInfo, error) { return pageTool(t.Name), nil }

// pageTool describes a tool with the parameter page_id.
func pageTool(name string) *schema.ToolInfo {
	return &schema.ToolInfo{Name: name, Desc: "Works on a page.", ParamsOneOf: schema.NewParamsOneOfByParams(
		map[string]*schema.ParameterInfo{"page_id": {Type: schema.String}})}
}

func (t suiteTool) run(ctx context.Context, arguments string) ([]string, error) {
	parts, err := t.Run(ctx, arguments)
	if errors.Is(err, adaptertest.ErrSuspend) {
		err = tool.StatefulInterrupt(ctx, "may it run?", arguments)
	}
	return parts, err
}

type invokableTool struct{ suiteTool }

func (t invokableTool) InvokableRun(ctx context.Context, arguments string, _ ...tool.Option) (string, error) {
	parts, err := t.run(ctx, arguments)
	if err != nil {
		return "", err
	}
	return parts[0], nil
}

type streamableTool struct{ suiteTool }

func (t streamableTool) StreamableRun(ctx context.Context, arguments string, _ ...tool.Option) (*schema.StreamReader[string], error) {
	parts, err := t.run(ctx, arguments)
	if err != nil {
		return nil, err
	}
	return schema.StreamReaderFromArray(parts), nil
}

func suiteTools(s adaptertest.Setup, memory *eino.WorkingMemory) (all []tool.BaseTool) {
	if s.ResultTools {
		all = memory.ResultTools()
	}
	for _, t := range s.Tools {
		if t.Streams {
			all = append(all, streamableTool{suiteTool{t}})
		} else {
			all = append(all, invokableTool{suiteTool{t}})
		}
	}
	return all
}
