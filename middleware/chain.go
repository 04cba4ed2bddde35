package middleware

import (
	"context"
)

// ToolHandler runs a tool call, whose ID, Name and Arguments are set, and returns its
// result.
type ToolHandler func(ctx context.Context, call ToolCall) (any, error)

// Middleware wraps a ToolHandler.
type Middleware func(next ToolHandler) ToolHandler

// Chain wraps handler in middlewares. The first listed is outermost.
func Chain(handler ToolHandler, middlewares ...Middleware) ToolHandler {
	for i := len(middlewares) - 1; i >= 0; i-- {
		handler = middlewares[i](handler)
	}
	return handler
}

// RecordCalls returns a middleware that records each call in the recorder of the call's
// context, or in fallback if the context has none. If fallback is nil too, calls are not
// recorded. The caller receives the tool's result and error, even if recording fails,
// after the entities are added. A call that returns ErrSuspended is not recorded.
//
// With Options.Handles, the tool receives ids in place of the handles in its arguments, and the
// caller handles in place of the ids in the result. A call with an unknown handle returns a
// *handle.UnknownError without calling the tool.
func RecordCalls(fallback *Recorder) Middleware {
	return func(next ToolHandler) ToolHandler {
		return func(ctx context.Context, call ToolCall) (any, error) {
			rec := RecorderFor(ctx, nil, fallback)
			if rec == nil {
				return next(ctx, call)
			}
			ctx, running := rec.Begin(ctx, call)
			arguments, err := running.Arguments()
			if err != nil {
				return nil, err
			}
			call.Arguments = arguments
			result, err := next(ctx, call)
			_ = running.Finish(result, err) // the recorder reports failures to OnCall and Logger
			return running.Shown(result), err
		}
	}
}

type recorderKey struct{}

// WithRecorder returns a context that carries a conversation's recorder. Tools shared by
// several conversations record into the recorder of their call's context.
func WithRecorder(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// RecorderFrom returns the recorder that a context carries, and false if it has none.
func RecorderFrom(ctx context.Context) (*Recorder, bool) {
	r, ok := ctx.Value(recorderKey{}).(*Recorder)
	return r, ok && r != nil
}
