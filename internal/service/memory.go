package service

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// scopeOf returns the part of long-term memory that a tenant's request may see, narrowed to
// namespace and userID if they are not nil. allowed is false if the request names another
// tenant's; the caller then answers as if nothing existed.
func scopeOf(t Tenant, namespace, userID *string) (scope longterm.Scope, allowed bool) {
	ns, user, allowed := narrowed(t, namespace, userID)
	switch {
	case ns != nil && user != nil:
		return longterm.Of(*ns, *user), allowed
	case ns != nil:
		return longterm.OfNamespace(*ns), allowed
	case user != nil:
		return longterm.OfUser(*user), allowed
	default:
		return longterm.Everyone(), allowed
	}
}

// CreateMemories puts memories into long-term memory. A memory replaces the one with its id,
// and equal memories are merged unless apart is true. namespace and userID are the defaults
// for memories without an owner. PersistedAt is ignored. Errors: Bad, Invalid and Forbidden,
// after which no memory is stored; Conflict, Unavailable.
func (s *Service) CreateMemories(ctx context.Context, t Tenant, namespace, userID *string, memories []longterm.Record, apart bool) error {
	var c checks
	c.memories(memories, true)
	if err := c.invalid(); err != nil {
		return err
	}
	if s.opts.Memory == nil {
		return memoryDisabled()
	}
	records := slices.Clone(memories)
	for i := range records {
		r := &records[i]
		ns, user, err := owner(t, orRequested(r.Namespace, namespace), orRequested(r.UserID, userID))
		if err != nil {
			return err
		}
		r.Namespace, r.UserID, r.PersistedAt = ns, user, time.Time{}
	}
	scope, _ := scopeOf(t, nil, nil)
	_, err := s.opts.Memory.Put(ctx, scope, records, &longterm.PutOptions{NoMerge: apart})
	return s.reportError(ctx, err)
}

// orRequested returns the part of an owner that a memory names, or the request's if it is empty.
func orRequested(part string, otherwise *string) *string {
	if part == "" {
		return otherwise
	}
	return &part
}

// GetMemory returns a memory by its id, restricted to namespace and userID if they are not
// nil. An id that several memories have is not found. Errors: Bad, NotFound, Unavailable.
func (s *Service) GetMemory(ctx context.Context, t Tenant, id string, namespace, userID *string) (*longterm.Record, error) {
	if s.opts.Memory == nil {
		return nil, memoryDisabled()
	}
	scope, allowed := scopeOf(t, namespace, userID)
	if !allowed || !isMemoryID(id) {
		return nil, memoryNotFound(id)
	}
	found, err := s.opts.Memory.Get(ctx, scope, id)
	if err != nil {
		return nil, s.reportMemoryError(ctx, id, err)
	}
	return &found, nil
}

// MemoryPatch is a change to a memory. Nil fields are left unchanged.
type MemoryPatch struct {
	Text, Type       *string
	Topics, Entities *[]string
	// Namespace and UserID are the new owner, which must be of the tenant.
	Namespace, UserID *string
	SessionID         *string
	EventDate         *time.Time
	Pinned            *bool
}

// PatchMemory changes a memory, which is found as by GetMemory, and returns the result. A new
// owner moves it. Errors: Bad, Invalid, Forbidden, NotFound, Conflict, Unavailable.
func (s *Service) PatchMemory(ctx context.Context, t Tenant, id string, namespace, userID *string, patch *MemoryPatch) (*longterm.Record, error) {
	if err := patch.check(); err != nil {
		return nil, err
	}
	switch {
	case s.opts.Memory == nil:
		return nil, memoryDisabled()
	case *patch == (MemoryPatch{}):
		return nil, &Error{Kind: Bad, Detail: "No fields provided for update"}
	}
	if _, _, err := owner(t, patch.Namespace, patch.UserID); err != nil {
		return nil, err
	}
	scope, allowed := scopeOf(t, namespace, userID)
	if !allowed || !isMemoryID(id) {
		return nil, memoryNotFound(id)
	}
	tenant, _ := scopeOf(t, nil, nil)
	updated, err := s.opts.Memory.Move(ctx, scope, id, tenant, func(r *longterm.Record) error {
		applyPatch(patch, r)
		return nil
	})
	if err != nil {
		return nil, s.reportMemoryError(ctx, id, patchError(err))
	}
	return &updated, nil
}

// applyPatch changes r.
func applyPatch(patch *MemoryPatch, r *longterm.Record) {
	r.Namespace, r.UserID = orElse(patch.Namespace, r.Namespace), orElse(patch.UserID, r.UserID)
	r.Text, r.SessionID = orElse(patch.Text, r.Text), orElse(patch.SessionID, r.SessionID)
	if patch.Topics != nil {
		r.Topics = *patch.Topics
	}
	if patch.Entities != nil {
		r.Entities = *patch.Entities
	}
	if patch.Type != nil {
		r.Type = session.RecordType(*patch.Type)
	}
	if patch.EventDate != nil {
		r.EventDate = *patch.EventDate
	}
	if patch.Pinned != nil {
		r.Pinned = *patch.Pinned
	}
}

// DeleteMemories deletes memories and returns how many it deleted. It ignores ids that no
// memory or several memories have. Errors: Bad, Invalid for more than MaxIDs ids, Conflict,
// Unavailable.
func (s *Service) DeleteMemories(ctx context.Context, t Tenant, ids []string, namespace, userID *string) (int, error) {
	if s.opts.Memory == nil {
		return 0, memoryDisabled()
	}
	var c checks
	c.atMost(len(ids), MaxIDs, "memory_ids")
	if err := c.invalid(); err != nil {
		return 0, err
	}
	scope, allowed := scopeOf(t, namespace, userID)
	if !allowed {
		return 0, nil
	}
	var known []string
	for _, id := range ids {
		if isMemoryID(id) {
			known = append(known, id)
		}
	}
	deleted, err := s.opts.Memory.Delete(ctx, scope, known...)
	return deleted, s.reportError(ctx, err)
}

// isMemoryID reports whether id is valid for a memory.
func isMemoryID(id string) bool {
	return id != "" && len(id) <= driver.MaxIDBytes && utf8.ValidString(id)
}

// reportMemoryError is reportError for a call about one memory.
func (s *Service) reportMemoryError(ctx context.Context, id string, err error) error {
	if errors.Is(err, longterm.ErrNotFound) {
		return memoryNotFound(id)
	}
	return s.reportError(ctx, err)
}
