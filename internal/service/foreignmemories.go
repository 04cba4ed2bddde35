package service

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// foreignMemories are the memories of a SessionWrite that have another owner than the session,
// by index: clients set the user in memories of sessions without a user. A session is promoted
// for its own owner only, so these memories are put into long-term memory before the session
// is written, which marks them as promoted. Putting them again, after a failed write or in a
// retry, changes nothing, since they keep their ids.
type foreignMemories map[int]persisted

// persisted is the id of a memory in long-term memory and when it was put there.
type persisted struct {
	id string
	at time.Time
}

// persistForeign puts the foreign memories of a session that is about to be written. Without a
// long-term memory they stay in the session. Errors: Invalid, and those of the Memory.
func (s *Service) persistForeign(ctx context.Context, t Tenant, r *replacement, found *session.Session) error {
	if s.opts.Memory == nil {
		return nil
	}
	var records []longterm.Record
	var places []int
	for i := range r.given.Memories { // found.Memories begins with these
		m := &found.Memories[i]
		record := withOwner(m, found.Key)
		if !m.PersistedAt.IsZero() || record.Namespace == found.Key.Namespace && record.UserID == found.Key.UserID {
			continue
		}
		if put, ok := r.foreign[i]; ok {
			m.ID, m.PersistedAt = put.id, put.at
			continue
		}
		m.ID = cmp.Or(m.ID, ulid.Make().String())
		record.ID, record.PersistedAt = m.ID, r.now
		records, places = append(records, record), append(places, i)
	}
	if len(records) == 0 {
		return nil
	}
	scope, _ := scopeOf(t, nil, nil)
	if _, err := s.opts.Memory.Put(ctx, scope, records, nil); err != nil {
		if wrong, ok := errors.AsType[*longterm.RecordError](err); ok && wrong.Index < len(places) {
			return &longterm.RecordError{Index: places[wrong.Index], ID: wrong.ID, Err: wrong.Err}
		}
		return err
	}
	for _, i := range places {
		found.Memories[i].PersistedAt = r.now
		r.foreign[i] = persisted{found.Memories[i].ID, r.now}
	}
	return nil
}

// withOwner returns a memory whose empty owner and session are those of key.
func withOwner(m *session.Record, key session.Key) session.Record {
	owned := *m
	owned.Namespace, owned.UserID = cmp.Or(m.Namespace, key.Namespace), cmp.Or(m.UserID, key.UserID)
	owned.SessionID = cmp.Or(m.SessionID, key.SessionID)
	return owned
}
