package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// tool describes a tool, as it is listed.
type tool struct {
	name, title, text string
	effect            effect
	// shape adjusts the schema of the arguments. May be nil.
	shape func(*jsonschema.Schema)
}

// effect classifies what a call changes.
type effect int

const (
	reads    effect = iota // changes nothing
	adds                   // adds something each time
	settles                // adds something once, however often it is called
	replaces               // deletes or overwrites something
)

func (e effect) annotations(title string) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{
		Title: title, ReadOnlyHint: e == reads, DestructiveHint: new(e == replaces),
		IdempotentHint: e != adds, OpenWorldHint: new(false),
	}
}

// run implements a tool. It returns the structured content and a text for the model. If the
// text is empty, the content is sent as JSON.
type run[In, Out any] func(ctx context.Context, t service.Tenant, in *In) (*Out, string, error)

// addTool adds a tool. It decodes arguments and encodes results itself, because mcp.AddTool
// decodes all numbers as floating point and would lose digits of ids.
func addTool[In, Out any](s *Server, t tool, do run[In, Out]) error {
	input, err := s.schemas.Of(reflect.TypeFor[In]())
	if err != nil {
		return fmt.Errorf("arguments of %s: %w", t.name, err)
	}
	if t.shape != nil {
		t.shape(input)
	}
	output, err := s.schemas.Of(reflect.TypeFor[Out]())
	if err != nil {
		return fmt.Errorf("answer of %s: %w", t.name, err)
	}
	listed := &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.text, Annotations: t.effect.annotations(t.title),
		InputSchema: input, OutputSchema: output,
	}
	s.names[t.name] = true
	s.mcp.AddTool(listed, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.runTool(ctx, t.name, func(ctx context.Context, tenant service.Tenant) (any, string, error) {
			var in In
			if err := s.decode(ctx, req.Params.Arguments, &in); err != nil {
				return nil, "", err
			}
			return widen(do(ctx, tenant, &in))
		}), nil
	})
	return nil
}

// widen converts the result of a run to any.
func widen[Out any](out *Out, text string, err error) (any, string, error) { return out, text, err }

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

// runTool runs a tool within the limits on calls, time and memory, and turns errors and panics
// into failed calls.
func (s *Server) runTool(ctx context.Context, name string, do func(context.Context, service.Tenant) (any, string, error)) (result *mcp.CallToolResult) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Logger.ErrorContext(ctx, "mcpserver: a tool panicked", slog.String("tool", name), slog.String("panic", fmt.Sprintf("%T", p)))
			result = refusal(&service.Error{Detail: "Internal server error"})
		}
	}()
	ctx, cancel := s.bound(ctx)
	defer cancel()
	tenant, leave, err := s.enter(ctx)
	if err != nil {
		return refusal(err)
	}
	defer leave()
	out, text, err := do(ctx, tenant)
	if err != nil {
		return refusal(err)
	}
	encoded, err := wire.Encode(out)
	if err != nil {
		s.opts.Logger.ErrorContext(ctx, "mcpserver: result of a tool could not be encoded", slog.String("tool", name))
		return refusal(&service.Error{Detail: "Internal server error"})
	}
	if encoded = inert.JSON(encoded); text == "" {
		text = string(encoded)
	}
	if err := reserve(ctx, answerPart, answerFactor*int64(len(encoded))); err != nil {
		return refusal(err)
	}
	return &mcp.CallToolResult{
		Meta: mcp.Meta{ownTool: true}, Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: json.RawMessage(encoded),
	}
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
