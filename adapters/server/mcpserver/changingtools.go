package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// addChangingTools adds the tools that change long-term memory in ways that the simple ones do not.
func addChangingTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "create_long_term_memories", title: "Add memories", effect: replaces,
			text: "Adds memories. One with a known id replaces that memory; equal ones of a session are merged. Simpler: memorize.",
		}, s.create),
		addTool(s, tool{
			name: "edit_long_term_memory", title: "Change a memory", effect: replaces,
			text: "Changes the given fields of a memory. namespace and user_id only select it.",
		}, s.edit),
		addTool(s, tool{
			name: "delete_long_term_memories", title: "Delete memories", effect: replaces,
			text: "The same as forget.",
		}, s.forget),
		addTool(s, tool{
			name: "forget_memories", title: "Forget by policy", effect: replaces,
			text: "Deletes the memories that a policy does not keep. dry_run false deletes; the default only lists them.",
		}, s.forgetByPolicy),
		addTool(s, tool{
			name: "compact_long_term_memories", title: "Merge duplicates", effect: replaces,
			text: "Merges duplicate memories.",
		}, s.compact),
	)
}

type create struct {
	Memories    []wire.Memory `json:"memories" wire:"required,max=100000"`
	Deduplicate *wire.Bool    `json:"deduplicate,omitempty" jsonschema:"default true"`
	owner
}

// created is the result of create_long_term_memories. The ids are those under which memories were
// kept, unless they were merged with others.
type created struct {
	Status string   `json:"status"`
	IDs    []string `json:"ids"`
}

func (s *Server) create(ctx context.Context, t service.Tenant, in *create) (any, error) {
	done := &created{Status: "ok", IDs: make([]string, len(in.Memories))}
	for i := range in.Memories {
		if in.Memories[i].ID == "" {
			in.Memories[i].ID = newID()
		}
		done.IDs[i] = in.Memories[i].ID
	}
	body := &wire.MemoryBody{Memories: in.Memories, Deduplicate: in.Deduplicate}
	o := s.ownerWithin(t, in.owner)
	return done, s.service.CreateMemories(ctx, t, o.Namespace, o.UserID, translate.Memories(body.Memories), translate.Apart(body))
}

type edit struct {
	ID        string     `json:"memory_id" wire:"required"`
	Text      *string    `json:"text,omitempty"`
	Topics    *wire.List `json:"topics,omitempty"`
	Entities  *wire.List `json:"entities,omitempty"`
	Type      *string    `json:"memory_type,omitempty"`
	SessionID *string    `json:"session_id,omitempty"`
	EventDate *wire.Time `json:"event_date,omitempty"`
	Pinned    *wire.Bool `json:"pinned,omitempty" jsonschema:"never forgotten by a policy"`
	owner
}

func (s *Server) edit(ctx context.Context, t service.Tenant, in *edit) (any, error) {
	patch := translate.MemoryPatch(&wire.MemoryPatch{
		Text: in.Text, Topics: in.Topics, Entities: in.Entities, Type: in.Type,
		SessionID: in.SessionID, EventDate: in.EventDate, Pinned: in.Pinned,
	})
	o := s.ownerWithin(t, in.owner)
	changed, err := s.service.PatchMemory(ctx, t, in.ID, o.Namespace, o.UserID, patch)
	if err != nil {
		return nil, err
	}
	return new(translate.Memory(changed)), nil
}

type forgetByPolicy struct {
	Policy    *wire.ForgetPolicy `json:"policy" wire:"required" jsonschema:"budget: how many to keep; memory_type_allowlist: types that may be deleted"`
	PinnedIDs []string           `json:"pinned_ids,omitempty" jsonschema:"never deleted"`
	SessionID *string            `json:"session_id,omitempty" jsonschema:"only memories of this session"`
	Limit     *wire.Int          `json:"limit,omitempty" jsonschema:"how many to examine; default 1000"`
	DryRun    *wire.Bool         `json:"dry_run,omitempty"`
	owner
}

func (s *Server) forgetByPolicy(ctx context.Context, t service.Tenant, in *forgetByPolicy) (any, error) {
	limit := longterm.DefaultForgetLimit
	if in.Limit != nil {
		limit = int(*in.Limit)
	}
	o := s.ownerWithin(t, in.owner)
	forget := translate.Forget(&wire.Forget{Policy: in.Policy, PinnedIDs: in.PinnedIDs})
	forget.SessionID, forget.Limit, forget.DryRun = in.SessionID, limit, in.DryRun == nil || bool(*in.DryRun)
	gone, err := s.service.ForgetMemories(ctx, t, o.Namespace, o.UserID, forget)
	if err != nil {
		return nil, err
	}
	return translate.Forgotten(gone), nil
}

type compact struct{ owner }

func (s *Server) compact(ctx context.Context, t service.Tenant, in *compact) (any, error) {
	o := s.ownerWithin(t, in.owner)
	n, err := s.service.CompactMemories(ctx, t, o.Namespace, o.UserID)
	return fmt.Sprintf("ok, %d memories remaining after compaction", n), err
}
