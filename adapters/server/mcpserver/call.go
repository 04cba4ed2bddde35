package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// tool describes a tool, as it is listed.
type tool struct {
	name, title, text string
	effect            effect
	core              bool // in ToolsCore
}

// effect classifies what a call changes.
type effect int

const (
	reads    effect = iota // changes nothing
	adds                   // adds something each time
	settles                // adds something once, however often it is called
	replaces               // deletes or overwrites something
)

// annotations returns the hints that differ from the defaults of the protocol.
func (e effect) annotations() *mcp.ToolAnnotations {
	a := &mcp.ToolAnnotations{ReadOnlyHint: e == reads, IdempotentHint: e != adds, OpenWorldHint: new(false)}
	if e == adds || e == settles {
		a.DestructiveHint = new(false)
	}
	return a
}

// run implements a tool. It returns a text, which must be escaped, or a value that is sent as JSON.
type run[In any] func(ctx context.Context, t service.Tenant, in *In) (any, error)

// addTool offers a tool. It decodes arguments itself, because mcp.AddTool decodes all numbers as
// floating point and would lose digits of ids.
func addTool[In any](s *Server, t tool, do run[In]) error {
	schema, err := schemaOf(reflect.TypeFor[In]())
	if err != nil {
		return fmt.Errorf("arguments of %s: %w", t.name, err)
	}
	s.offered = append(s.offered, offered{
		listed: &mcp.Tool{Name: t.name, Title: t.title, Description: t.text, Annotations: t.effect.annotations(), InputSchema: schema},
		core:   t.core,
		handle: func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, err := s.within(ctx, req.Session, func(ctx context.Context, tenant service.Tenant) (any, error) {
				var in In
				if err := s.decode(ctx, req.Params.Arguments, &in); err != nil {
					return nil, err
				}
				return do(ctx, tenant, &in)
			})
			if err != nil {
				return refusal(err), nil
			}
			return textResult(text), nil
		},
	})
	return nil
}

// textResult returns the result of a call. The empty text is no content.
func textResult(text string) *mcp.CallToolResult {
	result := &mcp.CallToolResult{Meta: mcp.Meta{ownTool: true}, Content: []mcp.Content{}}
	if text != "" {
		result.Content = append(result.Content, &mcp.TextContent{Text: text})
	}
	return result
}

// maxArguments limits the memory that decoded arguments take, in bytes. Ordinary arguments of
// DefaultMaxBodyBytes take three times their size.
const maxArguments = 16 << 20

// decode decodes the arguments of a call. Missing arguments are an empty object.
func (s *Server) decode(ctx context.Context, arguments json.RawMessage, in any) error {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	return s.decoder.Decode(arguments, in, func(bytes int64) error {
		if bytes > max(maxArguments, 4*s.opts.MaxBodyBytes) {
			return &service.Error{Kind: service.TooLarge, Detail: "Arguments would take too much memory"}
		}
		return reserve(ctx, argumentsPart, bytes)
	})
}

// tenant returns whose memory a call may use.
func (s *Server) tenant(ctx context.Context) (service.Tenant, error) {
	t, err := s.opts.Tenant(ctx)
	if err != nil {
		return service.Tenant{}, &service.Error{Kind: service.Forbidden, Detail: "Not authorized", Err: err}
	}
	return service.Tenant(t), nil
}

// within does what a client asks for within the limits on calls, time and memory, and returns its
// result as a text. A panic becomes an error.
func (s *Server) within(ctx context.Context, connection *mcp.ServerSession, do func(context.Context, service.Tenant) (any, error)) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = s.internalError(ctx, "panic", fmt.Sprintf("%T", p))
		}
	}()
	ctx, cancel := s.bound(s.withOwnSession(ctx, connection))
	defer cancel()
	tenant, leave, err := s.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	made, err := do(ctx, tenant)
	if err != nil {
		return "", err
	}
	text, ok := made.(string)
	if !ok {
		encoded, err := wire.Encode(made)
		if err != nil {
			return "", s.internalError(ctx, "error", err.Error())
		}
		text = string(inert.JSON(encoded))
	}
	return text, reserve(ctx, answerPart, answerFactor*int64(len(text)))
}

// internalError logs a failure that is not the client's, without contents.
func (s *Server) internalError(ctx context.Context, kind, what string) error {
	s.opts.Logger.ErrorContext(ctx, "mcpserver: a call failed", slog.String(kind, what))
	return &service.Error{Detail: "Internal server error"}
}

// ownerName returns a text that no two tenants share.
func ownerName(t service.Tenant) string { return fmt.Sprintf("%q %q", t.Namespace, t.UserID) }

// ownerOf returns the owner of a call's extraction, or "" if it has none.
func (s *Server) ownerOf(ctx context.Context) string {
	t, err := s.tenant(ctx)
	if err != nil {
		return ""
	}
	return ownerName(t)
}

// enter returns whose memory a call may use, and waits until fewer than MaxCalls calls run.
// Tenants take turns.
func (s *Server) enter(ctx context.Context) (t service.Tenant, leave func(), err error) {
	if t, err = s.tenant(ctx); err != nil {
		return t, nil, err
	}
	if err := s.running.Acquire(ctx, ownerName(t)); err != nil {
		return t, nil, err
	}
	return t, s.running.Release, nil
}

// bound returns a context that ends after the timeout, or with the HTTP request that brought
// the call: the SDK passes on only the values of the request's context. The memory of the call
// is a part of that of the request.
func (s *Server) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx = ownMemory(ctx)
	r, ok := ctx.Value(requestKey{}).(request)
	if !ok {
		return context.WithTimeout(ctx, s.opts.Timeout)
	}
	ctx, cancel := context.WithDeadline(ctx, r.until)
	stop := context.AfterFunc(r.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
