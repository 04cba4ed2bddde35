package middleware

import (
	"context"
	"errors"
	"slices"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// maxPending is how many calls are kept that the store did not take.
const maxPending = 256

// recorded is what a call changes in its session.
type recorded struct {
	change   memory.Change
	id, tool string // of the call
	messages []session.Message
	refused  error // why there are no messages any more
	left     bool  // its caller waits no more
	unsure   bool  // it may be stored: the store failed when it was to be
}

// know makes the change of a call in the context, and one of those to be stored.
func (r *Recorder) know(ctx context.Context, call ToolCall, change memory.Change) (made *recorded, missed error) {
	s := r.stored
	s.mu.Lock()
	defer s.mu.Unlock()
	made = &recorded{change: change, id: bounded(call.ID), tool: bounded(call.Name)}
	s.pending = append(s.pending, made)
	unsaid := survive("making messages", func() error {
		made.messages = s.messagesOf(ctx, call)
		return nil
	})
	return made, errors.Join(unsaid, survive("applying", func() error { return r.Context().Apply(change) }))
}

// messagesOf returns the messages of a call, with ids: stored again, they are added once.
func (s *stored) messagesOf(ctx context.Context, call ToolCall) []session.Message {
	if s.sessions.opts.Messages == nil {
		return nil
	}
	messages := slices.Clone(s.sessions.opts.Messages(ctx, s.key, call))
	for i := range messages {
		if messages[i].ID == "" {
			messages[i].ID = ulid.Make().String()
		}
	}
	return messages
}

// flush stores what is pending, without messages that no store takes.
func (r *Recorder) flush(ctx context.Context, pending []*recorded) error {
	if len(pending) == 0 {
		return nil
	}
	saved, err := r.stored.write(ctx, pending)
	refused, ok := errors.AsType[*session.MessageError](err)
	switch {
	case ok && giveUp(pending, refused):
		return r.flush(ctx, pending)
	case err != nil:
		for _, p := range pending {
			p.unsure = true
		}
		return err
	}
	r.take(saved, pending)
	return nil
}

// write stores what is pending, in one write. Messages that may be stored already may
// also have left the session by now, which Append alone finds out.
func (s *stored) write(ctx context.Context, pending []*recorded) (*session.Session, error) {
	if slices.ContainsFunc(pending, func(p *recorded) bool { return p.unsure && len(p.messages) > 0 }) {
		var messages []session.Message
		for _, p := range pending {
			messages = append(messages, p.messages...)
		}
		if _, err := s.sessions.manager.Append(ctx, s.key, messages, &s.sessions.opts.Write); err != nil {
			return nil, err
		}
		for _, p := range pending {
			p.messages = nil
		}
	}
	story := s.story()
	saved, err := s.sessions.manager.UpdateHead(ctx, s.key, func(found *session.Session) error {
		story.begin(found.Entities)
		for _, p := range pending {
			_ = story.apply(found.Entities, p) // its caller knows what is refused
			found.Messages = append(found.Messages, p.messages...)
		}
		return nil
	}, &s.sessions.opts.Write)
	if err == nil {
		story.told(len(pending))
	}
	return saved, err
}

// giveUp takes the messages away from the call that has the one that was refused.
func giveUp(pending []*recorded, refused *session.MessageError) bool {
	i := refused.Index
	for _, p := range pending {
		if i < len(p.messages) {
			p.messages, p.refused = nil, refused
			return true
		}
		i -= len(p.messages)
	}
	return false
}

// take makes a session that was read what the recorder knows, and what it has
// nothing to be stored any more.
func (r *Recorder) take(found *session.Session, has []*recorded) {
	s := r.stored
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = slices.DeleteFunc(s.pending, func(p *recorded) bool { return slices.Contains(has, p) })
	if v := found.Version(); v == 0 || v != s.version {
		for _, p := range s.pending {
			_ = found.Entities.Apply(p.change)
		}
		s.version = v
		r.context.Store(found.Entities)
	}
}

// waiting is what is pending.
func (s *stored) waiting() []*recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pending)
}

// keep is the end of a call's recording. Where it is not stored yet it is kept, but
// not too many of them are.
func (s *stored) keep(made *recorded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	made.left = true
	left := 0
	for i, p := range slices.Backward(s.pending) {
		if !p.left {
			continue
		}
		if left++; left > maxPending {
			s.pending = slices.Delete(s.pending, i, i+1)
			return
		}
	}
}
