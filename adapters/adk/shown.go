package adk

import (
	"context"
	"iter"
	"maps"
	"slices"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/middleware"
)

var _ llmagent.BeforeToolCallback = (*WorkingMemory)(nil).BeforeTool

// BeforeTool puts ids in place of the handles in the arguments of a call, which it changes, as ADK
// provides for. A call with an unknown handle gets an error as its result, and the tool is not
// called. BeforeTool is an llmagent.BeforeToolCallback, for agents that run without the plugin: see
// BeforeModel.
func (w *WorkingMemory) BeforeTool(ctx agent.Context, t tool.Tool, args map[string]any) (map[string]any, error) {
	rec := w.recorder(ctx)
	if rec == nil || rec.Handles() == nil || isLive(ctx) {
		return nil, nil
	}
	decoded, err := decode(ctx, rec, t.Name(), args)
	if err != nil {
		return map[string]any{"error": err.Error()}, nil
	}
	if decoded, ok := decoded.(map[string]any); ok {
		decoded = maps.Clone(decoded) // it may be args
		clear(args)
		maps.Copy(args, decoded)
	}
	return nil, nil
}

// decode returns the arguments of a call with ids in place of handles. A call that is refused is
// not recorded when its result is in the session.
func decode(ctx agent.Context, rec *middleware.Recorder, name string, args any) (any, error) {
	_, running := rec.Begin(ctx, middleware.ToolCall{ID: ctx.FunctionCallID(), Name: name, Arguments: args})
	return running.Arguments()
}

// isLive reports whether a context belongs to a live session, in which requests have no block: the
// model sees ids and no handles. ADK refuses RunConfig in callbacks of tools; a copy of the context
// does not.
func isLive(ctx agent.Context) bool {
	c := ctx.WithDelta(&agent.CommonContextDelta{})
	return c == nil || c.RunConfig() == nil
}

// streamingTool is ADK's internal interface of the tools that it runs without callbacks.
type streamingTool interface {
	tool.Tool
	Declaration() *genai.FunctionDeclaration
	RunStream(ctx agent.Context, args any) iter.Seq2[string, error]
}

// decodingTool is a streaming tool that receives ids in place of handles.
type decodingTool struct {
	streamingTool
	memory *WorkingMemory
}

// RunStream runs the tool, unless there is an unknown handle.
func (d decodingTool) RunStream(ctx agent.Context, args any) iter.Seq2[string, error] {
	rec := d.memory.recorder(ctx)
	if rec == nil {
		return d.streamingTool.RunStream(ctx, args)
	}
	decoded, err := decode(ctx, rec, d.Name(), args)
	if err != nil {
		return func(yield func(string, error) bool) { yield("", err) }
	}
	return d.streamingTool.RunStream(ctx, decoded)
}

// wrapStreaming wraps the streaming tools of a request, which ADK takes from it.
func (w *WorkingMemory) wrapStreaming(req *model.LLMRequest) {
	for name, t := range req.Tools {
		if t, ok := t.(streamingTool); ok {
			req.Tools[name] = decodingTool{t, w}
		}
	}
}

// shownContents returns contents with handles in place of ids in their calls and results, and with
// what replaces stored results.
func shownContents(ctx context.Context, rec *middleware.Recorder, contents []*genai.Content) []*genai.Content {
	shown := make([]*genai.Content, len(contents))
	for i, c := range contents {
		shown[i] = withParts(c, func(p *genai.Part) *genai.Part {
			if p.FunctionCall == nil {
				return shownResponse(ctx, rec, p)
			}
			args, _ := rec.EncodeResult(p.FunctionCall.Args).(map[string]any)
			return withArgs(p, args)
		})
	}
	return shown
}

// structured is the name of ADK's tool that takes the answer of an agent with an output schema.
// ADK makes the answer of its result.
const structured = "set_model_response"

// showEvent puts what the model is to see into the results in an event. Its calls get arguments of
// their own, so that they keep the handles that BeforeTool replaces.
func showEvent(ctx context.Context, rec *middleware.Recorder, event *session.Event) {
	event.Content = withParts(event.Content, func(p *genai.Part) *genai.Part {
		switch {
		case p.FunctionCall != nil:
			return withArgs(p, maps.Clone(p.FunctionCall.Args))
		case p.FunctionResponse.Name == structured:
			return p
		}
		return shownResponse(ctx, rec, p)
	})
}

// withParts returns a content in which the parts with calls and results of functions are replaced.
func withParts(c *genai.Content, replace func(*genai.Part) *genai.Part) *genai.Content {
	isFunction := func(p *genai.Part) bool { return p != nil && (p.FunctionCall != nil || p.FunctionResponse != nil) }
	if c == nil || !slices.ContainsFunc(c.Parts, isFunction) {
		return c
	}
	changed := *c
	changed.Parts = slices.Clone(c.Parts)
	for i, p := range changed.Parts {
		if isFunction(p) {
			changed.Parts[i] = replace(p)
		}
	}
	return &changed
}

func withArgs(p *genai.Part, args map[string]any) *genai.Part {
	c, call := *p, *p.FunctionCall
	call.Args = args
	c.FunctionCall = &call
	return &c
}

// shownResponse returns a part with what the model is to see of a result.
func shownResponse(ctx context.Context, rec *middleware.Recorder, p *genai.Part) *genai.Part {
	c, response := *p, *p.FunctionResponse
	result, _ := outcome(response.Response)
	if stub, ok := rec.Stub(ctx, result); ok {
		response.Response = map[string]any{"result": stub}
	} else if encoded, ok := rec.EncodeResult(response.Response).(map[string]any); ok {
		response.Response = encoded
	}
	c.FunctionResponse = &response
	return &c
}
