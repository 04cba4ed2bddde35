package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
)

// rebuilds reports whether sessions that have expired are rebuilt of the messages that
// long-term memory kept.
func (p *promotions) rebuilds() bool { return p.wantsAny().Messages }

// messages returns the messages of a session that were kept, as a write has them.
// Of those that have one id it is the first.
func (p *promotions) messages(ctx context.Context, key Key) (messages []Message, stored []StoredMessage, err error) {
	err = p.call(ctx, "rebuilding", func(ctx context.Context) (err error) {
		messages, err = p.longTerm.Messages(ctx, key)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	messages = withoutDuplicates(nil, cloneMessages(messages))
	extracted := p.wantsAny().Extract
	for i := range messages {
		// Of what was kept memories were extracted before: not once more.
		messages[i].Extracted = messages[i].Extracted || extracted
		messages[i].Seq = uint64(i) + 1
	}
	if stored, err = p.m.encodeMessages(messages, p.m.now()); err != nil {
		return nil, nil, fmt.Errorf("session: rebuilding: %w", err)
	}
	return messages, stored, nil
}

// withoutDuplicates appends messages to others, but for those whose ids are there.
func withoutDuplicates(others, messages []Message) []Message {
	known := make(map[string]bool, len(others)+len(messages))
	for i := range others {
		known[others[i].ID] = true
	}
	for i := range messages {
		id := messages[i].ID
		if id == "" || !known[id] {
			others = append(others, messages[i])
		}
		known[id] = true
	}
	return others
}

// rebuilt returns a session that is not there, of its messages in long-term memory.
// Errors: missing, if there are none, and that of the LongTerm.
func (m *Manager) rebuilt(ctx context.Context, key Key, missing error) (*Session, error) {
	if !m.promotions.rebuilds() {
		return nil, missing
	}
	messages, _, err := m.promotions.messages(ctx, key)
	if err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, missing
	}
	s := m.New(key)
	at := Position{First: 1, Next: uint64(len(messages)) + 1, UpdatedAt: messages[len(messages)-1].CreatedAt}
	for i := range messages {
		at.Tokens += int64(messages[i].Tokens)
	}
	s.Messages, s.LastAccessed, s.from.at = messages, at.UpdatedAt, at
	s.from.messages = cloneMessages(messages)
	return s, nil
}

// restored is what became of a session that was to be restored.
type restored struct {
	at Position
	// messages are those that were put before what the session had.
	messages []Message
}

// restore writes the kept messages of a session that has expired: of one that is not
// there, with what a write carries, or before those that were appended since it was
// made, if nobody did yet. It does nothing for other sessions. They stand behind the
// marks, so that they are not promoted again.
func (m *Manager) restore(ctx context.Context, key Key, c carried) (done restored, err error) {
	err = retry(ctx, func() error {
		s, err := m.load(ctx, key, -1)
		missing := errors.Is(err, ErrNotFound)
		switch {
		case missing:
			s = m.New(key)
		case err != nil:
			return err
		case !s.from.progress.Unrestored:
			return nil
		default:
			c = carried{}
		}
		messages, stored, err := m.promotions.messages(ctx, key)
		if err != nil || missing && len(messages) == 0 {
			return err
		}
		w, err := m.restoring(s, messages, stored, c)
		if err != nil {
			return err
		}
		at, err := m.store.Write(ctx, key, *w)
		if err != nil {
			return fmt.Errorf("session: restoring: %w", err)
		}
		done = restored{at, messages}
		return nil
	})
	return done, err
}

// restorePatience is how long a write waits for what long-term memory kept of its session.
const restorePatience = 5 * time.Second

// restoreNow is restore in a write, which does not wait for long.
func (m *Manager) restoreNow(ctx context.Context, key Key, c carried) (restored, error) {
	ctx, cancel := context.WithTimeout(ctx, restorePatience)
	defer cancel()
	return m.restore(ctx, key, c)
}

// restoring makes the write of restore.
func (m *Manager) restoring(s *Session, messages []Message, stored []StoredMessage, c carried) (*Write, error) {
	at := s.from.at
	w := &Write{
		If: Condition{Revision: at.Revision, Next: at.Next}, Format: Format, TTL: c.ttl, Window: c.window, Now: at.UpdatedAt,
	}
	if at.Revision == 0 {
		w.Now, s.TTL = m.now(), lifetime(c.ttl)
	}
	pr := &s.from.progress
	pr.Unrestored = false
	if len(messages) > 0 {
		present := withoutDuplicates(messages[:len(messages):len(messages)], s.Messages)[len(messages):]
		again, err := m.encodeMessages(present, w.Now)
		if err != nil {
			return nil, err
		}
		w.DropBefore, w.Messages = at.Next, append(stored, again...)
		behind := max(at.Next, 1) + uint64(len(messages))
		pr.Kept, pr.KeptAt = behind, m.now().Truncate(time.Millisecond)
		if m.promotions.wantsAny().Extract {
			pr.Extracted = behind
		}
	}
	var err error
	w.Head, err = encodeHead(s)
	return w, err
}

// restoreAppended restores a session that an Append made, of which Append.Head says so.
// Where that fails it is done in the background: the session is due, and still says so.
func (m *Manager) restoreAppended(ctx context.Context, key Key, appended *Appended) {
	done, err := m.restoreNow(ctx, key, carried{})
	if err != nil {
		m.opts.Logger.WarnContext(ctx, "session: it was not looked whether it is to be rebuilt", "session", key.Short(), "error", callee.Loggable(err))
		return
	}
	if done.at.Revision == 0 {
		return
	}
	appended.Position = done.at
	if len(done.messages) == 0 {
		return
	}
	kept := make(map[string]bool, len(done.messages))
	for i := range done.messages {
		kept[done.messages[i].ID] = true
	}
	for i := range appended.Messages {
		appended.Messages[i].Seq = 0 // they moved behind those
		if kept[appended.Messages[i].ID] {
			appended.Added--
		}
	}
}

// deleteMessages removes the messages of a session that was deleted from long-term
// memory, so that it is not rebuilt: all, or those of the session that was made then.
func (p *promotions) deleteMessages(ctx context.Context, key Key, made time.Time) error {
	if !p.rebuilds() {
		return nil
	}
	return p.call(ctx, "deleting kept messages", func(ctx context.Context) error {
		return p.longTerm.DeleteMessages(ctx, key, made)
	})
}

// takeBack removes messages that were handed over while their session was deleted, and
// are to be forgotten like those that were there. It may be made again meanwhile.
func (r *promotionRun) takeBack(ctx context.Context) {
	if r.keeping == nil {
		return
	}
	was, now := r.keeping, r.p.m.now()
	const skew = time.Minute // of the clocks of processes and stores
	if expires := was.from.at.ExpiresAt; !expires.IsZero() && !now.Before(expires.Add(-skew)) {
		return // it expired, and is to be rebuilt
	}
	is, err := r.p.m.load(ctx, r.key, 0)
	switch {
	case err == nil && (follows(is.from.at.Revision, was.from.at.Revision) || is.CreatedAt.Equal(was.CreatedAt)):
		return // what is there is what was there
	case err == nil, errors.Is(err, ErrNotFound):
		err = r.p.deleteMessages(ctx, r.key, was.CreatedAt)
	}
	if err != nil {
		r.outcome.Err = err
	}
}
