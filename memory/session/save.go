package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
)

// Save writes a session if it has not changed since it was read, or does not exist if it is
// new: otherwise it returns ErrConflict and changes nothing. A session that was read in part
// may only be appended to. Afterwards s has the new version, and may be changed and saved
// again. Errors: ErrConflict, ErrPartial, ErrKey, ErrTTL, ErrTooLarge, *MessageError,
// *FormatError, *DamagedError, ErrUnavailable, ErrClosed.
func (m *Manager) Save(ctx context.Context, s *Session, opts *WriteOptions) error {
	if err := s.Key.Check(); err != nil {
		return err
	}
	return m.save(ctx, s, opts)
}

func (m *Manager) save(ctx context.Context, s *Session, opts *WriteOptions) error {
	w, messages, err := m.write(s, opts)
	if err != nil || w == nil {
		return err
	}
	at, err := m.store.Write(ctx, s.Key, *w)
	if err != nil {
		return fmt.Errorf("session: saving: %w", err)
	}
	s.saved(w, messages, at)
	m.promotions.Written(s.Key, at)
	m.summarized(ctx, s)
	return nil
}

// write returns the Write that stores a session, and its messages afterwards. It returns
// nil if nothing has changed.
func (m *Manager) write(s *Session, opts *WriteOptions) (*driver.Write, []Message, error) {
	carried, err := m.carried(opts)
	if err != nil {
		return nil, nil, err
	}
	now := m.Now()
	s.fillIn(carried.ttl, now)
	h := s.head()
	encoded, err := h.Encode()
	if err != nil {
		return nil, nil, err
	}
	w := &driver.Write{
		If:   driver.Condition{Revision: s.from.At.Revision},
		Head: encoded, Format: driver.Format, TTL: carried.ttl, Window: carried.window, Now: now,
	}
	if s.from.complete && w.If.Revision != 0 {
		w.If.Next = s.from.At.Next
	}
	messages, err := m.writeMessages(s, w)
	if err != nil {
		return nil, nil, err
	}
	w.Due = m.promotions.DueWritten(&h, w)
	same := bytes.Equal(encoded, s.from.Encoded) && w.DropBefore == 0 && len(w.Messages) == 0
	if same && s.Version() != 0 && carried.ttl == 0 && carried.window == 0 {
		return nil, nil, nil
	}
	return w, messages, nil
}

// fillIn sets missing fields before a write.
func (s *Session) fillIn(ttl time.Duration, now time.Time) {
	s.TTL = s.from.TTL
	if ttl != 0 {
		s.TTL = lifetime(ttl)
	}
	if s.CreatedAt.IsZero() {
		s.CreatedAt = now
	}
	for i := range s.Memories {
		if s.Memories[i].ID == "" {
			s.Memories[i].ID = ulid.Make().String()
		}
	}
}

// writeMessages sets which messages the Write drops and adds. It returns the messages of
// the session afterwards.
func (m *Manager) writeMessages(s *Session, w *driver.Write) ([]Message, error) {
	messages := head.Clone(s.Messages)
	kept, dropBefore, err := s.kept(messages)
	if err != nil {
		return nil, err
	}
	w.DropBefore = dropBefore
	s.from.Promotion.Carry(s.from.Messages, messages[kept:])
	if w.Messages, err = head.EncodeMessages(messages[kept:], m.opts.Counter, w.Now); err != nil {
		if wrong, ok := errors.AsType[*MessageError](err); ok {
			wrong.Index += kept
		}
		return nil, err
	}
	if i := duplicate(messages); i >= 0 {
		return nil, &MessageError{Index: i, Err: ErrDuplicateID}
	}
	return messages, nil
}

// kept returns how many of the messages to write are the last ones that the session had,
// counted from the first message to write, and the number before which the others leave. If
// the messages begin differently, all that the session had leave.
func (s *Session) kept(messages []Message) (kept int, dropBefore uint64, err error) {
	had := s.from.Messages
	if len(had) == 0 {
		if s.from.At.Next > 0 && s.from.At.Revision == 0 && !s.from.complete { // a part of a rebuilt session
			return 0, 0, ErrPartial
		}
		return 0, 0, nil
	}
	first := len(had)
	if len(messages) > 0 {
		first = slices.IndexFunc(had, func(m Message) bool { return m.ID == messages[0].ID })
		if first < 0 {
			first = len(had)
		}
	}
	kept = len(had) - first
	if kept > len(messages) || !slices.EqualFunc(had[first:], messages[:kept], s.from.Promotion.Same) {
		first, kept = len(had), 0
	}
	switch {
	case first == 0:
		return kept, 0, nil
	case !s.from.complete:
		return 0, 0, ErrPartial
	case first == len(had):
		return 0, s.from.At.Next, nil
	}
	return kept, had[first].Seq, nil
}

// saved updates the session after a write.
func (s *Session) saved(w *driver.Write, messages []Message, at driver.Position) {
	had := s.from.Messages
	s.from.At, s.from.Encoded, s.from.TTL = at, w.Head, s.TTL
	if w.If.Revision == 0 && !s.from.none { // not made by Manager.New
		s.from.complete = true
	}
	for i := range messages {
		messages[i].Seq = at.Next - uint64(len(messages)-i)
	}
	kept := len(messages) - len(w.Messages) // these keep their numbers
	s.Messages, s.from.Messages = messages, head.Clone(messages)
	copy(s.from.Messages[:kept], had[len(had)-kept:])
	s.from.Promotion.Mark(s.Messages)
	s.accessed()
}

// duplicate returns the index of the first message with the id of an earlier one, or -1.
func duplicate(messages []Message) int {
	seen := make(map[string]bool, len(messages))
	for i := range messages {
		if seen[messages[i].ID] {
			return i
		}
		seen[messages[i].ID] = true
	}
	return -1
}
