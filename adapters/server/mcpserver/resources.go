package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// Templates of the URIs of resources. Their parts are percent-encoded.
const (
	blockTemplate    = "memory://sessions/{session_id}/block{?namespace,user_id,budget}"
	entitiesTemplate = "memory://sessions/{session_id}/entities{?namespace,user_id}"
)

// addResources adds the resources of a session, which clients read without a tool.
func (s *Server) addResources() {
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "block", Title: "Known entities", MIMEType: "text/plain", URITemplate: blockTemplate,
		Description: "The [WORKING MEMORY] block of a session, for the system prompt; empty if there are none.",
	}, s.resource(func(ctx context.Context, t service.Tenant, ref service.Ref, query url.Values) (string, error) {
		budget, err := parseBudget(query)
		if err != nil {
			return "", err
		}
		return s.service.Block(ctx, t, ref, service.BlockView{Budget: budget})
	}))
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "entities", Title: "Entities", MIMEType: "application/json", URITemplate: entitiesTemplate,
		Description: "The entities that the tools of a session returned, newest first.",
	}, s.resource(func(ctx context.Context, t service.Tenant, ref service.Ref, _ url.Values) (string, error) {
		found, err := s.service.Entities(ctx, t, ref)
		if err != nil {
			return "", err
		}
		encoded, err := wire.Encode(translate.Entities(found))
		return string(inert.JSON(encoded)), err
	}))
}

// reader reads a resource of a session.
type reader func(ctx context.Context, t service.Tenant, ref service.Ref, query url.Values) (string, error)

// resource returns the handler of a resource. The limits on calls and time apply as for tools.
func (s *Server) resource(read reader) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (_ *mcp.ReadResourceResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.opts.Logger.ErrorContext(ctx, "mcpserver: a resource panicked", slog.String("panic", fmt.Sprintf("%T", p)))
				err = protocolError(req.Params.URI, &service.Error{Detail: "Internal server error"})
			}
		}()
		ctx, cancel := s.bound(ctx)
		defer cancel()
		t, leave, err := s.enter(ctx)
		if err != nil {
			return nil, protocolError(req.Params.URI, err)
		}
		defer leave()
		text, err := s.readResource(ctx, t, req.Params.URI, read)
		if err == nil {
			err = reserve(ctx, answerPart, answerFactor*int64(len(text)))
		}
		if err != nil {
			return nil, protocolError(req.Params.URI, err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: text}}}, nil
	}
}

func (s *Server) readResource(ctx context.Context, t service.Tenant, uri string, read reader) (string, error) {
	p, query, err := parseURI(uri)
	if err != nil {
		return "", err
	}
	return read(ctx, t, s.ref(t, p), query)
}

// errURI is returned for a URI that names no resource of this server.
var errURI = &service.Error{Kind: service.NotFound, Detail: "Resource not found"}

// parseURI returns the session and the parameters of a URI.
func parseURI(uri string) (place, url.Values, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return place{}, nil, errURI
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return place{}, nil, errURI
	}
	encoded, _, _ := strings.Cut(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	id, err := url.PathUnescape(encoded)
	if err != nil || id == "" {
		return place{}, nil, errURI
	}
	p := place{SessionID: id}
	if query.Has("namespace") {
		p.Namespace = new(query.Get("namespace"))
	}
	if query.Has("user_id") {
		p.UserID = new(query.Get("user_id"))
	}
	return p, query, nil
}

func parseBudget(query url.Values) (int, error) {
	if !query.Has("budget") {
		return 0, nil
	}
	n, err := strconv.Atoi(query.Get("budget"))
	if err != nil {
		return 0, invalidArgument("Input should be a valid integer", "budget")
	}
	return n, nil
}

// protocolError converts an error of a resource to one of the protocol.
func protocolError(uri string, err error) error {
	e, ok := errors.AsType[*service.Error](err)
	switch {
	case ok && e.Kind == service.NotFound:
		return mcp.ResourceNotFoundError(uri)
	case len(translate.Mistakes(err)) > 0, ok && e.Kind != service.Internal && e.Kind != service.Unavailable:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: errorText(err)}
	default:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: errorText(err)}
	}
}
