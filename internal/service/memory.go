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

// scope is what a tenant's request may see of long-term memory, narrowed to a namespace
// and a user where these are not nil. mine is false if the request names another's: then
// there is nothing, as if nobody had it.
func scope(t Tenant, namespace, userID *string) (of longterm.Scope, mine bool) {
	ns, user, mine := narrowed(t, namespace, userID)
	switch {
	case ns != nil && user != nil:
		return longterm.Of(*ns, *user), mine
	case ns != nil:
		return longterm.OfNamespace(*ns), mine
	case user != nil:
		return longterm.OfUser(*user), mine
	default:
		return longterm.Everyone(), mine
	}
}

// CreateMemories puts memories into long-term memory: the id replaces, and what is the same
// memory is merged unless apart is true. namespace and userID are those of the memories that
// have none. When they were promoted is not the caller's to say.
// Errors: Bad, Invalid, Forbidden, with all of which nothing is kept; Conflict, Unavailable.
func (s *Service) CreateMemories(ctx context.Context, t Tenant, namespace, userID *string, memories []longterm.Record, apart bool) error {
	var c checks
	c.memories(memories, true)
	if err := c.invalid(); err != nil {
		return err
	}
	if s.opts.Memory == nil {
		return disabled()
	}
	records := slices.Clone(memories)
	for i := range records {
		r := &records[i]
		ns, user, err := owner(t, named(r.Namespace, namespace), named(r.UserID, userID))
		if err != nil {
			return err
		}
		r.Namespace, r.UserID, r.PersistedAt = ns, user, time.Time{}
	}
	of, _ := scope(t, nil, nil)
	_, err := s.opts.Memory.Put(ctx, of, records, &longterm.PutOptions{NoMerge: apart})
	return s.fail(ctx, err)
}

// named is a part of an owner that a memory names, or else its request; an empty one names
// nobody.
func named(part string, otherwise *string) *string {
	if part == "" {
		return otherwise
	}
	return &part
}

// GetMemory returns a memory by its id, in a namespace and of a user where these are not
// nil. Where several are meant there is none. Errors: Bad, NotFound, Unavailable.
func (s *Service) GetMemory(ctx context.Context, t Tenant, id string, namespace, userID *string) (*longterm.Record, error) {
	if s.opts.Memory == nil {
		return nil, disabled()
	}
	of, mine := scope(t, namespace, userID)
	if !mine || !isMemoryID(id) {
		return nil, noMemory(id)
	}
	found, err := s.opts.Memory.Get(ctx, of, id)
	if err != nil {
		return nil, s.failMemory(ctx, id, err)
	}
	return &found, nil
}

// MemoryPatch is what to change of a memory; what is nil stays.
type MemoryPatch struct {
	Text, Type       *string
	Topics, Entities *[]string
	// Namespace and UserID must be what they are: memories do not change owners.
	Namespace, UserID *string
	SessionID         *string
	EventDate         *time.Time
	Pinned            *bool
}

// PatchMemory sets what a patch brings, and returns the memory as it is then. Memories are
// found as by GetMemory, and do not change owners. Errors: Bad, Invalid, Forbidden,
// NotFound, Conflict, Unavailable.
func (s *Service) PatchMemory(ctx context.Context, t Tenant, id string, namespace, userID *string, patch *MemoryPatch) (*longterm.Record, error) {
	if err := patch.check(); err != nil {
		return nil, err
	}
	switch {
	case s.opts.Memory == nil:
		return nil, disabled()
	case *patch == (MemoryPatch{}):
		return nil, &Error{Kind: Bad, Detail: "No fields provided for update"}
	}
	if _, _, err := owner(t, patch.Namespace, patch.UserID); err != nil {
		return nil, err
	}
	of, mine := scope(t, namespace, userID)
	if !mine || !isMemoryID(id) {
		return nil, noMemory(id)
	}
	updated, err := s.opts.Memory.Update(ctx, of, id, func(r *longterm.Record) error { return apply(patch, r) })
	if err != nil {
		return nil, s.failMemory(ctx, id, wrongPatch(err))
	}
	return &updated, nil
}

// apply makes the changes of a patch.
func apply(patch *MemoryPatch, r *longterm.Record) error {
	if orElse(patch.Namespace, r.Namespace) != r.Namespace || orElse(patch.UserID, r.UserID) != r.UserID {
		return &Error{Kind: Bad, Detail: "Memories cannot change owners"}
	}
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
	return nil
}

// DeleteMemories removes memories, and returns how many. What is not there is passed over,
// and so are ids of which each means several memories. Errors: Bad, Invalid for more than
// MaxIDs ids, Conflict, Unavailable.
func (s *Service) DeleteMemories(ctx context.Context, t Tenant, ids []string, namespace, userID *string) (int, error) {
	if s.opts.Memory == nil {
		return 0, disabled()
	}
	var c checks
	c.atMost(len(ids), MaxIDs, "memory_ids")
	if err := c.invalid(); err != nil {
		return 0, err
	}
	of, mine := scope(t, namespace, userID)
	if !mine {
		return 0, nil
	}
	var known []string
	for _, id := range ids {
		if isMemoryID(id) {
			known = append(known, id)
		}
	}
	deleted, err := s.opts.Memory.Delete(ctx, of, known...)
	return deleted, s.fail(ctx, err)
}

// isMemoryID reports whether a memory may have an id.
func isMemoryID(id string) bool {
	return id != "" && len(id) <= driver.MaxIDBytes && utf8.ValidString(id)
}

// failMemory is fail for what is about one memory.
func (s *Service) failMemory(ctx context.Context, id string, err error) error {
	if errors.Is(err, longterm.ErrNotFound) {
		return noMemory(id)
	}
	return s.fail(ctx, err)
}
