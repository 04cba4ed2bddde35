package mcpserver

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Observation is what Options.Observe hears of a message of a client.
type Observation struct {
	// Method is the protocol's, as in tools/call.
	Method string
	// Tool is the tool that was called, of those that New adds; else empty.
	Tool string
	// Failed says that the client was told of an error, be it by a tool or by the protocol.
	Failed bool
	// Duration is how long it took, without the time on the wire.
	Duration time.Duration
}

// observed is a middleware that tells of each message whose method is known. What a client
// calls a tool that is not there is not told.
func (s *Server) observed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		start := time.Now()
		result, err := next(ctx, method, req)
		o := Observation{Method: method, Failed: err != nil, Duration: time.Since(start)}
		if method == callTool {
			if call, ok := called(req); ok && s.names[call.Name] {
				o.Tool = call.Name
			}
			if r, ok := result.(*mcp.CallToolResult); ok && r != nil {
				o.Failed = o.Failed || r.IsError
			}
		}
		s.observe(ctx, o)
		return result, err
	}
}

func (s *Server) observe(ctx context.Context, o Observation) {
	level := slog.LevelInfo
	if strings.HasPrefix(o.Method, "notifications/") {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{slog.String("method", o.Method), slog.Bool("failed", o.Failed), slog.Duration("duration", o.Duration)}
	if o.Tool != "" {
		attrs = append(attrs, slog.String("tool", o.Tool))
	}
	s.opts.Logger.LogAttrs(ctx, level, "mcpserver: message", attrs...)
	if s.opts.Observe != nil {
		s.opts.Observe(o)
	}
}
