package eino

import (
	"context"
	"errors"
	"io"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// invoke runs a tool and records its call with the texts of its result.
func invoke[T any](ctx context.Context, w *WorkingMemory, call middleware.ToolCall, run func(context.Context) (T, error), textsOf func(T) []string) (T, error) {
	rec := w.recorder(ctx)
	if rec == nil || isTransfer(call.Name) {
		return run(ctx)
	}
	ctx, running := rec.Begin(ctx, call)
	result, err := run(ctx)
	if err != nil {
		fail(running, err)
		return result, err
	}
	_ = running.Finish(resultOf(textsOf(result)...), nil) // the recorder reports failures to OnCall and Logger
	return result, nil
}

// stream runs a tool, and records its call when the stream of its result ends, before its reader
// sees the end. Each part of the result is passed to add. A stream that is closed before its end
// is not recorded.
func stream[T any](ctx context.Context, w *WorkingMemory, call middleware.ToolCall, run func(context.Context) (*schema.StreamReader[T], error), add func(*middleware.RunningCall, T)) (*schema.StreamReader[T], error) {
	rec := w.recorder(ctx)
	if rec == nil || isTransfer(call.Name) {
		return run(ctx)
	}
	ctx, running := rec.Begin(ctx, call)
	parts, err := run(ctx)
	if err != nil {
		fail(running, err)
		return parts, err
	}
	suspended := false // its stream may go on to its end
	return schema.StreamReaderWithConvert(parts, func(part T) (T, error) {
		add(running, part)
		return part, nil
	}, schema.WithErrWrapper(func(err error) error {
		if _, ok := schema.GetSourceName(err); !ok { // that is the end of one of several merged streams
			suspended = suspended || isSuspended(err)
			fail(running, err)
		}
		return err
	}), schema.WithOnEOF(func() (any, error) {
		if !suspended {
			_ = running.Finish(nil, nil)
		}
		return nil, io.EOF
	})), nil
}

// isTransfer reports whether a tool is Eino's own, which passes control to another agent. Its calls
// are not recorded. Eino also adds some that no model requested to the messages of an agent.
func isTransfer(tool string) bool { return tool == adk.TransferToAgentToolName }

// fail records a call that failed. One that was suspended is not recorded.
func fail(running *middleware.RunningCall, err error) {
	if !isSuspended(err) {
		_ = running.Finish(nil, err)
	}
}

// isSuspended reports whether an error interrupts or cancels a call that runs again when the
// agent is resumed.
func isSuspended(err error) bool {
	if _, ok := compose.IsInterruptRerunError(err); ok {
		return true
	}
	if _, ok := compose.ExtractInterruptInfo(err); ok { // of a graph that the tool ran
		return true
	}
	return errors.Is(err, adk.ErrStreamCanceled) || errors.As(err, new(*adk.CancelError)) || errors.Is(err, middleware.ErrSuspended)
}

// resultOf returns the result of a tool that returned texts.
func resultOf(texts ...string) any {
	for i, text := range texts {
		texts[i] = withoutNotice(text)
	}
	return middleware.ResultOf(nil, texts...)
}

// partsOf returns the texts of an enhanced tool's result.
func partsOf(result *schema.ToolResult) (texts []string) {
	if result == nil {
		return nil
	}
	for _, p := range result.Parts {
		if p.Type == schema.ToolPartTypeText {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

func appendText(running *middleware.RunningCall, text string) { running.Append(withoutNotice(text)) }

// appendParts returns a function that appends the texts of an enhanced tool's result. Like Eino,
// it joins consecutive texts; those with another part between them are separated by a line break.
func appendParts() func(*middleware.RunningCall, *schema.ToolResult) {
	begun, ended := false, false // of the current text
	return func(running *middleware.RunningCall, result *schema.ToolResult) {
		if result == nil {
			return
		}
		for _, p := range result.Parts {
			if p.Type != schema.ToolPartTypeText {
				ended = begun
				continue
			}
			if ended {
				running.Append("\n")
			}
			appendText(running, p.Text)
			begun, ended = true, false
		}
	}
}
