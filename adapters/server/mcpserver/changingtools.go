package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// addChangingTools adds the tools that change long-term memory.
func addChangingTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "create_long_term_memories", title: "Add memories", effect: replaces,
			text: "Adds memories to long-term memory. A memory with the id of another replaces it; a duplicate is merged with the other. For a line of text, memorize is simpler.",
		}, s.create),
		addTool(s, tool{
			name: "edit_long_term_memory", title: "Change a memory", effect: replaces,
			text: "Changes the given fields of a memory in long-term memory, and nothing else. Namespace and user only select the memory.",
		}, s.edit),
		addTool(s, tool{
			name: "delete_long_term_memories", title: "Delete memories", effect: replaces,
			text: "Deletes memories from long-term memory by id. This cannot be undone.",
		}, s.delete),
		addTool(s, tool{
			name: "forget_memories", title: "Forget", effect: replaces,
			text: "Forgets memories: those with some ids, or those that a policy does not keep, by age, by inactivity, or beyond a number. With dry_run it only lists them. This cannot be undone.",
		}, s.forget),
		addTool(s, tool{
			name: "compact_long_term_memories", title: "Merge duplicates", effect: replaces,
			text: "Merges duplicate memories.",
		}, s.compact),
	)
}

type create struct {
	Memories    []record   `json:"memories" wire:"required" jsonschema:"the memories to add"`
	Deduplicate *wire.Bool `json:"deduplicate,omitempty" jsonschema:"merge what is the same memory; true where it is missing"`
	owner
}

// created is the result of create_long_term_memories.
type created struct {
	Status string   `json:"status" jsonschema:"ok"`
	IDs    []string `json:"ids" jsonschema:"the ids under which they were kept, but for what was the same as another"`
}

func (s *Server) create(ctx context.Context, t service.Tenant, in *create) (*created, string, error) {
	done := &created{Status: "ok", IDs: make([]string, len(in.Memories))}
	for i := range in.Memories {
		if in.Memories[i].ID == "" {
			in.Memories[i].ID = newID()
		}
		done.IDs[i] = in.Memories[i].ID
	}
	body := &wire.MemoryBody{Memories: records(in.Memories), Deduplicate: in.Deduplicate}
	o := s.ownerWithin(t, in.owner)
	return done, "", s.service.CreateMemories(ctx, t, o.Namespace, o.UserID, translate.Memories(body.Memories), translate.Apart(body))
}

type edit struct {
	ID        string     `json:"memory_id" wire:"required" jsonschema:"the id of the memory"`
	Text      *string    `json:"text,omitempty" jsonschema:"the new text"`
	Topics    *wire.List `json:"topics,omitempty" jsonschema:"what it is about; without commas"`
	Entities  *wire.List `json:"entities,omitempty" jsonschema:"whom and what it is about, by name; without commas"`
	Type      *string    `json:"memory_type,omitempty" jsonschema:"semantic or episodic"`
	SessionID *string    `json:"session_id,omitempty" jsonschema:"the session it came from"`
	EventDate *wire.Time `json:"event_date,omitempty" jsonschema:"when it happened, of an episodic one"`
	Pinned    *wire.Bool `json:"pinned,omitempty" jsonschema:"it is never forgotten"`
	owner
}

func (s *Server) edit(ctx context.Context, t service.Tenant, in *edit) (*wire.Memory, string, error) {
	patch := translate.MemoryPatch(&wire.MemoryPatch{
		Text: in.Text, Topics: in.Topics, Entities: in.Entities, Type: in.Type,
		SessionID: in.SessionID, EventDate: in.EventDate, Pinned: in.Pinned,
	})
	o := s.ownerWithin(t, in.owner)
	changed, err := s.service.PatchMemory(ctx, t, in.ID, o.Namespace, o.UserID, patch)
	if err != nil {
		return nil, "", err
	}
	return new(translate.Memory(changed)), "", nil
}

type remove struct {
	IDs []string `json:"memory_ids" wire:"required" jsonschema:"the ids of the memories, 1000 at most"`
	owner
}

// removed is the result of delete_long_term_memories.
type removed struct {
	Status  string `json:"status" jsonschema:"says how many were deleted"`
	Deleted int    `json:"deleted" jsonschema:"how many were deleted"`
}

func (s *Server) delete(ctx context.Context, t service.Tenant, in *remove) (*removed, string, error) {
	if len(in.IDs) == 0 {
		return nil, "", invalidArgument("List should have 1 to 1000 items", "memory_ids")
	}
	o := s.ownerWithin(t, in.owner)
	n, err := s.service.DeleteMemories(ctx, t, in.IDs, o.Namespace, o.UserID)
	status := fmt.Sprintf("ok, deleted %d memories", n)
	return &removed{Status: status, Deleted: n}, status, err
}

type compact struct{ owner }

// compacted is the result of compact_long_term_memories.
type compacted struct {
	Status    string `json:"status" jsonschema:"says how many memories remain"`
	Remaining int    `json:"remaining" jsonschema:"how many memories remain"`
}

func (s *Server) compact(ctx context.Context, t service.Tenant, in *compact) (*compacted, string, error) {
	o := s.ownerWithin(t, in.owner)
	n, err := s.service.CompactMemories(ctx, t, o.Namespace, o.UserID)
	status := fmt.Sprintf("ok, %d memories remaining after compaction", n)
	return &compacted{Status: status, Remaining: n}, status, err
}
