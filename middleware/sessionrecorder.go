package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// maxPending is how many calls are kept that the store did not take.
const maxPending = 256

// stored is the session that a recorder works for.
type stored struct {
	sessions *Sessions
	key      session.Key

	// busy holds one value while the store is asked, so that what was read later
	// also counts later. It guards version.
	busy    chan struct{}
	version uint64 // of the session that the context is of

	// mu guards what is pending, which the context has already, also while the
	// context is replaced. It is never held while the store is asked.
	mu      sync.Mutex
	pending []*recorded // what the store does not have yet, oldest first
}

// recorded is what a call changes in its session.
type recorded struct {
	change   memory.Change
	messages []session.Message
	refused  error // why there are no messages any more
	left     bool  // its caller waits no more
}

// Refresh reads what is stored of the recorder's session, and stores what is left
// to be stored. A recorder of no stored session has nothing to do. With an error, of
// session.Manager.Load or UpdateHead, of which the Logger is told, too, the recorder
// knows what it knew.
func (r *Recorder) Refresh(ctx context.Context) error {
	if r.stored == nil {
		return nil
	}
	if err := r.refresh(ctx); err != nil {
		r.logger.LogAttrs(ctx, slog.LevelWarn, "stored working memory was not read", slog.Any("error", err))
		return fmt.Errorf("middleware: refreshing: %w", err)
	}
	return nil
}

func (r *Recorder) refresh(ctx context.Context) error {
	s := r.stored
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	if pending := s.waiting(); len(pending) > 0 {
		return r.flush(ctx, pending)
	}
	found, err := s.sessions.manager.Load(ctx, s.key, &session.LoadOptions{Last: -1})
	switch {
	case errors.Is(err, session.ErrNotFound):
		found = s.sessions.manager.New(s.key)
	case err != nil:
		return err
	}
	r.take(found, nil)
	return nil
}

// Clear empties the context, that of a stored session in its store, too; calls that
// are not stored yet are given up, with their messages. Errors: those of
// session.Manager.UpdateHead, with which nothing was cleared.
func (r *Recorder) Clear(ctx context.Context) error {
	s := r.stored
	if s == nil {
		r.Context().Clear()
		return nil
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	pending := s.waiting()
	cleared, err := s.sessions.manager.UpdateHead(ctx, s.key, func(found *session.Session) error {
		if found.Version() == 0 {
			return session.ErrNotFound
		}
		found.Entities.Clear()
		return nil
	}, &s.sessions.opts.Write)
	switch {
	case errors.Is(err, session.ErrNotFound):
		cleared = s.sessions.manager.New(s.key)
	case err != nil:
		return fmt.Errorf("middleware: clearing: %w", err)
	}
	r.take(cleared, pending)
	return nil
}

// save makes the change of a call in the stored session. A caller that gave up does
// not end it at once.
func (r *Recorder) save(ctx context.Context, call ToolCall, change memory.Change) error {
	s := r.stored
	if s.sessions.opts.Messages == nil && len(change.Use)+len(change.Add)+len(change.Remove) == 0 {
		return nil
	}
	made, missed := r.know(ctx, call, change)
	defer s.keep(made)
	ctx, cancel := outlive(ctx, s.sessions.opts.Grace)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return errors.Join(missed, err)
	}
	defer s.leave()
	err := r.flush(ctx, s.waiting()) // nothing, where another call took this one along
	return errors.Join(missed, made.refused, err)
}

// know makes the change of a call in the context, and one of those to be stored.
func (r *Recorder) know(ctx context.Context, call ToolCall, change memory.Change) (made *recorded, missed error) {
	s := r.stored
	s.mu.Lock()
	defer s.mu.Unlock()
	made = &recorded{change: change}
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
	s := r.stored
	saved, err := s.sessions.manager.UpdateHead(ctx, s.key, func(found *session.Session) error {
		for _, p := range pending {
			_ = found.Entities.Apply(p.change) // its caller knows what is refused
			found.Messages = append(found.Messages, p.messages...)
		}
		return nil
	}, &s.sessions.opts.Write)
	if refused, ok := errors.AsType[*session.MessageError](err); ok && giveUp(pending, refused) {
		return r.flush(ctx, pending)
	}
	if err != nil {
		return err
	}
	r.take(saved, pending)
	return nil
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

func (s *stored) enter(ctx context.Context) error {
	select {
	case s.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stored) leave() { <-s.busy }

// outlive returns a context that ends a while after another one.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(by, cancel)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); cancel() }
}
