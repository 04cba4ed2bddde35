package mcpserver

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

type forget struct {
	IDs       []string           `json:"memory_ids,omitempty" jsonschema:"the ids of the memories, 100 at most; without a policy"`
	Policy    *wire.ForgetPolicy `json:"policy,omitempty" jsonschema:"which memories are not kept; without ids"`
	PinnedIDs []string           `json:"pinned_ids,omitempty" jsonschema:"ids of memories that stay"`
	SessionID *string            `json:"session_id,omitempty" jsonschema:"only memories of this session, with a policy"`
	Limit     *wire.Int          `json:"limit,omitempty" jsonschema:"how many memories are looked at, with a policy, 1 to 10000; 1000 where it is missing"`
	DryRun    *wire.Bool         `json:"dry_run,omitempty" jsonschema:"only say which; where it is missing, true with a policy and false with ids"`
	owner
}

// maxForgetIDs limits the ids of one call: each costs a lookup.
const maxForgetIDs = 100

func (s *Server) forget(ctx context.Context, t service.Tenant, in *forget) (*wire.ForgetResult, string, error) {
	var gone *wire.ForgetResult
	var err error
	switch {
	case (in.Policy == nil) == (len(in.IDs) == 0):
		return nil, "", invalidArgument("Either memory_ids or a policy must be provided", "policy")
	case in.Policy == nil:
		gone, err = s.forgetIDs(ctx, t, in)
	default:
		gone, err = s.forgetByPolicy(ctx, t, in)
	}
	if err != nil {
		return nil, "", err
	}
	return gone, forgottenText(gone), nil
}

func (s *Server) forgetByPolicy(ctx context.Context, t service.Tenant, in *forget) (*wire.ForgetResult, error) {
	limit := longterm.DefaultForgetLimit
	if in.Limit != nil {
		limit = int(*in.Limit)
	}
	o := s.ownerWithin(t, in.owner)
	dry := in.DryRun == nil || bool(*in.DryRun)
	forget := translate.Forget(&wire.Forget{Policy: in.Policy, PinnedIDs: in.PinnedIDs})
	forget.SessionID, forget.Limit, forget.DryRun = in.SessionID, limit, dry
	gone, err := s.service.ForgetMemories(ctx, t, o.Namespace, o.UserID, forget)
	if err != nil {
		return nil, err
	}
	return translate.Forgotten(gone), nil
}

// forgetIDs deletes the memories with the given ids, except the pinned ones.
func (s *Server) forgetIDs(ctx context.Context, t service.Tenant, in *forget) (*wire.ForgetResult, error) {
	if len(in.IDs) > maxForgetIDs {
		return nil, invalidArgument("List should have at most 100 items", "memory_ids")
	}
	skip := make(map[string]bool, len(in.PinnedIDs)+len(in.IDs))
	for _, id := range in.PinnedIDs {
		skip[id] = true
	}
	gone := &wire.ForgetResult{Scanned: len(in.IDs), DeletedIDs: []string{}, DryRun: in.DryRun != nil && bool(*in.DryRun)}
	o := s.ownerWithin(t, in.owner)
	for _, id := range in.IDs {
		if skip[id] {
			continue
		}
		skip[id] = true // duplicates count once
		existed, err := s.forgetID(ctx, t, o, id, gone.DryRun)
		if err != nil {
			return nil, err
		}
		if existed {
			gone.Deleted++
			gone.DeletedIDs = append(gone.DeletedIDs, id)
		}
	}
	return gone, nil
}

// forgetID deletes a memory and reports whether it existed. With dry set it only looks.
func (s *Server) forgetID(ctx context.Context, t service.Tenant, o owner, id string, dry bool) (bool, error) {
	if !dry {
		n, err := s.service.DeleteMemories(ctx, t, []string{id}, o.Namespace, o.UserID)
		return n > 0, err
	}
	_, err := s.service.GetMemory(ctx, t, id, o.Namespace, o.UserID)
	if e, ok := errors.AsType[*service.Error](err); ok && e.Kind == service.NotFound {
		return false, nil
	}
	return err == nil, err
}
