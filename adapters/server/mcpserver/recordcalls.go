package mcpserver

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// DefaultRecordTimeout limits how long recording a call may delay its result.
const DefaultRecordTimeout = 5 * time.Second

// callTool is the method of a tool call.
const callTool = "tools/call"

// Recording configures RecordCalls. A call is recorded in the first of these that is present:
// the recorder in the call's context (middleware.WithRecorder), Recorder, Sessions. If there is
// none, calls pass through unrecorded.
type Recording struct {
	// Recorder records all calls, as those of one conversation.
	Recorder *middleware.Recorder
	// Sessions records calls in the stored session that Key names.
	Sessions *middleware.Sessions
	// Key returns the session of a call, or false if the call should not be recorded. It must
	// be safe for concurrent use. In a server, req is a *mcp.CallToolRequest whose Extra has
	// the headers of the HTTP request; in a client, req is the client's request.
	Key func(ctx context.Context, req mcp.Request) (session.Key, bool)
	// Source names the MCP server whose tools are recorded, so that what another one named
	// keeps its name (see middleware.ToolCall). If empty, a client uses the name that its
	// server gives itself.
	Source string
	// Timeout limits the recording of a call, counted from the end of the tool. Sessions may
	// take middleware.SessionsOptions.Grace longer. Zero means DefaultRecordTimeout.
	Timeout time.Duration
	// OnError is called when a call could not be recorded completely. May be nil.
	OnError func(ctx context.Context, tool string, err error)
	// Logger receives the same errors, with the tool, never contents. Recorders and Sessions
	// have Loggers of their own. If nil, nothing is logged.
	Logger *slog.Logger
}

// RecordCalls returns a middleware that records each finished tool call. Pass it to
// AddReceivingMiddleware of a server to record the calls of its clients, or to
// AddSendingMiddleware of a client to record its calls to any server.
//
// It records the structured content of a result, its texts, links and embedded resources, or both
// where neither repeats the other (see middleware.ResultOf). A result with IsError, and a protocol error, is recorded as a failed call. Calls of this
// package's own tools are not recorded, nor are results that ask the client for input first.
//
// Recording ends before the caller receives the result. It changes neither arguments nor result
// unless the recorder has handles or stores results (see middleware.Options). Then the request and
// the result are replaced by copies: the tool gets ids in place of handles, and the caller the
// texts and the structured content that the model is to see. Of a stored result these are one text
// and no structured content, which clients may refuse if the tool has an output schema: record in
// the client, then. An unknown handle is a result with IsError, and the tool is not called.
func RecordCalls(rec Recording) mcp.Middleware {
	if rec.Timeout <= 0 {
		rec.Timeout = DefaultRecordTimeout
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != callTool {
				return next(ctx, method, req)
			}
			ctx, running, rewrites := rec.begin(ctx, req)
			if rewrites {
				decoded, err := withArguments(running, req)
				if err != nil {
					return refused(err), nil
				}
				req = decoded
			}
			result, err := next(ctx, method, req)
			rec.finish(ctx, running, result, err)
			if rewrites && err == nil {
				result = asShown(running, result)
			}
			return result, err
		}
	}
}

// begin begins a call, or returns nil if it is not to be recorded. rewrites reports whether its
// recorder has handles or stores results.
func (rec *Recording) begin(ctx context.Context, req mcp.Request) (_ context.Context, running *middleware.RunningCall, rewrites bool) {
	inner := ctx
	call := middleware.ToolCall{}
	err := callee.RecoverPanic(func() error {
		var ok bool
		if call, ok = callOf(req); !ok {
			return nil
		}
		call.Source = cmp.Or(rec.Source, serverName(req))
		detached := context.WithoutCancel(ctx)
		r := middleware.RecorderFor(detached, func(ctx context.Context) *middleware.Recorder { return rec.choose(ctx, req) }, nil)
		if r != nil {
			inner, running = r.Begin(ctx, call)
			rewrites = r.Handles() != nil
		}
		return nil
	})
	rec.report(ctx, call.Name, err)
	return inner, running, rewrites
}

// choose returns the recorder of a call whose context carries none.
func (rec *Recording) choose(ctx context.Context, req mcp.Request) *middleware.Recorder {
	if rec.Recorder != nil {
		return rec.Recorder
	}
	if rec.Sessions == nil || rec.Key == nil {
		return nil
	}
	key, ok := rec.Key(ctx, req)
	if !ok {
		return nil
	}
	return rec.Sessions.Recorder(key)
}

// finish records a call.
func (rec *Recording) finish(ctx context.Context, running *middleware.RunningCall, result mcp.Result, err error) {
	if running == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rec.Timeout)
	defer cancel()
	rec.report(ctx, running.Name(), callee.RecoverPanic(func() error { return finish(ctx, running, result, err) }))
}

// report passes an error to Logger and OnError.
func (rec *Recording) report(ctx context.Context, tool string, err error) {
	if err == nil {
		return
	}
	defer func() { _ = recover() }() // a panic of OnError must not fail the call
	if rec.Logger != nil {
		rec.Logger.LogAttrs(ctx, slog.LevelWarn, "mcpserver: tool call not recorded", slog.String("tool", tool), slog.Any("error", err))
	}
	if rec.OnError != nil {
		rec.OnError(ctx, tool, err)
	}
}

// serverName returns the name of the server that a client's request went to, or "".
func serverName(req mcp.Request) string {
	client, ok := req.GetSession().(*mcp.ClientSession)
	if !ok {
		return ""
	}
	if r := client.InitializeResult(); r != nil && r.ServerInfo != nil {
		return r.ServerInfo.Name
	}
	return ""
}
