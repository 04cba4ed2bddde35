package adk

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// done is the mark of a call that is recorded or suspended. Before, the mark is the time of its
// begin. A callback leaves marks for later ones in the state delta of the call's event. They are
// strings, which every session service can store if another plugin keeps onEvent from removing
// them.
const done = "done"

// markKey returns the key of the mark of a call.
func markKey(id string) string { return temporary + "call:" + id }

func setMark(ctx agent.Context, mark string) {
	if actions := ctx.Actions(); actions != nil && actions.StateDelta != nil {
		actions.StateDelta[markKey(ctx.FunctionCallID())] = mark
	}
}

// markOf returns the mark of a call, or "".
func markOf(actions *session.EventActions, id string) string {
	if actions == nil {
		return ""
	}
	mark, _ := actions.StateDelta[markKey(id)].(string)
	return mark
}

// beforeTool notes the time, and calls BeforeTool. A call that it refuses is not recorded.
func (w *WorkingMemory) beforeTool(ctx agent.Context, t tool.Tool, args map[string]any) (map[string]any, error) {
	if w.recorder(ctx) == nil {
		return nil, nil
	}
	setMark(ctx, time.Now().Format(time.RFC3339Nano))
	refused, err := w.BeforeTool(ctx, t, args)
	if refused != nil {
		setMark(ctx, done)
	}
	return refused, err
}

// onToolError records a call that failed, before another plugin answers in place of the tool.
func (w *WorkingMemory) onToolError(ctx agent.Context, t tool.Tool, args map[string]any, err error) (map[string]any, error) {
	w.finish(ctx, t, args, nil, err)
	return nil, nil
}

// afterTool records a call that has finished.
func (w *WorkingMemory) afterTool(ctx agent.Context, t tool.Tool, args, result map[string]any, err error) (map[string]any, error) {
	w.finish(ctx, t, args, result, err)
	return nil, nil
}

// finish records a call unless it is suspended or recorded already.
func (w *WorkingMemory) finish(ctx agent.Context, t tool.Tool, args, result map[string]any, err error) {
	rec, id := w.recorder(ctx), ctx.FunctionCallID()
	mark := markOf(ctx.Actions(), id)
	if rec == nil || mark == done {
		return
	}
	setMark(ctx, done)
	call := middleware.ToolCall{ID: id, Name: t.Name(), Arguments: argumentsOf(args), Err: err}
	if err == nil {
		call.Result, call.Err = outcome(result)
	}
	if !isSuspended(ctx, t, result, call.Err) {
		_ = rec.RecordHistory(ctx, oneCall(ctx, call, mark)) // the recorder reports failures to OnCall and Logger
	}
}

// oneCall returns the history of a finished call alone. RecordHistory does not record it again if
// the tool did itself, as that of an MCP client may: a callback cannot change the context of a
// tool, by which a RunningCall would know.
func oneCall(ctx agent.Context, call middleware.ToolCall, mark string) *middleware.History {
	begin, err := time.Parse(time.RFC3339Nano, mark)
	if err != nil { // another plugin answered before beforeTool
		begin = time.Now()
	}
	call.Start, call.Duration = begin, time.Since(begin)
	different := fmt.Sprintf("%s/%s/%s/%p", ctx.InvocationID(), call.ID, begin, ctx.Actions()) // for each call
	h := &middleware.History{View: "adk call", Thread: different}
	h.AddResult(call)
	return h
}

// isSuspended reports whether a call waits for an approval, or for a response that comes later.
func isSuspended(ctx agent.Context, t tool.Tool, result map[string]any, err error) bool {
	if actions := ctx.Actions(); actions != nil {
		if _, ok := actions.RequestedToolConfirmations[ctx.FunctionCallID()]; ok {
			return true
		}
	}
	if err != nil {
		return errors.Is(err, tool.ErrConfirmationRequired) || errors.Is(err, middleware.ErrSuspended)
	}
	d, ok := t.(interface{ DefersResponse() bool })
	return t.IsLongRunning() || ok && result == nil && d.DefersResponse()
}

// onEvent records the results in an event that no callback of the tools saw, such as those of
// streaming tools. The event then has what the model is to see of the results.
func (w *WorkingMemory) onEvent(ctx agent.InvocationContext, event *session.Event) (*session.Event, error) {
	if event == nil || event.Partial {
		return nil, nil
	}
	unseen := takeMarks(event)
	promoted := agent.Promote(ctx)
	rec := w.recorder(promoted)
	if rec == nil {
		return nil, nil
	}
	if unseen && ctx.Session() != nil {
		_ = rec.RecordHistory(ctx, historyOf(rec.Handles(), ctx.Session(), event))
	}
	if rec.Handles() != nil && !isLive(promoted) {
		showEvent(ctx, rec, event)
	}
	return nil, nil
}

// takeMarks removes the marks from an event, and reports whether it has results of calls that are
// not done.
func takeMarks(event *session.Event) (unseen bool) {
	for _, r := range responses(event) {
		unseen = unseen || markOf(&event.Actions, r.ID) != done
	}
	maps.DeleteFunc(event.Actions.StateDelta, func(key string, _ any) bool { return strings.HasPrefix(key, temporary) })
	return unseen
}
