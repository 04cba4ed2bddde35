package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/internal/contention"
)

// ErrPartial says that messages of a session that was read in part were changed or
// left out: only a session with all its messages, or one with others behind those
// that were read, can be written.
var ErrPartial = errors.New("session: only a part of the messages was read")

// Update reads a session with all its messages, lets fn change it, and writes it
// if nobody else changed it meanwhile; otherwise it does so again with what is
// there then, up to 100 times. A session that is not there is a new one, whose
// Version is 0. fn may be called several times, and must do nothing but change its
// session; the error it returns ends the update, and nothing is written. Nothing
// is written either where fn changes nothing and opts bring no TTL and no window.
//
// It returns the session as it was written. Errors: those of Load and Save but
// ErrNotFound, and that of fn.
func (m *Manager) Update(ctx context.Context, key Key, fn func(*Session) error, opts *WriteOptions) (*Session, error) {
	return m.update(ctx, key, -1, fn, opts)
}

// UpdateHead is Update without the messages, of any number: the session that fn
// gets has none, and those that it puts there are added at the end, but for those
// whose ids are in the session. Unlike Append it adds a message again that has left
// the session. What others append meanwhile is no conflict.
func (m *Manager) UpdateHead(ctx context.Context, key Key, fn func(*Session) error, opts *WriteOptions) (*Session, error) {
	return m.update(ctx, key, 0, fn, opts)
}

func (m *Manager) update(ctx context.Context, key Key, last int, fn func(*Session) error, opts *WriteOptions) (*Session, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	var s *Session
	err := retry(ctx, func() (err error) {
		s, err = m.load(ctx, key, last)
		if errors.Is(err, ErrNotFound) {
			s, err = m.begin(ctx, key, last, opts)
		}
		if err != nil {
			return err
		}
		if last == 0 {
			s.from.complete, s.from.none = false, true
		}
		if err := fn(s); err != nil {
			return contention.Final(err)
		}
		return m.save(ctx, s, opts)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// begin returns a session that is not there as it is to be changed: restored, where
// long-term memory has its messages, else a new one.
func (m *Manager) begin(ctx context.Context, key Key, last int, opts *WriteOptions) (*Session, error) {
	if !m.promotions.rebuilds() {
		return m.New(key), nil
	}
	carried, err := m.carried(opts)
	if err != nil {
		return nil, err
	}
	s := m.New(key)
	done, err := m.restoreNow(ctx, key, carried)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil: // it is done in the background
		m.opts.Logger.WarnContext(ctx, "session: it was not looked whether it is to be rebuilt", "session", key.Short(), "error", callee.Loggable(err))
		s.from.progress.Unrestored = true
	case done.at.Revision != 0:
		return m.load(ctx, key, last)
	}
	return s, nil
}

// Save writes a session if it is in its store what it was when it was read, or if
// it is new and not there: otherwise ErrConflict, and nothing is changed. Messages
// of one that was read in part may only have been added to. Afterwards the session
// is what was written, and may be changed and saved again. Errors: ErrConflict,
// ErrPartial, ErrKey, ErrTTL, ErrTooLarge, *MessageError, *FormatError,
// *DamagedError, ErrUnavailable, ErrClosed.
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
	m.promotions.written(s.Key, at)
	m.summarized(ctx, s)
	return nil
}

// write makes what a store is to write of a session, with the messages as they
// will be. It is nil where nothing is to be written.
func (m *Manager) write(s *Session, opts *WriteOptions) (*Write, []Message, error) {
	carried, err := m.carried(opts)
	if err != nil {
		return nil, nil, err
	}
	s.TTL = s.from.ttl
	if carried.ttl != 0 {
		s.TTL = lifetime(carried.ttl)
	}
	if s.CreatedAt.IsZero() {
		s.CreatedAt = m.now()
	}
	for i := range s.Memories {
		if s.Memories[i].ID == "" {
			s.Memories[i].ID = ulid.Make().String()
		}
	}
	head, err := encodeHead(s)
	if err != nil {
		return nil, nil, err
	}
	w := &Write{
		If:   Condition{Revision: s.from.at.Revision},
		Head: head, Format: Format, TTL: carried.ttl, Window: carried.window, Now: m.now(),
	}
	if s.from.complete && w.If.Revision != 0 {
		w.If.Next = s.from.at.Next
	}
	messages := cloneMessages(s.Messages)
	kept, dropBefore, err := s.kept(messages)
	if err != nil {
		return nil, nil, err
	}
	w.DropBefore = dropBefore
	s.from.progress.carry(s.from.messages, messages[kept:])
	if w.Messages, err = m.encodeMessages(messages[kept:], w.Now); err != nil {
		if wrong, ok := errors.AsType[*MessageError](err); ok {
			wrong.Index += kept
		}
		return nil, nil, err
	}
	if i := duplicate(messages); i >= 0 {
		return nil, nil, &MessageError{Index: i, Err: ErrDuplicateID}
	}
	w.Due = m.promotions.dueWritten(s, w)
	same := bytes.Equal(head, s.from.head) && w.DropBefore == 0 && len(w.Messages) == 0
	if same && s.Version() != 0 && carried.ttl == 0 && carried.window == 0 {
		return nil, nil, nil
	}
	return w, messages, nil
}

// kept says how many of the messages that a session is to have are the last ones
// of those that it had, from the first on, and before which number the others of
// those leave. A session that has them all otherwise begins with other messages:
// all that it had leave.
func (s *Session) kept(messages []Message) (kept int, dropBefore uint64, err error) {
	had := s.from.messages
	if len(had) == 0 {
		if s.from.at.Next > 0 && s.from.at.Revision == 0 && !s.from.complete { // a part of one that was rebuilt
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
	if kept > len(messages) || !slices.EqualFunc(had[first:], messages[:kept], s.from.progress.same) {
		first, kept = len(had), 0
	}
	switch {
	case first == 0:
		return kept, 0, nil
	case !s.from.complete:
		return 0, 0, ErrPartial
	case first == len(had):
		return 0, s.from.at.Next, nil
	}
	return kept, had[first].Seq, nil
}

// saved makes a session what was written of it.
func (s *Session) saved(w *Write, messages []Message, at Position) {
	had := s.from.messages
	s.from.at, s.from.format, s.from.head, s.from.ttl = at, w.Format, w.Head, s.TTL
	if w.If.Revision == 0 && !s.from.none { // one that was not made by Manager.New
		s.from.complete = true
	}
	if s.LastAccessed.Before(at.UpdatedAt) {
		s.LastAccessed = at.UpdatedAt
	}
	for i := range messages {
		messages[i].Seq = at.Next - uint64(len(messages)-i)
	}
	kept := len(messages) - len(w.Messages) // they stand there as they did
	s.Messages, s.from.messages = messages, cloneMessages(messages)
	copy(s.from.messages[:kept], had[len(had)-kept:])
	s.from.progress.mark(s.Messages)
	s.Progress = s.from.progress.at(at)
}

// sameMessage compares messages, but for their numbers, their tokens, and what became
// of them in long-term memory.
func sameMessage(a, b Message) bool {
	return a.ID == b.ID && a.Role == b.Role && a.Content == b.Content && a.Name == b.Name && a.Reasoning == b.Reasoning &&
		a.ToolCallID == b.ToolCallID && slices.Equal(a.ToolCalls, b.ToolCalls) && a.CreatedAt.Equal(b.CreatedAt)
}

// duplicate returns the index of a message that has the id of an earlier one, -1 if
// there is none.
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
