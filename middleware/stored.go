package middleware

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// stored is a backing in a session of a session.Manager. Calls that are not stored yet
// are handled in pending.go.
type stored struct {
	sessions *Sessions
	key      session.Key
	context  atomic.Pointer[memory.WorkingContext] // replaced by each load
	table    atomic.Pointer[handle.Table]          // likewise; nil without handles

	// busy holds one value while the store is accessed, so that loads take effect in
	// their order. It guards version and changed.
	busy     chan struct{}
	version  uint64 // of the session that the context is from
	revision uint64 // of the session that was read or written last
	changed  bool   // by others, since changedByOthers

	// mu guards pending, whose calls are applied to the context, also when the context
	// is replaced. It is not held while the store is accessed.
	mu      sync.Mutex
	pending []*pendingCall // oldest first
}

var _ backing = (*stored)(nil)

func newStored(s *Sessions, key session.Key) *stored {
	b := &stored{sessions: s, key: key, busy: make(chan struct{}, 1)}
	b.context.Store(s.newContext())
	if s.opts.Handles != nil || s.opts.Results != nil {
		b.table.Store(handle.NewTable(s.opts.Handles))
	}
	return b
}

func (s *stored) current() *memory.WorkingContext { return s.context.Load() }

func (s *stored) handles() *handle.Table { return s.table.Load() }

// localOf returns the backing in a session that was read.
func (s *stored) localOf(found *session.Session) local {
	opts := &s.sessions.opts
	if opts.Handles == nil && opts.Results == nil {
		return local{context: found.Entities}
	}
	if opts.Handles != nil {
		found.Handles.SetOptions(opts.Handles)
	}
	return local{context: found.Entities, table: found.Handles}
}

// apply stores a call. It continues for SessionsOptions.Grace after the context has ended.
func (s *stored) apply(ctx context.Context, call ToolCall, eff effects) error {
	found := &eff.found
	if s.sessions.opts.Messages == nil && len(found.Used)+len(found.Entities)+len(found.Removed) == 0 && eff.handles.IsEmpty() {
		s.sessions.keep(ctx, s.key, eff.entry, nil)
		return nil
	}
	p, missed := s.enqueue(ctx, call, eff)
	defer s.abandon(p)
	ctx, cancel := withGrace(ctx, s.sessions.opts.Grace)
	defer cancel()
	if err := s.acquireStore(ctx); err != nil {
		return errors.Join(missed, err)
	}
	defer s.releaseStore()
	err := s.flush(ctx, s.pendingCalls()) // no calls if another one flushed this one
	return errors.Join(missed, p.refused, err)
}

func (s *stored) refresh(ctx context.Context) error {
	if err := s.acquireStore(ctx); err != nil {
		return err
	}
	defer s.releaseStore()
	if pending := s.pendingCalls(); len(pending) > 0 {
		return s.flush(ctx, pending)
	}
	found, err := s.sessions.manager.Load(ctx, s.key, &session.LoadOptions{Last: -1})
	switch {
	case errors.Is(err, session.ErrNotFound):
		found = s.sessions.manager.New(s.key)
	case err != nil:
		return err
	}
	s.noteRevisions(found.Revision(), found.Revision())
	s.adopt(found, nil)
	return nil
}

func (s *stored) changedByOthers(ctx context.Context) (bool, error) {
	if err := s.refresh(ctx); err != nil {
		return false, err
	}
	if err := s.acquireStore(ctx); err != nil {
		return false, err
	}
	defer s.releaseStore()
	changed := s.changed
	s.changed = false
	return changed, nil
}

// noteRevisions notes what a load or a write found, and what it left.
func (s *stored) noteRevisions(before, after uint64) {
	s.changed = s.changed || before != s.revision
	s.revision = after
}

func (s *stored) clear(ctx context.Context) error {
	if err := s.acquireStore(ctx); err != nil {
		return err
	}
	defer s.releaseStore()
	pending := s.pendingCalls()
	before := s.revision
	cleared, err := s.sessions.manager.UpdateHead(ctx, s.key, func(found *session.Session) error {
		before = found.Revision()
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
		return err
	}
	s.noteRevisions(before, cleared.Revision())
	s.adopt(cleared, pending)
	return nil
}

// adopt replaces the context by that of a stored session, and removes done from the
// pending calls.
func (s *stored) adopt(found *session.Session, done []*pendingCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = slices.DeleteFunc(s.pending, func(p *pendingCall) bool { return slices.Contains(done, p) })
	if v := found.Version(); v == 0 || v != s.version {
		for _, p := range s.pending {
			_ = found.Entities.Apply(changeOf(p.found))
		}
		s.version = v
		s.context.Store(found.Entities)
		s.table.Store(s.localOf(found).table)
	}
}

func (s *stored) acquireStore(ctx context.Context) error {
	select {
	case s.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stored) releaseStore() { <-s.busy }

// withGrace returns a context that ends a grace period after ctx, or after now if ctx has
// ended. If ctx has a deadline, so does the result, for stores that use it.
func withGrace(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	deadline, has := ctx.Deadline()
	if has {
		cancel()
		longer, cancel = context.WithTimeout(context.WithoutCancel(ctx), max(0, time.Until(deadline))+grace)
	}
	stop := context.AfterFunc(ctx, func() {
		if has && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return // the later deadline ends it
		}
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); cancel() }
}
