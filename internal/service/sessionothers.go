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

// others are the memories of a SessionWrite that are of other owners than its session, by their
// index: clients write the user into memories of sessions that have none. A session is
// promoted for its own owner alone, so these are put into long-term memory before the
// session is written, which then has them as promoted. Where the write fails, or is tried
// again, they are put again under their ids, which changes nothing.
type others map[int]other

// other is one that was put.
type other struct {
	id string
	at time.Time
}

// persistOthers puts those of a session that is about to be written. Without a long-term
// memory they wait in the session, like all others. Errors: Invalid, and what the
// Memory fails with.
func (s *Service) persistOthers(ctx context.Context, t Tenant, r *replacement, found *session.Session) error {
	if s.opts.Memory == nil {
		return nil
	}
	var records []longterm.Record
	var places []int
	for i := range r.given.Memories { // the session's come in this order
		m := &found.Memories[i]
		record := ownedBy(m, found.Key)
		if !m.PersistedAt.IsZero() || record.Namespace == found.Key.Namespace && record.UserID == found.Key.UserID {
			continue
		}
		if put, ok := r.others[i]; ok {
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
	of, _ := scope(t, nil, nil)
	if _, err := s.opts.Memory.Put(ctx, of, records, nil); err != nil {
		if wrong, ok := errors.AsType[*longterm.RecordError](err); ok && wrong.Index < len(places) {
			return &longterm.RecordError{Index: places[wrong.Index], ID: wrong.ID, Err: wrong.Err}
		}
		return err
	}
	for _, i := range places {
		found.Memories[i].PersistedAt = r.now
		r.others[i] = other{found.Memories[i].ID, r.now}
	}
	return nil
}

// ownedBy is a memory with the owner and the session that it has by default.
func ownedBy(m *session.Record, key session.Key) session.Record {
	owned := *m
	owned.Namespace, owned.UserID = cmp.Or(m.Namespace, key.Namespace), cmp.Or(m.UserID, key.UserID)
	owned.SessionID = cmp.Or(m.SessionID, key.SessionID)
	return owned
}
