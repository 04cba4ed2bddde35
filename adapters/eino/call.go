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

// invoke runs a tool, with ids in place of handles in its arguments, and records its call. It
// returns what the model is to see of the result.
func invoke[T any](ctx context.Context, w *WorkingMemory, call middleware.ToolCall, f form[T], run func(ctx context.Context, arguments string) (T, error)) (T, error) {
	rec := w.recorder(ctx)
	if rec == nil || isTransfer(call.Name) {
		return run(ctx, textOf(call.Arguments))
	}
	ctx, running := rec.Begin(ctx, call)
	arguments, err := running.Arguments()
	if err != nil {
		return f.ofText(err.Error()), nil // an error would end the run
	}
	result, err := run(ctx, textOf(arguments))
	if err != nil {
		fail(running, err)
		return result, err
	}
	_ = running.Finish(resultOf(f.textsOf(result)...), nil) // the recorder reports failures to OnCall and Logger
	if rec.Handles() == nil {
		return result, nil
	}
	return f.show(result, shownBy(running)), nil
}

// stream is like invoke for a tool that streams its result. It records the call when the stream
// ends, before its reader sees the end. A stream that is closed before its end is not recorded.
// With handles or stored results, what the model is to see is sent at the end, in one part.
func stream[T any](ctx context.Context, w *WorkingMemory, call middleware.ToolCall, f form[T], run func(ctx context.Context, arguments string) (*schema.StreamReader[T], error)) (*schema.StreamReader[T], error) {
	rec := w.recorder(ctx)
	if rec == nil || isTransfer(call.Name) {
		return run(ctx, textOf(call.Arguments))
	}
	ctx, running := rec.Begin(ctx, call)
	arguments, err := running.Arguments()
	if err != nil {
		return schema.StreamReaderFromArray([]T{f.ofText(err.Error())}), nil
	}
	parts, err := run(ctx, textOf(arguments))
	if err != nil {
		fail(running, err)
		return parts, err
	}
	add, hold := f.newAppender(), rec.Handles() != nil
	var held []T
	suspended := false // its stream may go on to its end
	return schema.StreamReaderWithConvert(parts, func(part T) (T, error) {
		add(running, part)
		if hold {
			held = append(held, part)
			return part, schema.ErrNoValue
		}
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
		if len(held) == 0 {
			return nil, io.EOF
		}
		whole, err := f.concat(held)
		if err != nil {
			return nil, err
		}
		return f.show(whole, shownBy(running)), nil
	})), nil
}

// textOf returns the arguments of a call, which are a text, as are those with ids in place of
// handles.
func textOf(arguments any) string {
	text, _ := arguments.(string)
	return text
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
