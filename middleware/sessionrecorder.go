package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
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
	// also counts later. It guards what follows.
	busy    chan struct{}
	pending []recorded // what the store does not have yet, oldest first
	version uint64     // of the session that the context is of
}

// recorded is what a call changes in its session.
type recorded struct {
	change   memory.Change
	messages []session.Message
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
	if len(s.pending) > 0 {
		_, err := r.flush(ctx)
		return err
	}
	found, err := s.sessions.manager.Load(ctx, s.key, &session.LoadOptions{Last: -1})
	switch {
	case errors.Is(err, session.ErrNotFound):
		found = s.sessions.manager.New(s.key)
	case err != nil:
		return err
	}
	r.take(found)
	return nil
}

// Clear empties the context, that of a stored session in its store, too. Errors:
// those of session.Manager.UpdateHead, with which nothing was cleared.
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
	s.pending = nil
	r.take(cleared)
	return nil
}

// save makes the change of a call in the stored session. A caller that gave up does
// not end it at once.
func (r *Recorder) save(ctx context.Context, call ToolCall, change memory.Change) error {
	s := r.stored
	if s.sessions.opts.Messages == nil && len(change.Use)+len(change.Add)+len(change.Remove) == 0 {
		return nil
	}
	ctx, cancel := outlive(ctx, s.sessions.opts.Grace)
	defer cancel()
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	made := recorded{change: change, messages: s.messagesOf(ctx, call)}
	s.pending = append(s.pending[max(0, len(s.pending)+1-maxPending):], made)
	refused, err := r.flush(ctx)
	if tooMuch, ok := errors.AsType[*session.MessageError](err); ok {
		s.withoutMessage(tooMuch.Index)
		var again error
		refused, again = r.flush(ctx)
		err = errors.Join(err, again)
	}
	if len(s.pending) > 0 {
		refused = r.Context().Apply(change)
	}
	return errors.Join(refused, err)
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

// withoutMessage gives up the messages of the call that has the i-th of those that
// are pending: no store will take them.
func (s *stored) withoutMessage(i int) {
	for j := range s.pending {
		if n := len(s.pending[j].messages); i >= n {
			i -= n
			continue
		}
		s.pending[j].messages = nil
		return
	}
}

// flush stores what is pending. refused is what the context did not take of the
// last change.
func (r *Recorder) flush(ctx context.Context) (refused, err error) {
	s := r.stored
	saved, err := s.sessions.manager.UpdateHead(ctx, s.key, func(found *session.Session) error {
		for _, p := range s.pending {
			refused = found.Entities.Apply(p.change)
			found.Messages = append(found.Messages, p.messages...)
		}
		return nil
	}, &s.sessions.opts.Write)
	if err != nil {
		return nil, err
	}
	s.pending = nil
	r.take(saved)
	return refused, nil
}

// take makes a session that was read what the recorder knows.
func (r *Recorder) take(found *session.Session) {
	if v := found.Version(); v == 0 || v != r.stored.version {
		r.stored.version = v
		r.context.Store(found.Entities)
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
