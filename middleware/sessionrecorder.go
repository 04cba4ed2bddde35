package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

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

// Refresh reads what is stored of the recorder's session, and stores what is left
// to be stored, if it has one. With an error, of session.Manager.Load or UpdateHead, of
// which the Logger is told, too, the recorder knows what it knew. In any case it
// recalls what bears on the user's last words, if that is new: see Options.Recall.
func (r *Recorder) Refresh(ctx context.Context) error {
	defer r.recall(ctx)
	if r.stored == nil {
		return nil
	}
	if err := r.refresh(ctx); err != nil {
		r.logger.LogAttrs(ctx, slog.LevelWarn, "stored working memory was not read", slog.String("error", callee.Loggable(err)))
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
// are not stored yet are given up, with their messages. What was recalled leaves the
// block until it is recalled again. Errors: those of session.Manager.UpdateHead, with
// which nothing was cleared.
func (r *Recorder) Clear(ctx context.Context) error {
	s := r.stored
	if s == nil {
		r.Context().Clear()
		r.forgetRecalled()
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
	r.forgetRecalled()
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

func (s *stored) enter(ctx context.Context) error {
	select {
	case s.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stored) leave() { <-s.busy }

// outlive returns a context that ends a while after another one, or after now: where
// that has a deadline, at one that stores know.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	deadline, has := ctx.Deadline()
	if has {
		cancel()
		longer, cancel = context.WithTimeout(context.WithoutCancel(ctx), max(0, time.Until(deadline))+by)
	}
	stop := context.AfterFunc(ctx, func() {
		if has && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return // it ends by itself
		}
		timer := time.AfterFunc(by, cancel)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); cancel() }
}
