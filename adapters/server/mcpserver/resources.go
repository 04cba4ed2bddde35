package mcpserver

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// URIs of resources. The parts of templates are percent-encoded.
const (
	ownBlockURI      = "memory://session/block"
	blockTemplate    = "memory://sessions/{session_id}/block{?namespace,user_id,budget}"
	entitiesTemplate = "memory://sessions/{session_id}/entities{?namespace,user_id}"
)

// addResources adds the resources of a session, which clients read without a tool.
func (s *Server) addResources() {
	s.mcp.AddResource(&mcp.Resource{
		Name: "own_block", Title: "Known entities", MIMEType: "text/plain", URI: ownBlockURI,
		Description: "The [WORKING MEMORY] block of this client's own session, for the system prompt; empty if there are no entities.",
	}, s.resource(s.readBlock))
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "block", Title: "Known entities of a session", MIMEType: "text/plain", URITemplate: blockTemplate,
		Description: "The [WORKING MEMORY] block of a session, for the system prompt; empty if there are no entities.",
	}, s.resource(s.readBlock))
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "entities", Title: "Entities", MIMEType: "application/json", URITemplate: entitiesTemplate,
		Description: "The entities that the tools of a session returned, newest first.",
	}, s.resource(s.readEntities))
}

func (s *Server) readBlock(ctx context.Context, t service.Tenant, ref service.Ref, query url.Values) (any, error) {
	budget, err := parseBudget(query)
	if err != nil {
		return nil, err
	}
	return s.service.Block(ctx, t, ref, service.BlockView{Budget: budget})
}

func (s *Server) readEntities(ctx context.Context, t service.Tenant, ref service.Ref, _ url.Values) (any, error) {
	found, err := s.service.Entities(ctx, t, ref)
	if err != nil {
		return nil, err
	}
	return translate.Entities(found), nil
}

// reader reads a resource of a session. Its result is as that of a run.
type reader func(ctx context.Context, t service.Tenant, ref service.Ref, query url.Values) (any, error)

// resource returns the handler of a resource.
func (s *Server) resource(read reader) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		text, err := s.within(ctx, req.Session, func(ctx context.Context, t service.Tenant) (any, error) {
			p, query, err := parseURI(req.Params.URI)
			if err != nil {
				return nil, err
			}
			ref, err := s.ref(ctx, t, p)
			if err != nil {
				return nil, err
			}
			return read(ctx, t, ref, query)
		})
		if err != nil {
			return nil, protocolError(req.Params.URI, err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: text}}}, nil
	}
}

// errURI is returned for a URI that names no resource of this server.
var errURI = &service.Error{Kind: service.NotFound, Detail: "Resource not found"}

// parseURI returns the session, empty for the own one, and the parameters of a URI.
func parseURI(uri string) (place, url.Values, error) {
	if uri == ownBlockURI {
		return place{}, nil, nil
	}
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
	p := place{SessionID: &id}
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
