package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/promote"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/summarize"
)

// Manager reads and writes the sessions of a store. It caches none of them: any number of
// managers, in any number of processes, may share a store. It is safe for concurrent use.
type Manager struct {
	store      driver.Store
	sessions   *head.Store
	opts       Options
	summaries  *summarize.Job
	promotions *promote.Job
}

// NewManager returns a manager of a store. The caller closes the store, after the manager.
// If opts is nil, the defaults apply. A manager with a LongTerm polls the store for sessions
// that are due, until it is closed. The error names the invalid option.
func NewManager(store driver.Store, opts *Options) (*Manager, error) {
	if store == nil {
		return nil, errors.New("session: no store")
	}
	valid, err := opts.validate()
	if err != nil {
		return nil, err
	}
	m := &Manager{store: store, sessions: head.NewStore(store, valid.Context), opts: valid}
	m.promotions, err = promote.New(valid.Promotions, promote.Config{
		LongTerm: valid.LongTerm, Sessions: m.sessions, Due: m.Due, Counter: valid.Counter, Now: m.Now, Logger: valid.Logger,
	})
	if err != nil {
		return nil, err
	}
	config := summarize.Config{Sessions: m.sessions, Counter: valid.Counter, Window: valid.Window, Now: m.Now, Logger: valid.Logger}
	if m.promotions != nil {
		config.Leaving = m.promotions.Leaving
	}
	if m.summaries, err = summarize.New(valid.Summaries, config); err != nil {
		return nil, err
	}
	m.promotions.Start()
	return m, nil
}

// New returns a new session, which Save stores.
func (m *Manager) New(key Key) *Session {
	s := &Session{Key: key, Entities: memory.NewWorkingContext(m.opts.Context), Handles: new(handle.Table), CreatedAt: m.Now()}
	s.from.complete = true
	return s
}

// load reads a session with its last messages; see driver.Store.Load.
func (m *Manager) load(ctx context.Context, key Key, last int) (*Session, error) {
	h, err := m.sessions.Load(ctx, key, last)
	if err != nil {
		return nil, err
	}
	return newSession(key, h), nil
}

// Due returns the keys of at most limit sessions that are due to be promoted, the earliest
// first. Damaged sessions are included. Errors: ErrUnavailable, ErrClosed.
func (m *Manager) Due(ctx context.Context, limit int) ([]Key, error) {
	keys, err := m.store.Due(ctx, m.Now(), limit)
	if err != nil {
		return nil, fmt.Errorf("session: due: %w", err)
	}
	return keys, nil
}

// Durability returns what happens to acknowledged writes when the server of the store is killed
// or loses power. The level is "unknown" if the store does not report it, and with
// each error. Errors: ErrUnavailable, ErrClosed.
func (m *Manager) Durability(ctx context.Context) (Durability, error) {
	d, err := driver.DurabilityOf(ctx, m.store)
	if err != nil {
		return d, fmt.Errorf("session: durability: %w", err)
	}
	return d, nil
}

// Now returns the time of the manager's clock, Options.Now, in UTC.
func (m *Manager) Now() time.Time { return m.opts.Now().UTC() }

// Close finishes the work in the background: the summaries that are running or queued, and
// the promotion of every session that this manager wrote and that is still to be promoted,
// without waiting for promotion.Options.Delay. Sessions that wait after a failure are not
// tried again, and with promotion.Options.Off nothing is promoted. A failure is logged, as
// before; it is not an error of Close.
//
// When ctx ends, Close cancels the rest and returns a *CloseError within two seconds, even
// if a model ignores its context. What is left stays in the store: any process with a
// LongTerm promotes it, and the next write to a session has it summarised. Afterwards the
// manager still reads and writes, but no longer works in the background.
func (m *Manager) Close(ctx context.Context) error {
	m.promotions.Hurry()
	left := &CloseError{Summaries: m.summaries.Close(ctx)} // summaries make sessions due
	left.Promotions = m.promotions.Close(ctx)
	if left.Summaries+left.Promotions == 0 {
		return nil
	}
	left.Err = cmp.Or(ctx.Err(), context.Canceled) // another Close may have canceled the work
	return left
}
