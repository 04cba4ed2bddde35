package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Manager reads and writes the sessions of a Store. It holds nothing of them
// itself, so that any number of managers, in any number of processes, may work on
// one store. It is safe for concurrent use.
type Manager struct {
	store      Store
	opts       Options
	summaries  *summaries
	promotions *promotions
}

// NewManager makes a manager of a store, which stays the caller's to close, after
// the manager. nil options mean the defaults. One with a LongTerm is to be closed: it
// asks the store for sessions that are due until then. The error says which option is
// wrong.
func NewManager(store Store, opts *Options) (*Manager, error) {
	if store == nil {
		return nil, errors.New("session: no store")
	}
	valid, err := opts.validate()
	if err != nil {
		return nil, err
	}
	m := &Manager{store: store, opts: valid}
	m.summaries = newSummaries(m)
	m.promotions = newPromotions(m)
	m.promotions.start()
	return m, nil
}

// New returns a session that is in no store yet. Save makes it.
func (m *Manager) New(key Key) *Session {
	s := &Session{Key: key, Entities: memory.NewWorkingContext(m.opts.Context), CreatedAt: m.now()}
	s.from.complete = true
	return s
}

// load reads a session with its last messages, as Store.Load.
func (m *Manager) load(ctx context.Context, key Key, last int) (*Session, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	r, err := m.store.Load(ctx, key, last)
	if err != nil {
		return nil, fmt.Errorf("session: loading: %w", err)
	}
	return m.decode(key, r)
}

// decode makes a session of what a store keeps. Errors: *FormatError, *DamagedError.
func (m *Manager) decode(key Key, r *Record) (*Session, error) {
	if r.Format > Format {
		return nil, &FormatError{Key: key, Format: r.Format, Known: Format}
	}
	s := &Session{Key: key, Entities: memory.NewWorkingContext(m.opts.Context), from: origin{
		at: r.Position, format: r.Format, head: r.Head, complete: len(r.Messages) == r.Len(),
	}}
	if err := decodeHead(r.Head, s); err != nil {
		return nil, &DamagedError{Key: key, Part: "head", Err: err}
	}
	s.from.messages = slices.Grow(s.from.messages, len(r.Messages))
	for i := range r.Messages {
		message, err := decodeMessage(&r.Messages[i])
		if err != nil {
			return nil, &DamagedError{Key: key, Part: fmt.Sprintf("message %d", r.Messages[i].Seq), Err: err}
		}
		s.from.messages = append(s.from.messages, message)
	}
	s.Messages = cloneMessages(s.from.messages)
	s.from.progress.mark(s.Messages)
	return s, nil
}

// Delete removes a session, damaged or not, and its messages from long-term memory;
// what was promoted of it as memories stays there. A promotion that is on its way may
// bring some of the messages back, and removes them when it ends. It is no error if
// there is no such session. Errors: ErrKey, ErrUnavailable, ErrClosed, and that of
// Options.LongTerm, with which the session is deleted, and may be rebuilt.
func (m *Manager) Delete(ctx context.Context, key Key) error {
	return m.remove(ctx, key, nil)
}

// DeleteVersion removes a session that has a version still. Version 0 is that of one
// that would be rebuilt: if it is still not there, its messages leave long-term memory.
// Errors as of Delete, and ErrConflict if it has another version or, for others than 0,
// is not there.
func (m *Manager) DeleteVersion(ctx context.Context, key Key, version uint64) error {
	if err := key.Check(); err != nil {
		return err
	}
	r, err := m.store.Load(ctx, key, 0)
	switch {
	case errors.Is(err, ErrNotFound) && version == 0 && m.promotions.rebuilds():
		return m.promotions.deleteMessages(ctx, key, time.Time{})
	case errors.Is(err, ErrNotFound):
		return fmt.Errorf("session: deleting: %w", ErrConflict)
	case err != nil:
		return fmt.Errorf("session: deleting: %w", err)
	case r.Version() != version:
		return fmt.Errorf("session: deleting: %w", ErrConflict)
	}
	return m.remove(ctx, key, &Condition{Revision: r.Revision, Next: r.Next})
}

func (m *Manager) remove(ctx context.Context, key Key, where *Condition) error {
	if err := key.Check(); err != nil {
		return err
	}
	if err := m.store.Delete(ctx, key, where); err != nil {
		return fmt.Errorf("session: deleting: %w", err)
	}
	return m.promotions.deleteMessages(ctx, key, time.Time{})
}

// List returns the keys of the sessions that pass a filter, as Store.List. Errors:
// ErrUnavailable, ErrClosed.
func (m *Manager) List(ctx context.Context, f Filter) (Page, error) {
	page, err := m.store.List(ctx, f)
	if err != nil {
		return Page{}, fmt.Errorf("session: listing: %w", err)
	}
	return page, nil
}

// Find returns the key of the session with a session id, in a namespace and of a
// user where these are not nil. If several have it, it is the one whose namespace
// or user is the empty one where they are nil. Errors: ErrNotFound, also if there
// is no such one among several; ErrUnavailable, ErrClosed.
func (m *Manager) Find(ctx context.Context, sessionID string, namespace, userID *string) (Key, error) {
	page, err := m.List(ctx, Filter{SessionID: &sessionID, Namespace: namespace, UserID: userID, Limit: -1})
	if err != nil {
		return Key{}, err
	}
	exact := Key{SessionID: sessionID}
	if namespace != nil {
		exact.Namespace = *namespace
	}
	if userID != nil {
		exact.UserID = *userID
	}
	for _, key := range page.Keys {
		if key == exact || len(page.Keys) == 1 {
			return key, nil
		}
	}
	if len(page.Keys) > 1 {
		return Key{}, fmt.Errorf("session: finding: %w: %d sessions have this id", ErrNotFound, len(page.Keys))
	}
	return Key{}, fmt.Errorf("session: finding: %w", ErrNotFound)
}

// Now is the time by the manager's clock, Options.Now, in UTC: the one that its writes
// bear.
func (m *Manager) Now() time.Time { return m.now() }

func (m *Manager) now() time.Time { return m.opts.Now().UTC() }

// retry makes a change again while others get in its way.
func retry(ctx context.Context, change func() error) error {
	return contention.Retry(ctx, ErrConflict, change)
}
