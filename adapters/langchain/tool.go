package langchain

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// ItemTool is a tool that returns items for a workspace.Workspace. Tool calls CallItem
// instead of Call and returns the item's content. If the session's recorder has a
// workspace (middleware.Options.Workspace), an item with an id is added to its pool, any
// other to its queue.
type ItemTool interface {
	tools.Tool
	CallItem(ctx context.Context, input string) (queue.ContextItem, error)
}

// Tool wraps a tool so that its calls are recorded, including failed ones, but not those that
// return middleware.ErrSuspended. The tool's name, description, result and error are
// unchanged, and its panics propagate.
//
// With middleware.Options.Handles or Results, the tool receives ids in place of handles, and the
// result is what the model is to see. A call with an unknown handle does not reach the tool: its
// result, without an error, tells the model which handles there are.
func (w *WorkingMemory) Tool(t tools.Tool) tools.Tool {
	if wrapped, ok := t.(*tool); ok && wrapped.wm == w {
		return t
	}
	return &tool{Tool: t, wm: w}
}

// Tools wraps each of the tools. See Tool.
func (w *WorkingMemory) Tools(ts ...tools.Tool) []tools.Tool {
	if ts == nil {
		return nil
	}
	out := make([]tools.Tool, len(ts))
	for i, t := range ts {
		out[i] = w.Tool(t)
	}
	return out
}

type tool struct {
	tools.Tool
	wm *WorkingMemory
}

var _ tools.Tool = (*tool)(nil)

// Call calls the tool and records the call.
func (t *tool) Call(ctx context.Context, input string) (string, error) {
	rec := t.wm.recorderFor(ctx)
	if rec == nil {
		return t.Tool.Call(ctx, input)
	}
	ctx, running := rec.Begin(ctx, middleware.ToolCall{Name: t.Name(), Arguments: plainArguments(input)})
	decoded, err := decodedInput(ctx, rec, running, input)
	if err != nil {
		return err.Error(), nil // an error would end the run of an executor
	}
	text, result, err := t.run(ctx, decoded)
	_ = running.Finish(result, err) // the recorder reports failures to OnCall and Logger
	shown, _ := running.Shown(text).(string)
	return shown, err
}

// run calls the tool, and returns the text for the caller and the result to record.
func (t *tool) run(ctx context.Context, input string) (text string, result any, err error) {
	if items, ok := t.Tool.(ItemTool); ok {
		item, err := items.CallItem(ctx, input)
		return item.Content, item, err
	}
	text, err = t.Tool.Call(ctx, input)
	return text, text, err
}

// plainArguments returns a tool's input without langchaingo's wrapping: the models of its
// functions agent write {"__arg1": input}, and those of its text agents may continue with
// the next line of their format.
func plainArguments(input string) string {
	input, _ = splitInput(input)
	input = strings.TrimSpace(input)
	var wrapped map[string]json.RawMessage
	if !strings.Contains(input, `"__arg1"`) || json.Unmarshal([]byte(input), &wrapped) != nil || len(wrapped) != 1 {
		return input
	}
	var arg string
	if json.Unmarshal(wrapped["__arg1"], &arg) != nil {
		return input
	}
	return strings.TrimSpace(arg)
}
