package eino_test

import (
	"context"
	"testing"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/eino"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func textPart(text string) schema.ToolOutputPart {
	return schema.ToolOutputPart{Type: schema.ToolPartTypeText, Text: text}
}

func imagePart() schema.ToolOutputPart {
	url := "https://example.com/page-9001.png"
	return schema.ToolOutputPart{Type: schema.ToolPartTypeImage, Image: &schema.ToolOutputImage{MessagePartCommon: schema.MessagePartCommon{URL: &url}}}
}

// enhancedTool returns parts, as an enhanced tool that does not stream.
type enhancedTool []schema.ToolOutputPart

func (enhancedTool) Info(context.Context) (*schema.ToolInfo, error) { return pageTool("get_page"), nil }

func (e enhancedTool) InvokableRun(context.Context, *schema.ToolArgument, ...tool.Option) (*schema.ToolResult, error) {
	return &schema.ToolResult{Parts: e}, nil
}

// enhancedStreamTool returns parts, each in a chunk.
type enhancedStreamTool []schema.ToolOutputPart

func (enhancedStreamTool) Info(context.Context) (*schema.ToolInfo, error) {
	return pageTool("get_page"), nil
}

func (e enhancedStreamTool) StreamableRun(context.Context, *schema.ToolArgument, ...tool.Option) (*schema.StreamReader[*schema.ToolResult], error) {
	chunks := []*schema.ToolResult{{}} // an empty stream is an error of Eino's
	for _, p := range e {
		chunks = append(chunks, &schema.ToolResult{Parts: []schema.ToolOutputPart{p}})
	}
	return schema.StreamReaderFromArray(chunks), nil
}

func TestEnhancedTools(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		parts    []schema.ToolOutputPart
		result   any // of a tool that does not stream
		streamed any
	}{
		{"text", []schema.ToolOutputPart{textPart(page(homeID))}, page(homeID), page(homeID)},
		{"text and image", []schema.ToolOutputPart{imagePart(), textPart(page(homeID))}, page(homeID), page(homeID)},
		{"image between texts", []schema.ToolOutputPart{textPart(page(homeID)), imagePart(), textPart(page(newsID))},
			[]string{page(homeID), page(newsID)}, page(homeID) + "\n" + page(newsID)},
		{"text in parts", []schema.ToolOutputPart{textPart(page(homeID)[:9]), textPart(page(homeID)[9:])},
			[]string{page(homeID)[:9], page(homeID)[9:]}, page(homeID)},
		{"image", []schema.ToolOutputPart{imagePart()}, nil, nil},
		{"nothing", nil, nil, nil},
	} {
		for kind, tool := range map[string]tool.BaseTool{"plain": enhancedTool(test.parts), "streamed": enhancedStreamTool(test.parts)} {
			for _, wrapper := range []string{"handler", "middleware"} {
				t.Run(test.name+", "+kind+", "+wrapper, func(t *testing.T) {
					t.Parallel()
					r := adaptertest.NewRecord(t)
					runEnhanced(t, eino.New(r.Recorder, nil), tool, wrapper)
					require.Equal(t, []string{"get_page " + homeID}, r.Names())
					if kind == "plain" {
						assert.Equal(t, test.result, r.Calls()[0].Result)
					} else {
						assert.Equal(t, test.streamed, r.Calls()[0].Result)
					}
				})
			}
		}
	}
}

// runEnhanced runs an agent that calls an enhanced tool once.
func runEnhanced(t *testing.T, w *eino.WorkingMemory, page tool.BaseTool, wrapper string) {
	config := adk.ChatModelAgentConfig{Name: "editor", Description: "edits", Model: newScript(get("c1 get_page "+homeID), say("Done.")),
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{page}}}}
	if wrapper == "handler" {
		config.Handlers = []adk.ChatModelAgentMiddleware{w}
	} else {
		config.ToolsConfig.ToolCallMiddlewares = []compose.ToolMiddleware{w.ToolMiddleware()}
	}
	a, err := adk.NewChatModelAgent(t.Context(), &config)
	require.NoError(t, err)
	_, err = read(adk.NewRunner(t.Context(), adk.RunnerConfig{Agent: a, EnableStreaming: true}).Query(t.Context(), "Get the home page."))
	require.NoError(t, err)
}

func TestNoEnhancedResult(t *testing.T) {
	t.Parallel()
	r := adaptertest.NewRecord(t)
	w := eino.New(r.Recorder, nil)
	run, err := w.WrapEnhancedInvokableToolCall(t.Context(), func(context.Context, *schema.ToolArgument, ...tool.Option) (*schema.ToolResult, error) {
		return nil, nil
	}, &adk.ToolContext{Name: "get_page"})
	require.NoError(t, err)
	_, err = run(t.Context(), &schema.ToolArgument{Text: arguments})
	require.NoError(t, err)
	stream, err := w.WrapEnhancedStreamableToolCall(t.Context(), func(context.Context, *schema.ToolArgument, ...tool.Option) (*schema.StreamReader[*schema.ToolResult], error) {
		return schema.StreamReaderFromArray([]*schema.ToolResult{nil}), nil
	}, &adk.ToolContext{Name: "get_page"})
	require.NoError(t, err)
	out, err := stream(t.Context(), &schema.ToolArgument{Text: arguments})
	require.NoError(t, err)
	_, err = drain(out)
	require.NoError(t, err)
	require.Len(t, r.Calls(), 2)
	for _, c := range r.Calls() {
		assert.Nil(t, c.Result)
	}
}

// A conversation of another process has the texts of enhanced results in parts of its messages.
func TestEnhancedHistory(t *testing.T) {
	t.Parallel()
	r, result := adaptertest.NewRecord(t), schema.ToolMessage("", "c1", schema.WithToolName("get_page"))
	var err error
	result.UserInputMultiContent, err = (&schema.ToolResult{Parts: []schema.ToolOutputPart{imagePart(), textPart(page(homeID))}}).ToMessageInputParts()
	require.NoError(t, err)
	m := newScript(say("Done."))
	ask(t, t.Context(), newAgent(t, "editor", m, nil, eino.New(r.Recorder, nil)),
		schema.UserMessage("Get the home page."), get("c1 get_page "+homeID), result, say("Found it."), schema.UserMessage("Rename it."))
	require.Len(t, r.Calls(), 1)
	assert.Equal(t, middleware.ResultOf(nil, page(homeID)), r.Calls()[0].Result)
	shows(t, m.last(t), homeID)
}
