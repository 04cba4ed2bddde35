package middleware

import (
	"context"
	"time"
)

// ToolHandler runs a tool call, of which ID, Name and Arguments are set, and returns its
// result.
type ToolHandler func(ctx context.Context, call ToolCall) (any, error)

// Middleware wraps a ToolHandler.
type Middleware func(next ToolHandler) ToolHandler

// Chain is handler with middlewares around it. The first listed is outermost.
func Chain(handler ToolHandler, middlewares ...Middleware) ToolHandler {
	for i := len(middlewares) - 1; i >= 0; i-- {
		handler = middlewares[i](handler)
	}
	return handler
}

// RecordCalls is a middleware that records each call into the recorder that the
// call's context carries, else into fallback; with neither, calls go through
// unrecorded. The caller gets the result and the error that the tool returned,
// whatever becomes of the recording; entities are in place before it does.
func RecordCalls(fallback *Recorder) Middleware {
	return func(next ToolHandler) ToolHandler {
		return func(ctx context.Context, call ToolCall) (any, error) {
			start := time.Now()
			result, err := next(ctx, call)
			rec, ok := RecorderFrom(ctx)
			if !ok {
				rec = fallback
			}
			if rec != nil {
				// The recorder reports its own failures, by OnCall and Logger.
				call.Result, call.Err, call.Start, call.Duration = result, err, start, time.Since(start)
				_ = rec.Record(ctx, call)
			}
			return result, err
		}
	}
}

type recorderKey struct{}

// WithRecorder binds a conversation's recorder to a context: tools that several
// conversations share record into the recorder that their call's context carries.
func WithRecorder(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// RecorderFrom returns the recorder bound to a context, if one is.
func RecorderFrom(ctx context.Context) (*Recorder, bool) {
	r, ok := ctx.Value(recorderKey{}).(*Recorder)
	return r, ok && r != nil
}
