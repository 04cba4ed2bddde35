package mcpserver

import (
	"context"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// owner names a namespace and user in the arguments of a tool.
type owner struct {
	Namespace *string `json:"namespace,omitempty"`
	UserID    *string `json:"user_id,omitempty"`
}

// ownerWithin fills in the server's namespace and user where neither the request nor the tenant
// determines them.
func (s *Server) ownerWithin(t service.Tenant, o owner) owner {
	if o.Namespace == nil && t.Namespace == "" && s.opts.Namespace != "" {
		o.Namespace = &s.opts.Namespace
	}
	if o.UserID == nil && t.UserID == "" && s.opts.UserID != "" {
		o.UserID = &s.opts.UserID
	}
	return o
}

// place names a session in the arguments of a tool.
type place struct {
	SessionID *string `json:"session_id,omitempty" jsonschema:"default: your own session"`
	owner
}

// ref returns the session that the arguments of a call name, or else the own one.
func (s *Server) ref(ctx context.Context, t service.Tenant, p place) (service.Ref, error) {
	id := ownSession(ctx)
	switch {
	case p.SessionID != nil && *p.SessionID == "":
		return service.Ref{}, invalidArgument("String should have at least 1 character", "session_id")
	case p.SessionID != nil:
		id = *p.SessionID
	case id == "":
		return service.Ref{}, invalidArgument("Field required, because this client has no session of its own", "session_id")
	}
	o := s.ownerWithin(t, p.owner)
	return service.Ref{SessionID: id, Namespace: o.Namespace, UserID: o.UserID}, nil
}

// window gives the context window in the arguments of a tool.
type window struct {
	ModelName        *string   `json:"model_name,omitempty" jsonschema:"sets the context window"`
	ContextWindowMax *wire.Int `json:"context_window_max,omitempty" jsonschema:"in tokens"`
}

// size returns the model and the window in tokens, or "" and 0 if they are missing.
func (w window) size() (model string, tokens int64, err error) {
	if w.ModelName != nil {
		model = *w.ModelName
	}
	if w.ContextWindowMax != nil {
		if tokens = int64(*w.ContextWindowMax); tokens < 1 {
			return "", 0, invalidArgument("Input should be greater than 0", "context_window_max")
		}
	}
	return model, tokens, nil
}
