package middleware

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// maxPending is the largest number of calls that wait for the store after their callers
// have returned.
const maxPending = 256

// pendingCall is a call that is not stored yet.
type pendingCall struct {
	call ToolCall // ID and Name only
	effects
	messages  []session.Message
	refused   error // the reason why its messages were dropped
	abandoned bool  // the caller no longer waits
	unsure    bool  // a write of it failed, but may have been stored
}

// enqueue applies a call to the context, and appends it to the pending calls.
func (s *stored) enqueue(ctx context.Context, call ToolCall, eff effects) (*pendingCall, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &pendingCall{call: ToolCall{ID: bounded(call.ID), Name: bounded(call.Name)}, effects: eff}
	s.pending = append(s.pending, p)
	var noMessages error
	p.messages, noMessages = s.messagesOf(ctx, call)
	applied := callee.RecoverPanic(func() error { return s.current().Apply(changeOf(eff.found)) })
	return p, errors.Join(noMessages, applied)
}

// messagesOf returns the messages of a call, with ids, so that storing them again adds
// nothing.
func (s *stored) messagesOf(ctx context.Context, call ToolCall) (messages []session.Message, err error) {
	if s.sessions.opts.Messages == nil {
		return nil, nil
	}
	err = callee.RecoverPanic(func() error {
		messages = slices.Clone(s.sessions.opts.Messages(ctx, s.key, call))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("making messages: %w", err)
	}
	for i := range messages {
		if messages[i].ID == "" {
			messages[i].ID = ulid.Make().String()
		}
	}
	return messages, nil
}

// flush stores the pending calls. It drops messages that the session refuses.
func (s *stored) flush(ctx context.Context, pending []*pendingCall) error {
	if len(pending) == 0 {
		return nil
	}
	saved, err := s.write(ctx, pending)
	refused, ok := errors.AsType[*session.MessageError](err)
	switch {
	case ok && dropMessages(pending, refused):
		return s.flush(ctx, pending)
	case err != nil:
		for _, p := range pending {
			p.unsure = true
		}
		return err
	}
	s.adopt(saved, pending)
	return nil
}

// write stores the pending calls in one write. Messages that may be stored already go
// through Append, which also recognizes those that have been evicted since.
func (s *stored) write(ctx context.Context, pending []*pendingCall) (*session.Session, error) {
	if slices.ContainsFunc(pending, func(p *pendingCall) bool { return p.unsure && len(p.messages) > 0 }) {
		if err := s.appendMessages(ctx, pending); err != nil {
			return nil, err
		}
	}
	log, journal := s.sessions.opts.Decisions(s.key), s.sessions.opts.Journal
	var attempt *tracker // of the last attempt; nil without a log and a journal
	var before uint64    // revision that was changed
	saved, err := s.sessions.manager.UpdateHead(ctx, s.key, func(found *session.Session) error {
		before = found.Revision()
		var into backing = s.localOf(found)
		if log != nil || journal != nil {
			attempt = newAttempt(log, s.localOf(found))
			into = attempt
		}
		for _, p := range pending {
			_ = into.apply(ctx, p.call, p.effects) // its caller has the error from enqueue
			found.Messages = append(found.Messages, p.messages...)
		}
		return nil
	}, &s.sessions.opts.Write)
	if err != nil {
		return nil, err
	}
	s.noteRevisions(before, saved.Revision())
	if log != nil {
		log.addCalls(attempt.log, len(pending))
	}
	if journal != nil {
		for i, p := range pending {
			p.entry.decided(attempt.log, i+1)
			s.sessions.keep(ctx, s.key, p.entry, saved)
		}
	}
	return saved, nil
}

// appendMessages stores the messages of the pending calls.
func (s *stored) appendMessages(ctx context.Context, pending []*pendingCall) error {
	var messages []session.Message
	for _, p := range pending {
		messages = append(messages, p.messages...)
	}
	if _, err := s.sessions.manager.Append(ctx, s.key, messages, &s.sessions.opts.Write); err != nil {
		return err
	}
	for _, p := range pending {
		p.messages = nil
	}
	return nil
}

// dropMessages drops the messages of the call whose message was refused, and reports
// whether there is one.
func dropMessages(pending []*pendingCall, refused *session.MessageError) bool {
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

// pendingCalls returns a copy of the pending calls.
func (s *stored) pendingCalls() []*pendingCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pending)
}

// abandon marks a call as no longer waited for. If it is not stored, it stays pending. If
// there are more than maxPending such calls, the oldest is dropped.
func (s *stored) abandon(p *pendingCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.abandoned = true
	abandoned := 0
	for i, p := range slices.Backward(s.pending) {
		if !p.abandoned {
			continue
		}
		if abandoned++; abandoned > maxPending {
			s.pending = slices.Delete(s.pending, i, i+1)
			return
		}
	}
}
