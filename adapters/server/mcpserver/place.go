package mcpserver

import (
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// owner names a namespace and user in the arguments of a tool.
type owner struct {
	Namespace *string `json:"namespace,omitempty" jsonschema:"the namespace; the server's own where it is missing"`
	UserID    *string `json:"user_id,omitempty" jsonschema:"the user; the server's own where it is missing"`
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
	SessionID string  `json:"session_id" wire:"required" jsonschema:"the id of the session"`
	Namespace *string `json:"namespace,omitempty" jsonschema:"the namespace it is in; the server's own where it is missing"`
	UserID    *string `json:"user_id,omitempty" jsonschema:"whose it is; the server's own user where it is missing"`
}

func (s *Server) ref(t service.Tenant, p place) service.Ref {
	o := s.ownerWithin(t, owner{p.Namespace, p.UserID})
	return service.Ref{SessionID: p.SessionID, Namespace: o.Namespace, UserID: o.UserID}
}

// window gives the context window in the arguments of a tool.
type window struct {
	ModelName        *string   `json:"model_name,omitempty" jsonschema:"the model, whose context window is used"`
	ContextWindowMax *wire.Int `json:"context_window_max,omitempty" jsonschema:"the context window in tokens, at least 1; it takes precedence over the model"`
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
