package mcpserver

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// DefaultRecordTimeout is how long the recording of a call may hold its result back.
const DefaultRecordTimeout = 5 * time.Second

// callTool is the method of a tool call.
const callTool = "tools/call"

// Recording says where RecordCalls records. Of several places the first counts: the
// recorder that the call's context carries (middleware.WithRecorder), then Recorder, then
// Sessions. With none of them calls go through unrecorded.
type Recording struct {
	// Recorder takes all calls: those of one conversation.
	Recorder *middleware.Recorder
	// Sessions takes calls into the stored session that Key names.
	Sessions *middleware.Sessions
	// Key names the session of a call; false: it is not recorded. It must be safe for
	// concurrent use. The request is a *mcp.CallToolRequest in a server, with the headers
	// of an HTTP request in its Extra; in a client it is the client's.
	Key func(ctx context.Context, req mcp.Request) (session.Key, bool)
	// Timeout is how long a recording may take, from when the tool is done. Sessions may
	// take middleware.SessionsOptions.Grace more. 0 means DefaultRecordTimeout.
	Timeout time.Duration
	// OnError is told when memory missed something of a call. nil means nobody is told.
	OnError func(ctx context.Context, tool string, err error)
	// Logger is told of the same, by tool and error, never of contents. Recorders and
	// Sessions have Loggers of their own. nil means none.
	Logger *slog.Logger
}

// RecordCalls is a middleware that records each finished tool call: of a server, by
// AddReceivingMiddleware, those that its clients make; of a client, by AddSendingMiddleware,
// those that it makes, on whatever server.
//
// The result that is recorded is the structured content, where there is any, else the text
// contents. A result with IsError, and an error of the protocol, is a failed call. Calls of
// this package's own tools are not recorded, nor results that ask the client for input first.
//
// The caller gets what the tool returned, whatever becomes of the recording; entities are in
// place before it does.
func RecordCalls(rec Recording) mcp.Middleware {
	if rec.Timeout <= 0 {
		rec.Timeout = DefaultRecordTimeout
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != callTool {
				return next(ctx, method, req)
			}
			start := time.Now()
			result, err := next(ctx, method, req)
			rec.record(ctx, req, outcome{result, err, start, time.Since(start)})
			return result, err
		}
	}
}

// outcome is what became of a call.
type outcome struct {
	result mcp.Result
	err    error
	start  time.Time
	took   time.Duration
}

// record records a call, and tells if memory missed something of it.
func (rec *Recording) record(ctx context.Context, req mcp.Request, o outcome) {
	call, err := rec.attempt(ctx, req, o)
	if err == nil {
		return
	}
	defer func() { _ = recover() }() // of OnError, which is nothing to the call
	if rec.Logger != nil {
		rec.Logger.LogAttrs(ctx, slog.LevelWarn, "tool call was not recorded", slog.String("tool", call.Name), slog.Any("error", err))
	}
	if rec.OnError != nil {
		rec.OnError(ctx, call.Name, err)
	}
}

// attempt records a call, and survives what panics, be it because a tool's result is odd.
func (rec *Recording) attempt(ctx context.Context, req mcp.Request, o outcome) (call middleware.ToolCall, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("mcpserver: recording panicked: %T", p)
		}
	}()
	call, ok := finished(req, o.result, o.err)
	if !ok {
		return call, nil
	}
	call.Start, call.Duration = o.start, o.took
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rec.Timeout)
	defer cancel()
	return call, rec.recordCall(ctx, req, call)
}

// recordCall records a call where it belongs.
func (rec *Recording) recordCall(ctx context.Context, req mcp.Request, call middleware.ToolCall) error {
	if r, ok := middleware.RecorderFrom(ctx); ok {
		return r.Record(ctx, call)
	}
	if rec.Recorder != nil {
		return rec.Recorder.Record(ctx, call)
	}
	if rec.Sessions == nil || rec.Key == nil {
		return nil
	}
	key, ok := rec.Key(ctx, req)
	if !ok {
		return nil
	}
	_, err := rec.Sessions.Record(ctx, key, call)
	return err
}
