package mcpserver

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Observation describes a served message of a client, for Options.Observe.
type Observation struct {
	// Method is the protocol's method, such as tools/call.
	Method string
	// Tool is the name of the called tool if New added it, else empty.
	Tool string
	// Failed reports whether the client received an error, from a tool or from the protocol.
	Failed bool
	// Duration is the time that serving took, without that on the wire.
	Duration time.Duration
}

// observed is a middleware that reports each message with a known method. It leaves out the
// names of unknown tools, which clients choose.
func (s *Server) observed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		start := time.Now()
		result, err := next(ctx, method, req)
		o := Observation{Method: method, Failed: err != nil, Duration: time.Since(start)}
		if method == callTool {
			if call, ok := callOf(req); ok && s.names[call.Name] {
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
